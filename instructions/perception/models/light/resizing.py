"""TFLite networks in another shape than that of their file.

Their layers are convolutions, poolings and resizings, which fit any size; only the sizes that they resize to, and those
of poolings over the whole picture, are written down. They are written anew here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from instructions.errors import InstructionError

Size = tuple[int, int]
"""Height and width in pixels."""


def rewrite_sizes(path: Path, sizes: Mapping[int, Size], cut: int = 0) -> bytes:
    """The network with other sizes.

    Args:
        path: TFLite file whose resizings are all to fixed squares.
        sizes: By the side of such a square, the size in its place.
        cut: Resizings at the end that are left out.

    Raises:
        InstructionError: If the file is another network.
    """
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    model: Any = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)  # its generated types make all optional
    graph, kind = model.subgraphs[0], schema.BuiltinOperator
    codes = [max(one.builtinCode, one.deprecatedBuiltinCode) for one in model.operatorCodes]
    kept = graph.operators[: len(graph.operators) - cut]
    if len(model.subgraphs) != 1 or any(
        codes[operator.opcodeIndex] != kind.RESIZE_BILINEAR for operator in graph.operators[len(kept) :]
    ):
        raise InstructionError(f"{path}: need one graph that ends with {cut} resizings")
    if cut:
        graph.outputs = [graph.operators[len(kept)].inputs[0]]
        graph.operators = kept
    resizings = [one for one in kept if codes[one.opcodeIndex] == kind.RESIZE_BILINEAR]
    for number in sorted({graph.tensors[one.inputs[1]].buffer for one in resizings}):
        side, *other = np.frombuffer(bytes(model.buffers[number].data), dtype="<i4").tolist()
        if other != [side] or side not in sizes:
            raise InstructionError(f"{path}: resizes to {side}, need one of {sorted(sizes)}; it is another network")
        model.buffers[number].data = np.frombuffer(np.array(sizes[side], dtype="<i4").tobytes(), dtype=np.uint8)
    for one in kept:
        pool = one.builtinOptions
        if codes[one.opcodeIndex] == kind.AVERAGE_POOL_2D and pool.filterHeight in sizes:
            pool.filterHeight, pool.filterWidth = pool.strideH, pool.strideW = sizes[pool.filterHeight]
    builder = flatbuffers.Builder(0)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
