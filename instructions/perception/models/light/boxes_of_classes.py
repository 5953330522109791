"""Raw boxes of a detector as found things: doubles dropped, coordinates of the picture, our words."""

from __future__ import annotations

from collections.abc import Collection

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import FoundBox
from instructions.perception.models.light.labels import coco_words


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
