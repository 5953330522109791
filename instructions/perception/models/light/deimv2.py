"""Detection with DEIMv2, a transformer that gives each thing once, nearly."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from instructions.errors import InstructionError
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.boxes_of_classes import ClassBoxes, CocoDetector
from instructions.perception.models.light.runtimes import load_onnx


class Deimv2(CocoDetector):
    """The input is RGB from 0 to 1."""

    max_overlap = 0.7
    """Twins of one class overlap more; two chairs pushed together do not."""

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
        height, width = shapes["images"][2:]
        self.size = (height, width)

    def _run(self, image: RgbImage) -> ClassBoxes:
        given = {
            "images": image.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255),
            "orig_target_sizes": np.array([self.size[::-1]], dtype=np.int64),
        }
        labels, boxes, scores = self._session.run(["labels", "boxes", "scores"], given)
        rows = np.flatnonzero(scores[0] >= self._threshold)
        return boxes[0][rows].astype(np.float64), scores[0][rows].astype(np.float64), labels[0][rows].astype(np.int64)
