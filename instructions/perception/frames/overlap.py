"""Overlap of boxes in an image."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from instructions.perception.interfaces import FoundBox
from instructions.records import Box


def box_iou(a: Box, b: Box) -> float:
    """Intersection over union of two boxes; 0 for boxes without area."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


def measure_contained_share(a: Box, b: Box) -> float:
    """Share of the smaller of two boxes that lies in the other one."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    smaller = min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
    return width * height / smaller if width > 0 and height > 0 and smaller > 0 else 0.0


def drop_doubles(boxes: Sequence[FoundBox], max_overlap: float) -> list[FoundBox]:
    """Boxes best first, without those that overlap a better one by more than `max_overlap`, whatever their labels.

    Two names for one box (chair, armchair) are one thing, and the surer name stays.
    """
    kept: list[FoundBox] = []
    for box in sorted(boxes, key=lambda one: -one.score):
        if all(box_iou(box.box_xyxy, other.box_xyxy) <= max_overlap for other in kept):
            kept.append(box)
    return kept


def drop_parts(boxes: Sequence[FoundBox], kind_of: Callable[[str], str], most_contained: float) -> list[FoundBox]:
    """Boxes best first, without those of which more than `most_contained` lies in a better one of their kind.

    A detector that boxes a sofa and its arm, or a sofa seen once whole and once as a segment, means one sofa.
    """
    kept: list[FoundBox] = []
    for box in sorted(boxes, key=lambda one: -one.score):
        kind = kind_of(box.label)
        if all(
            kind_of(other.label) != kind or measure_contained_share(box.box_xyxy, other.box_xyxy) <= most_contained
            for other in kept
        ):
            kept.append(box)
    return kept
