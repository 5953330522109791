"""Two detectors on one picture: what both find is believed, what one finds alone is believed less."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.facts.overlap import box_iou
from instructions.perception.interfaces import FoundBox

AGREED_OVERLAP = 0.5
"""Boxes of one word that overlap more (intersection over union) are one finding."""
ALONE = 0.5
"""Factor on the score of what only one of them found. Over 24 frames of each of eight tours nearly all false things
were found by one detector alone; a sure one still stays above the threshold, and has to last over several frames."""


def agree(first: Sequence[FoundBox], second: Sequence[FoundBox]) -> list[FoundBox]:
    """Findings of both detectors, best first.

    A pair of one word that overlaps by more than `AGREED_OVERLAP` becomes one finding: box and score of the surer of
    the two. Every other box stays with its score times `ALONE`. A box is in at most one pair; the best overlaps pair
    first.
    """
    pairs = sorted(
        (
            (box_iou(one.box_xyxy, other.box_xyxy), i, j)
            for i, one in enumerate(first)
            for j, other in enumerate(second)
            if one.label == other.label
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    used_first: set[int] = set()
    used_second: set[int] = set()
    found: list[FoundBox] = []
    for overlap, i, j in pairs:
        if overlap > AGREED_OVERLAP and i not in used_first and j not in used_second:
            used_first.add(i)
            used_second.add(j)
            found.append(max(first[i], second[j], key=lambda one: one.score))
    alone = [one for i, one in enumerate(first) if i not in used_first]
    alone += [one for j, one in enumerate(second) if j not in used_second]
    found += [FoundBox(one.label, one.score * ALONE, one.box_xyxy) for one in alone]
    return sorted(found, key=lambda one: (-one.score, one.label, one.box_xyxy))
