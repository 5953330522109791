"""Boxes of one picture that mean one thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from instructions.facts.overlap import box_iou
from instructions.perception.interfaces import FoundBox


def drop_doubles(boxes: Sequence[FoundBox], max_overlap: float) -> list[FoundBox]:
    """Boxes best first, without those that overlap a better one by more than `max_overlap`, whatever their labels.

    Two names for one box (chair, armchair) are one thing: the surer name stays, and the other is kept in `also`.
    """
    kept: list[FoundBox] = []
    for box in sorted(boxes, key=lambda one: -one.score):
        overlaps = [box_iou(box.box_xyxy, other.box_xyxy) for other in kept]
        most = max(range(len(kept)), key=overlaps.__getitem__, default=0)
        if not kept or overlaps[most] <= max_overlap:
            kept.append(box)
        else:
            kept[most] = _add_words(kept[most], box)
    return kept


def _add_words(box: FoundBox, other: FoundBox) -> FoundBox:
    """The box with what the other one was called besides, each word with its best score."""
    words = dict(box.also)
    for word, score in ((other.label, other.score), *other.also):
        if word != box.label:
            words[word] = max(score, words.get(word, 0.0))
    return replace(box, also=tuple(sorted(words.items(), key=lambda one: (-one[1], one[0]))))
