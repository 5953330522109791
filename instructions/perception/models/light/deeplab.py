"""Segmentation with DeepLab v3 on MobileNet v2: what every pixel belongs to, by the 150 classes of ADE20K.

The published file takes 513 x 513 pixels, part of them padding, and grows its scores to all of them. Here it is given
the shape of the pictures, as MOSAIC is (`mosaic_shape`), and its last two resizings are left out: the map of scores has
one place for four pixels of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.labels import ade150_words
from instructions.perception.models.light.letterbox import letterbox
from instructions.perception.models.light.runtimes import ShapedNetworks

_SIDE_PX = 513
"""Side of the square that the file was made for."""
_STEP_PX = 32
"""Inputs are one pixel more than a multiple of this: a map of an eighth, one more than a multiple of four, whose
paddings before dilated layers then stay as they are written down."""
_GREY = 127
_RESIZES_CUT = 2


class Deeplab:
    """A map of class ids per picture, with one place for four pixels of what the network sees; 0 where it is unsure."""

    def __init__(self, path: Path, threshold: float, side_px: int = _SIDE_PX) -> None:
        """Take the file; the network is loaded for the first picture of each shape.

        Args:
            path: TFLite file.
            threshold: A place whose best class has less probability is 0, no class.
            side_px: What the longer side of a picture is brought to, one more than a multiple of `_STEP_PX`.
        """
        self._threshold = threshold
        self._side_px = side_px
        self._networks = ShapedNetworks(path, reshape_deeplab)
        self._is_indoors = np.array([bool(word) for word in ade150_words()])

    def segment(self, images: Sequence[RgbImage]) -> list[NDArray[np.uint8]]:
        """See `Segmenter`.

        Raises:
            InstructionError: If the network cannot be loaded.
        """
        return [self._segment(image) for image in images]

    def _segment(self, image: RgbImage) -> NDArray[np.uint8]:
        longest = max(image.shape[:2])
        height, width = (
            -(-round(side * (self._side_px - 1) / longest) // _STEP_PX) * _STEP_PX + 1 for side in image.shape[:2]
        )
        network = self._networks.load(height, width)
        boxed = letterbox(image, height, width, _GREY)
        network.set_tensor(network.get_input_details()[0]["index"], boxed.image[None].astype(np.float32) / 127.5 - 1.0)
        network.invoke()
        rows, columns = (-(-side // 4) for side in boxed.content)
        scores = network.get_tensor(network.get_output_details()[0]["index"])[0][:rows, :columns, self._is_indoors]
        classes = np.flatnonzero(self._is_indoors)[scores.argmax(axis=-1)]
        best = scores.max(axis=-1, keepdims=True)
        is_sure = np.exp(scores - best).sum(axis=-1) <= 1.0 / self._threshold
        return np.where(is_sure, classes, 0).astype(np.uint8)


def reshape_deeplab(path: Path, height: int, width: int) -> bytes:
    """The network for another size of input, which ends with its scores at a quarter of that size.

    Args:
        path: TFLite file whose resizings are all to fixed sizes.
        height: Of the input in pixels, one more than a multiple of `_STEP_PX`.
        width: The same.

    Raises:
        InstructionError: If the file is no such network.
    """
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    model: Any = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)  # its generated types make all optional
    graph = model.subgraphs[0]
    codes = [max(one.builtinCode, one.deprecatedBuiltinCode) for one in model.operatorCodes]
    kind = schema.BuiltinOperator
    if (
        len(model.subgraphs) != 1
        or [codes[one.opcodeIndex] for one in graph.operators[-_RESIZES_CUT:]] != [kind.RESIZE_BILINEAR] * _RESIZES_CUT
    ):
        raise InstructionError(f"{path}: need one graph that ends with {_RESIZES_CUT} resizings, as DeepLab's does")
    graph.outputs = [graph.operators[-_RESIZES_CUT].inputs[0]]
    graph.operators = graph.operators[:-_RESIZES_CUT]
    eighth = ((height - 1) // 8 + 1, (width - 1) // 8 + 1)
    sizes = {65: eighth, 129: (2 * eighth[0] - 1, 2 * eighth[1] - 1)}
    resizings = [one for one in graph.operators if codes[one.opcodeIndex] == kind.RESIZE_BILINEAR]
    for number in sorted({graph.tensors[one.inputs[1]].buffer for one in resizings}):
        size = np.frombuffer(bytes(model.buffers[number].data), dtype="<i4").tolist()
        if len(set(size)) != 1 or size[0] not in sizes:
            raise InstructionError(f"{path}: resizes to {size}, which no DeepLab of {_SIDE_PX} pixels does")
        model.buffers[number].data = np.frombuffer(np.array(sizes[size[0]], dtype="<i4").tobytes(), dtype=np.uint8)
    for one in graph.operators:
        if codes[one.opcodeIndex] == kind.AVERAGE_POOL_2D:  # over the whole picture
            pool = one.builtinOptions
            pool.filterHeight, pool.filterWidth = eighth
            pool.strideH, pool.strideW = eighth
    builder = flatbuffers.Builder(0)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
