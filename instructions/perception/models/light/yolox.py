"""Detection with YOLOX of any size: its raw output decoded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.boxes_of_classes import ClassBoxes, CocoDetector
from instructions.perception.models.light.runtimes import load_onnx

_STRIDES = (8, 16, 32)


class Yolox(CocoDetector):
    """The input is BGR from 0 to 255, as since release 0.1.1."""

    max_overlap = 0.5
    """Its authors use 0.45 to 0.65."""

    def __init__(self, path: Path, threshold: float) -> None:
        """Load the network; `threshold` is the least score of a box.

        Raises:
            InstructionError: If it cannot be loaded or is no YOLOX.
        """
        self._session = load_onnx(path)
        self._threshold = threshold
        (entry, *_) = self._session.get_inputs()
        shape = entry.shape
        if len(shape) != 4 or not all(isinstance(side, int) and side % _STRIDES[-1] == 0 for side in shape[2:]):
            raise InstructionError(f"{path}: input {shape} is no YOLOX, need (1, 3, height, width) of multiples of 32")
        self._input = entry.name
        self.size = (shape[2], shape[3])

    def _run(self, image: RgbImage) -> ClassBoxes:
        bgr = image[:, :, ::-1].transpose(2, 0, 1)[None].astype(np.float32)
        (raw,) = self._session.run(None, {self._input: bgr})
        return decode_yolox(raw[0], *self.size, self._threshold)


def decode_yolox(raw: NDArray[np.float32], height: int, width: int, threshold: float) -> ClassBoxes:
    """Boxes of the raw output, in pixels of the input.

    Args:
        raw: (cells, 5 + classes): place in the cell, logarithm of the size, objectness, class scores; cells row by
            row, of stride 8, then 16, then 32.
        height: Of the input in pixels.
        width: Of the input in pixels.
        threshold: Least objectness times class score.
    """
    corners, strides = [], []
    for stride in _STRIDES:
        x, y = np.meshgrid(np.arange(width // stride), np.arange(height // stride))
        corners.append(np.column_stack([x.ravel(), y.ravel()]))
        strides.append(np.full(x.size, stride))
    scores = raw[:, 4:5] * raw[:, 5:]
    classes = scores.argmax(axis=1)
    best = scores[np.arange(len(raw)), classes]
    rows = np.flatnonzero(best >= threshold)
    stride = np.concatenate(strides)[rows, None]
    center = (raw[rows, :2] + np.concatenate(corners)[rows]) * stride
    half = np.exp(raw[rows, 2:4].astype(np.float64)) * stride / 2
    boxes = np.concatenate([center - half, center + half], axis=1).astype(np.float64)
    return boxes, best[rows].astype(np.float64), classes[rows].astype(np.int64)
