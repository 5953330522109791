"""Detectors of COCO's classes: raw boxes as found things, doubles dropped, in pixels of the picture and our words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import FoundBox, RgbImage
from instructions.perception.models.light.labels import coco_words
from instructions.perception.models.light.letterbox import letterbox

_GRAY = 114
ClassBoxes = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]
"""Boxes (N, 4) as x0 y0 x1 y1 in pixels, scores (N,) and COCO's class ids (N,)."""


class CocoDetector(ABC):
    """Boxes of COCO's classes, in our words. A kind of network tells how its input is made and its output read."""

    max_overlap: float
    """Of two boxes of one class that overlap more the better one stays."""
    size: tuple[int, int]
    """Height and width of the input."""

    def detect(self, images: Sequence[RgbImage], labels: Sequence[Collection[str]]) -> list[list[FoundBox]]:
        """See `ObjectDetector`."""
        return [
            name_boxes(*self.find(image), image.shape, wanted) for image, wanted in zip(images, labels, strict=True)
        ]

    def find(self, image: RgbImage) -> ClassBoxes:
        """Boxes in pixels of the picture, best first."""
        boxed = letterbox(image, *self.size, _GRAY)
        boxes, scores, classes = self._run(boxed.image)
        rows = suppress_doubles(boxes, scores, classes, self.max_overlap)
        return boxes[rows] / boxed.scale, scores[rows], classes[rows]

    @abstractmethod
    def _run(self, image: RgbImage) -> ClassBoxes:
        """Boxes of a picture of the input's size, in its pixels, doubles among them."""


def suppress_doubles(
    boxes_xyxy: NDArray[np.float64], scores: NDArray[np.float64], classes: NDArray[np.int64], max_overlap: float
) -> list[int]:
    """Rows to keep, best first: of two boxes of one class that overlap by more than `max_overlap` the better one.

    Args:
        boxes_xyxy: (N, 4).
        scores: (N,).
        classes: (N,); boxes of different classes never suppress each other.
        max_overlap: Intersection over union.
    """
    sides = np.hstack([boxes_xyxy[:, :2], boxes_xyxy[:, 2:] - boxes_xyxy[:, :2]])
    rows = cv2.dnn.NMSBoxesBatched(sides.tolist(), scores.tolist(), classes.tolist(), 0.0, max_overlap)
    return [int(row) for row in rows]


def name_boxes(
    boxes_xyxy: NDArray[np.float64],
    scores: NDArray[np.float64],
    classes: NDArray[np.int64],
    shape: tuple[int, ...],
    wanted: Collection[str],
) -> list[FoundBox]:
    """Boxes in pixels of the picture, clipped to it, with our words; what is not wanted or has no area is left out."""
    height, width = shape[:2]
    clipped = np.clip(boxes_xyxy, 0.0, [width, height, width, height])
    known = coco_words()
    found: list[FoundBox] = []
    for (x0, y0, x1, y1), score, number in zip(clipped.tolist(), scores.tolist(), classes.tolist(), strict=True):
        word = known[number] if 0 <= number < len(known) else ""
        if word in wanted and word and x1 - x0 >= 1.0 and y1 - y0 >= 1.0:
            found.append(FoundBox(word, score, (x0, y0, x1, y1)))
    return found
