"""Segments of a picture: classes of places, boxes of what hangs together, and which boxes they confirm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import FoundBox
from instructions.perception.models.light.labels import Word, ade_words, head_of, words
from instructions.records import Box

_SURE_AREA = 0.06
"""Share of the picture from which on size says nothing more for a component."""
_BEST_SCORE = 0.7
"""Of a large, solid component: the network gives no scores, and every tenth of these is wrong."""
_SAME_THING = 0.5
"""A component of which this share lies in detected boxes of its word (or of one of its head) is told already."""
_PART = 0.8
"""The same for the boxes of other solid things: the arm of a sofa is called a cabinet."""

CONFIRMED = 0.3
"""Share of a box that a segmenter gives a word of its kind, to confirm it: a chair leaves much of its box to others."""
ALONE = 0.5
"""Factor on the score of a box that no segmenter confirms: nearly all false things are found by one network alone. A
sure one still stays above the threshold, and has to last over several frames."""


@dataclass(frozen=True, eq=False)
class SegmentMap:
    """Class ids over a picture."""

    classes: NDArray[np.uint8]  # (h, w), coarser than the picture
    width: int
    height: int
    """Of the picture in pixels."""
    vocabulary: tuple[str, ...] = field(default_factory=ade_words)
    """Our word for each class id: the segmenter's, or those of the one that looks closely."""

    def at(self, pixels: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Classes at pixels (N, 2) of the picture; those outside take the class of its edge."""
        rows, columns = self.classes.shape
        x = np.clip(pixels[:, 0] * columns / self.width, 0, columns - 1).astype(np.int64)
        y = np.clip(pixels[:, 1] * rows / self.height, 0, rows - 1).astype(np.int64)
        return self.classes[y, x]

    def inside(self, box_xyxy: Box) -> NDArray[np.uint8]:
        """Classes of the cells in a box of the picture, (rows, columns); at least one cell of a box that lies in it."""
        rows, columns = self.classes.shape
        x0, y0, x1, y1 = box_xyxy
        left, top = max(0, int(x0 * columns / self.width)), max(0, int(y0 * rows / self.height))
        right, bottom = int(np.ceil(x1 * columns / self.width)), int(np.ceil(y1 * rows / self.height))
        return self.classes[top : max(bottom, 0), left : max(right, 0)]


@cache
def classes_of_kind(head: str, vocabulary: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which class ids, (256,), mean a thing of this head word."""
    table = np.zeros(256, dtype=np.bool_)
    table[[number for number, word in enumerate(vocabulary) if word and head_of(word) == head]] = True
    return table


def boxes_of_segments(segments: SegmentMap, found: Sequence[FoundBox], least_area: float) -> list[FoundBox]:
    """Boxes of the components of all but wall, floor and ceiling, best first.

    Args:
        segments: Of one picture.
        found: What detectors found in it; a component that such a box of its word covers is not told twice.
        least_area: Least share of the picture.

    Returns:
        Boxes in pixels of the picture. The score grows with area and solidity, up to 0.7.
    """
    rows, columns = segments.classes.shape
    known = words()
    scale = (segments.width / columns, segments.height / rows)
    boxes: list[FoundBox] = []
    for number in np.unique(segments.classes).tolist():
        word = known.get(segments.vocabulary[number]) if number < len(segments.vocabulary) else None
        if word is None or word.role == "surface":
            continue
        count, labels, stats, _ = cv2.connectedComponentsWithStats((segments.classes == number).astype(np.uint8))
        for component in range(1, count):
            x, y, width, height, area = (int(value) for value in stats[component])
            if area < least_area * rows * columns:
                continue
            mask = labels[y : y + height, x : x + width] == component
            solidity = area / _measure_hull_area(mask)
            if _is_told(mask, x, y, word, found, scale):
                continue
            score = _BEST_SCORE * solidity * min(1.0, np.sqrt(area / (_SURE_AREA * rows * columns)))
            box = (x * scale[0], y * scale[1], (x + width) * scale[0], (y + height) * scale[1])
            boxes.append(FoundBox(word.name, float(score), box, is_region=True))
    return sorted(boxes, key=lambda one: (-one.score, one.label, one.box_xyxy))


def weigh_boxes(found: Sequence[FoundBox], maps: Sequence[SegmentMap]) -> list[FoundBox]:
    """Boxes of one picture, best first; those that no segmenter confirms with `ALONE` times their score."""
    weighed = [
        one if any(_confirms(segments, one) for segments in maps) else replace(one, score=one.score * ALONE)
        for one in found
    ]
    return sorted(weighed, key=lambda one: (-one.score, one.label, one.box_xyxy))


def _confirms(segments: SegmentMap, box: FoundBox) -> bool:
    inside = classes_of_kind(head_of(box.label), segments.vocabulary)[segments.inside(box.box_xyxy)]
    return bool(inside.size) and float(inside.mean()) >= CONFIRMED


def _measure_hull_area(mask: NDArray[np.bool_]) -> float:
    """Cells inside the convex hull of the cells of a mask, their corners included."""
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros(mask.shape, dtype=np.uint8)
    cv2.fillConvexPoly(filled, cv2.convexHull(np.concatenate(contours)), 1)
    return float(filled.sum())


def _is_told(
    mask: NDArray[np.bool_], x: int, y: int, word: Word, found: Sequence[FoundBox], scale: tuple[float, float]
) -> bool:
    """Whether detected boxes of the word's head, or of solid things, cover a component that begins at (x, y)."""
    same, solid = np.zeros_like(mask), np.zeros_like(mask)
    known = words()
    for box in found:
        x0, y0, x1, y1 = box.box_xyxy
        left, right = max(0, round(x0 / scale[0]) - x), max(0, round(x1 / scale[0]) - x)
        top, bottom = max(0, round(y0 / scale[1]) - y), max(0, round(y1 / scale[1]) - y)
        if head_of(box.label) == word.head:
            same[top:bottom, left:right] = True
        elif box.label in known and known[box.label].is_solid:
            solid[top:bottom, left:right] = True
    return float(same[mask].mean()) >= _SAME_THING or float(solid[mask].mean()) >= _PART
