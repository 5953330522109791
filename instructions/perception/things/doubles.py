"""Joined things that are one: the same word at the same place.

Boxes made from points of the reconstruction reach as far as its points do, so that two views of one sofa overlap
little. What the pictures say then decides: two things that one frame shows beside each other are two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from instructions.facts.overlap import measure_contained_share
from instructions.perception.things.join import Joined
from instructions.records import Box, Detection
from recon.geometry import Array

_SHARED = 0.45
"""Share of the smaller thing's box that lies in the other's."""
_MARGIN_M = 0.10
"""Boxes are widened by this: a door has hardly any depth."""
_BESIDE = 0.30
"""Boxes of one picture that share less than this of the smaller one lie beside each other ..."""
_TOLD_APART = 0.40
"""... and if this share of the pictures with both show them so, they are two things."""


def join_doubles(things: Sequence[Joined], detections: Sequence[Detection], metre: float) -> list[Joined]:
    """Join things of one model that are one.

    Args:
        things: With a category each that is the head of its word.
        detections: All detections; `Lifted.row` points into them.
        metre: Length of a (nominal) metre in the model's unit.

    Returns:
        Things in order of their first detection.
    """
    groups = list(things)
    boxes = {thing: _box(thing, metre) for thing in groups}
    while True:
        pair = _most_shared(groups, [boxes[thing] for thing in groups], detections)
        if pair is None:
            return sorted(groups, key=lambda thing: (thing.members[0].frame, thing.members[0].row))
        one, other = groups[pair[0]], groups[pair[1]]
        members = tuple(sorted((*one.members, *other.members), key=lambda member: (member.frame, member.row)))
        groups = [thing for thing in groups if thing is not one and thing is not other]
        groups.append(Joined(one.category, members))
        boxes[groups[-1]] = _box(groups[-1], metre)


def _most_shared(
    groups: Sequence[Joined], boxes_of: Sequence[Array], detections: Sequence[Detection]
) -> tuple[int, int] | None:
    """The pair that overlaps most of those that may be one thing; None if there is none."""
    if len(groups) < 2:
        return None
    boxes = np.array(boxes_of)  # (N, 2, 3)
    low = np.maximum(boxes[:, None, 0], boxes[None, :, 0])
    high = np.minimum(boxes[:, None, 1], boxes[None, :, 1])
    volumes = np.prod(boxes[:, 1] - boxes[:, 0], axis=1)
    shared = np.prod(np.maximum(high - low, 0.0), axis=2) / np.minimum(volumes[:, None], volumes[None])
    order = np.dstack(np.unravel_index(np.argsort(-shared, axis=None, kind="stable"), shared.shape))[0]
    for i, j in order.tolist():
        if shared[i, j] < _SHARED:
            return None
        one, other = groups[i], groups[j]
        if i < j and one.category == other.category and not _are_told_apart(one, other, detections):
            return i, j
    return None


def _box(thing: Joined, metre: float) -> Array:
    points = np.concatenate([one.points for one in thing.members])
    low, high = np.percentile(points, [8, 92], axis=0)
    return np.stack([low - _MARGIN_M * metre, high + _MARGIN_M * metre])


def _are_told_apart(one: Joined, other: Joined, detections: Sequence[Detection]) -> bool:
    """Whether the pictures that show both show them beside each other."""
    of_frame: dict[int, list[Box]] = {}
    for member in other.members:
        of_frame.setdefault(member.frame, []).append(detections[member.row].box_xyxy)
    beside: dict[int, bool] = {}
    for member in one.members:
        for box in of_frame.get(member.frame, ()):
            is_beside = measure_contained_share(detections[member.row].box_xyxy, box) < _BESIDE
            beside[member.frame] = beside.get(member.frame, True) and is_beside
    return bool(beside) and sum(beside.values()) >= _TOLD_APART * len(beside)
