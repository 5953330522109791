"""What holds a thing: floor, wall, another thing or the ceiling, by its height and by what pictures show under it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from instructions.perception.frames.segments import SegmentMap
from instructions.perception.models.light.labels import ade_words, words
from instructions.perception.things.clues import SegmentsOf
from instructions.perception.things.lift import Lifted
from instructions.perception.things.plausible import Measures
from instructions.records import Box, Detection, SceneObject, Support

_FLOOR_M = 0.15
"""What begins lower than this above the floor stands on it; feet and depth make up for as much."""
_CLEAR_M = 0.35
"""What begins higher than this does not stand on the floor, whatever the pictures show under it: legs are often
lost."""
_OVERHEAD_M = 1.7
"""What begins higher than this and has ceiling above it hangs from there."""
_STRIP = 0.12
"""Height of the strip under (over) a box that is looked at, as a share of the box's height ..."""
_LEAST_STRIP_PX = 6.0
"""... and at least this."""
_MAIN_SHARE = 0.5
"""Share of a strip that one kind of thing fills, to be what is there."""
_LEAST_VIEWS = 2
"""Views that agree; one may be wrong."""
_REACH_M = 0.2
"""A thing rests on another if it begins within this of that one's top and over it."""


def find_support(
    members: Sequence[Lifted], detections: Sequence[Detection], found: Measures, segments_of: SegmentsOf
) -> Support | None:
    """What holds a thing, None where neither its height nor the pictures tell.

    Args:
        members: The thing's detections in the world.
        detections: All detections; `Lifted.row` points into them.
        found: The thing's measures.
        segments_of: Gives a frame's segments.
    """
    if found.bottom_m is not None and found.bottom_m <= _FLOOR_M:
        return "floor"
    under: Counter[str] = Counter()
    over: Counter[str] = Counter()
    for one in members:
        segments = segments_of(one.frame)
        if segments is None:
            continue
        x0, y0, x1, y1 = detections[one.row].box_xyxy
        strip = max(_LEAST_STRIP_PX, _STRIP * (y1 - y0))
        under[_find_main((x0, y1, x1, y1 + strip), segments) or ""] += 1
        over[_find_main((x0, y0 - strip, x1, y0), segments) or ""] += 1
    known = {word: count for word, count in under.items() if word}
    main = max(sorted(known), key=lambda word: known[word], default="")
    if not main or known[main] < max(_LEAST_VIEWS, _MAIN_SHARE * sum(known.values())):
        main = ""
    is_high = found.bottom_m is not None and found.bottom_m > _CLEAR_M
    if found.bottom_m is not None and found.bottom_m > _OVERHEAD_M and over["ceiling"] >= _LEAST_VIEWS:
        return "ceiling"
    if main == "floor":
        return None if is_high else "floor"  # high above a floor that is far behind it
    if main == "wall":
        return "wall" if is_high or found.bottom_m is None else None
    return None  # what shows under it may hold it or stand before it: boxes tell (`find_what_it_rests_on`)


def find_what_it_rests_on(things: Sequence[SceneObject], metre: float) -> list[SceneObject]:
    """Fill support and `rests_on` of what stands on another thing.

    Args:
        things: Of one model.
        metre: Length of a (nominal) metre in the model's unit.
    """
    return [_rest(one, things, metre) if one.support is None else one for one in things]


def _rest(thing: SceneObject, others: Sequence[SceneObject], metre: float) -> SceneObject:
    bottom = thing.obb.center[2] - thing.obb.half_extents[2]
    under = [
        (abs(_top(other) - bottom), other.id)
        for other in others
        if other.id != thing.id
        and (word := words().get(other.category or "")) is not None
        and word.role == "furniture"
        and abs(_top(other) - bottom) <= _REACH_M * metre
        and _stands_over(thing, other)
    ]
    return replace(thing, support="thing", rests_on=min(under)[1]) if under else thing


def _top(thing: SceneObject) -> float:
    return thing.obb.center[2] + thing.obb.half_extents[2]


def _stands_over(thing: SceneObject, other: SceneObject) -> bool:
    """Whether the middle of the thing lies over the other, which is the longer one."""
    local = (np.array(thing.obb.center) - np.array(other.obb.center)) @ np.array(other.obb.rotation)
    is_over = bool(np.all(np.abs(local[:2]) <= np.array(other.obb.half_extents[:2])))
    return is_over and max(other.obb.half_extents[:2]) > max(thing.obb.half_extents[:2])


def _find_main(box_xyxy: Box, segments: SegmentMap) -> str | None:
    """The word that fills most of a part of the picture; None if none does, or the part lies outside."""
    x0, y0, x1, y1 = box_xyxy
    if y1 > segments.height or y0 < 0:
        return None
    inside = segments.inside((x0, y0, x1, y1))
    if not inside.size:
        return None
    counts = np.bincount(inside.ravel())
    main = int(counts.argmax())
    return ade_words()[main] or None if counts[main] >= _MAIN_SHARE * inside.size else None
