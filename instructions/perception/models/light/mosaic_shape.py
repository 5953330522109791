"""A segmentation network in the shape of the pictures: no time is spent on padding, nor on pixels that nobody reads.

The published file takes 512 x 512 pixels, a third of them padding for a picture of 3:2, and grows its scores to all of
them before it takes the best class of each. Its layers are convolutions, poolings and resizings, which fit any size;
only the sizes that it resizes to are written down. They are written anew here, and the last one at half.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError

SIDE_PX = 512
"""Side of the square that the file was made for; the longer side of a picture is brought to it."""
STEP_PX = 32
"""The network halves its picture up to four times, and pools what is left by two."""


def reshape_network(path: Path, height: int, width: int) -> bytes:
    """The network for another size of input, with a class map of half that size.

    Args:
        path: TFLite file whose resizings are all to fixed sizes.
        height: Of the input in pixels, a multiple of `STEP_PX`.
        width: The same.

    Raises:
        InstructionError: If the file is no such network.
    """
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    model: Any = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)  # its generated types make all optional
    if len(model.subgraphs) != 1:
        raise InstructionError(f"{path}: {len(model.subgraphs)} graphs, need one")
    graph = model.subgraphs[0]
    codes = [code.builtinCode for code in model.operatorCodes]
    resizings = [one for one in graph.operators if codes[one.opcodeIndex] == schema.BuiltinOperator.RESIZE_BILINEAR]
    for number in sorted({graph.tensors[one.inputs[1]].buffer for one in resizings}):
        size = np.frombuffer(bytes(model.buffers[number].data), dtype="<i4")
        if size.tolist() not in ([32, 32], [64, 64], [128, 128], [SIDE_PX, SIDE_PX]):
            raise InstructionError(f"{path}: resizes to {size.tolist()}, which no MOSAIC of {SIDE_PX} pixels does")
        model.buffers[number].data = _scale(size, height, width)
    builder = flatbuffers.Builder(0)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _scale(size: NDArray[np.int32], height: int, width: int) -> NDArray[np.uint8]:
    scaled = size * np.array([height, width]) // SIDE_PX
    if size[0] == SIDE_PX:
        scaled //= 2
    return np.frombuffer(scaled.astype("<i4").tobytes(), dtype=np.uint8)
