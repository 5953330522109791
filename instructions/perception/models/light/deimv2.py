"""Detection with DEIMv2, a transformer that gives each thing once, nearly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.perception.interfaces import FoundBox, RgbImage
from instructions.perception.models.light.boxes_of_classes import name_boxes, suppress_doubles
from instructions.perception.models.light.letterbox import letterbox
from instructions.perception.models.light.runtimes import load_onnx

_GREY = 114
_MAX_OVERLAP = 0.7
"""Twins of one class overlap more; two chairs pushed together do not."""


class Deimv2:
    """Boxes of COCO's classes, in our words. The input is RGB from 0 to 1."""

    def __init__(self, path: Path, threshold: float) -> None:
        """Load the network; `threshold` is the least score of a box.

        Raises:
            InstructionError: If it cannot be loaded or is no DEIMv2.
        """
        self._session = load_onnx(path)
        self._threshold = threshold
        shapes = {entry.name: entry.shape for entry in self._session.get_inputs()}
        if set(shapes) != {"images", "orig_target_sizes"} or not all(isinstance(n, int) for n in shapes["images"][2:]):
            raise InstructionError(f"{path}: inputs {sorted(shapes)} are no DEIMv2, need images and orig_target_sizes")
        self._height, self._width = (int(side) for side in shapes["images"][2:])

    def detect(self, images: Sequence[RgbImage], labels: Sequence[Sequence[str]]) -> list[list[FoundBox]]:
        """See `ObjectDetector`."""
        return [
            name_boxes(*self.find(image), image.shape, wanted) for image, wanted in zip(images, labels, strict=True)
        ]

    def find(self, image: RgbImage) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Boxes (N, 4) in pixels of the picture, scores (N,) and COCO's class ids (N,), best first."""
        boxed = letterbox(image, self._height, self._width, _GREY)
        given = {
            "images": boxed.image.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255),
            "orig_target_sizes": np.array([[self._width, self._height]], dtype=np.int64),
        }
        labels, boxes, scores = self._session.run(["labels", "boxes", "scores"], given)
        rows = np.flatnonzero(scores[0] >= self._threshold)
        boxes, scores = boxes[0][rows].astype(np.float64), scores[0][rows].astype(np.float64)
        classes = labels[0][rows].astype(np.int64)
        kept = suppress_doubles(boxes, scores, classes, _MAX_OVERLAP)
        return boxes[kept] / boxed.scale, scores[kept], classes[kept]
