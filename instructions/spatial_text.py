"""Where an object is in a frame, in the words and by the rules of RoomTour3D (CVPR 2025).

Side: by the x of the box centre; leftmost 30 % of the image, middle 40 %, rightmost 30 %. Range: the nearest 30 % of
the frame's depths, the next 40 %, the furthest 30 %; an object is in every range that holds more than 30 % of it.
Values exactly on a border of the image belong to the middle, depths exactly on a border to the nearer range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from instructions.records import Observation, Range, SceneObject, Side, SpatialLine

SIDES: tuple[Side, ...] = ("left", "middle", "right")
RANGES: tuple[Range, ...] = ("near", "closer", "further")
SIDE_PHRASES: dict[Side, str] = {
    "left": "to the left of the current spot",
    "middle": "in the middle",
    "right": "to the right of the current spot",
}
RANGE_PHRASES: dict[Range, str] = {
    "near": "in the near distance",
    "closer": "in closer distance",
    "further": "in a further distance",
}
NEAR_SHARE, MIDDLE_SHARE = 0.30, 0.40
OVERLAP_SHARE = 0.30


def side_of_box(box_xyxy: Sequence[float], width: float) -> Side:
    """Side of the image that the centre of a box lies on."""
    at = 0.5 * (box_xyxy[0] + box_xyxy[2]) / width
    if at < NEAR_SHARE:
        return "left"
    return "right" if at > NEAR_SHARE + MIDDLE_SHARE else "middle"


def range_limits(depths: ArrayLike) -> tuple[float, float] | None:
    """Depths that end the near and the closer range of a frame; NaN is left out, None if nothing is known."""
    known = np.asarray(depths, dtype=np.float64)
    known = known[np.isfinite(known)]
    if len(known) == 0:
        return None
    near, closer = np.quantile(known, [NEAR_SHARE, NEAR_SHARE + MIDDLE_SHARE])
    return float(near), float(closer)


def ranges_of(depths: ArrayLike, limits: tuple[float, float] | None) -> tuple[Range, ...]:
    """Ranges that hold more than 30 % of an object.

    Args:
        depths: Depths of the object's pixels or points in this frame; NaN is left out.
        limits: From `range_limits` of the same frame.

    Returns:
        One or more ranges, nearest first; none if no depth is known.
    """
    known = np.asarray(depths, dtype=np.float64)
    known = known[np.isfinite(known)]
    if len(known) == 0 or limits is None:
        return ()
    counts = np.bincount(np.searchsorted(limits, known, side="left"), minlength=3)
    return tuple(name for name, count in zip(RANGES, counts, strict=True) if count / len(known) > OVERLAP_SHARE)


def describe_frame(
    frame: int, observations: Sequence[Observation], objects: Mapping[str, SceneObject], room: str | None = None
) -> SpatialLine:
    """One structured line: the room if it is known, then the objects by side and range.

    Args:
        frame: Frame index.
        observations: Those of other frames and of unknown objects are left out.
        objects: By id.
        room: Room label.

    Returns:
        `Kitchen. To the left of the current spot: a tall red object in the near distance. In the middle: ...`; sides
        from left to right, objects of a side from near to far.
    """
    seen = [seen for seen in observations if seen.frame == frame and seen.object in objects]
    parts = [f"{room[:1].upper()}{room[1:]}."] if room else []
    for side in SIDES:
        here = sorted((one for one in seen if side in one.sides), key=lambda one: (one.depth, one.object))
        phrases = [_with_ranges(objects[one.object], one.ranges) for one in here]
        if phrases:
            phrase = SIDE_PHRASES[side]
            parts.append(f"{phrase[0].upper()}{phrase[1:]}: {'; '.join(phrases)}.")
    if not seen:
        parts.append("No object stands out.")
    return SpatialLine(frame, room, " ".join(parts))


def with_article(noun: str) -> str:
    """`a large object`, `an orange object`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _with_ranges(thing: SceneObject, ranges: Sequence[Range]) -> str:
    places = " and ".join(RANGE_PHRASES[name] for name in RANGES if name in ranges)
    return f"{with_article(thing.alias)} {places}".rstrip()
