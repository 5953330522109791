"""A detector and two segmenters on one picture: a box that a segmenter sees too is believed, another one less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from instructions.perception.frames.segments import SegmentMap, classes_of_kind
from instructions.perception.interfaces import FoundBox
from instructions.perception.models.light.labels import head_of

CONFIRMED = 0.3
"""Share of a box that a segmenter gives a word of its kind, to confirm it: a chair leaves much of its box to others."""
ALONE = 0.5
"""Factor on the score of a box that no segmenter confirms: nearly all false things are found by one network alone. A
sure one still stays above the threshold, and has to last over several frames."""


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
