"""What a claim says of a place of the walk: what is on a side or ahead, how far, which room, and how long the way is.

Judged from the frames a claim names, by bars of the judge's own, with what perception measured of single frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product

import numpy as np

from instructions.claims.walk_bars import ClaimBars
from instructions.claims.walk_motion import WalkMotion
from instructions.facts.walk import ThingAlongWalk, Walk, room_at
from instructions.records import Box, Claim, Range, RoomSpan, SceneObject
from recon.geometry import Array, Camera
from recon.records import Scale, SceneModel

_SAMPLES = 7
"""Points of the box along each of its axes: what of it is behind the camera or far outside must not bend the rest."""
_NEAREST_M = 0.1


def project_box(thing: SceneObject, model: SceneModel, frame: int) -> Box | None:
    """The part of a frame that the box of a thing fills if nothing hides it; None if it is not in view.

    Returns:
        x0, y0, x1, y1 as shares of the frame's width and height, 0 to 1.
    """
    if frame not in model.world_from_cam:
        return None
    steps = np.linspace(-1.0, 1.0, _SAMPLES)
    inner = np.array(list(product(steps, steps, steps))) * np.array(thing.obb.half_extents)
    world = inner @ np.array(thing.obb.rotation).T + np.array(thing.obb.center)
    seen = model.world_from_cam[frame].inverse() @ world
    seen = seen[seen[:, 2] > _NEAREST_M * model.nominal_metre]
    if not len(seen):
        return None
    size = np.array([model.camera.width, model.camera.height], dtype=np.float64)
    places = model.camera.project(seen) / size
    (x0, y0), (x1, y1) = np.clip(places.min(axis=0), 0.0, 1.0), np.clip(places.max(axis=0), 0.0, 1.0)
    return (float(x0), float(y0), float(x1), float(y1)) if x1 > x0 and y1 > y0 else None


def is_across(shown: Box, least_share: float) -> bool:
    """Whether what a picture shows of a thing reaches from so much of its width left of the middle to so much right."""
    return shown[0] <= 0.5 - least_share and shown[2] >= 0.5 + least_share


FrameRanges = Mapping[str, Mapping[int, Sequence[Range]]]
"""How far each thing is, by object and frame that observed it: the ranges that hold enough of it."""


def judge_side(
    claim: Claim, thing: ThingAlongWalk, index: int, shown: Box | None, bars: ClaimBars, *, is_in_view: bool
) -> tuple[bool, str]:
    """The thing is in view, off the middle to the side told, not before it by its box in the picture, and at hand."""
    off, distance = float(thing.bearing_deg[index]), float(thing.distance[index])
    sign = {"left": 1.0, "right": -1.0}.get(claim.side or "", 0.0)
    true = bars.side_least_deg <= sign * off <= bars.side_most_deg and distance <= bars.side_m and is_in_view
    reason = f"{off:+.0f} deg off the view at {distance:.1f}" + ("" if is_in_view else ", not in view")
    if true and shown is not None and is_across(shown, bars.side_across_share):
        return False, f"{reason}, and its box reaches from {shown[0]:.0%} to {shown[2]:.0%} of the picture's width"
    return true, reason


def judge_shown_side(
    claim: Claim, walk: Walk, boxes: Mapping[int, Box], model: SceneModel, bars: ClaimBars, reason: str
) -> tuple[bool, str]:
    """Some picture of that moment shows the middle of the thing on that side of its own; true where none shows it."""
    now_s = walk.time_s[walk.index_of[claim.last_frame or 0]]
    width = float(model.camera.width)
    middles = [
        (box[0] + box[2]) / (2.0 * width)
        for frame, box in boxes.items()
        if frame in walk.index_of and abs(walk.time_s[walk.index_of[frame]] - now_s) <= bars.side_seen_s
    ]
    sides = [middle < 0.5 if claim.side == "left" else middle > 0.5 for middle in middles]
    if not sides or any(sides):
        return True, reason
    return False, f"{reason}, but pictures show its middle at {middles[0]:.0%} of their width"


def judge_range(claim: Claim, walk: Walk, index: int, ranges: FrameRanges, bars: ClaimBars) -> tuple[bool, str]:
    """The frame nearest in time that measured the thing has it in the range told."""
    known = {frame: told for frame, told in ranges.get(claim.object or "", {}).items() if frame in walk.index_of}
    if not known:
        return False, "how far it is there is not known"
    now_s = walk.time_s[index]
    nearest = min(known, key=lambda frame: abs(walk.time_s[walk.index_of[frame]] - now_s))
    off_s = float(abs(walk.time_s[walk.index_of[nearest]] - now_s))
    measured = " and ".join(known[nearest]) or "no range"
    return off_s <= bars.range_seen_s and claim.range in known[nearest], f"{measured} in frame {nearest}"


def judge_room(claim: Claim, walk: Walk, index: int, rooms: Sequence[RoomSpan], bars: ClaimBars) -> tuple[bool, str]:
    """The position is in the room; one that is entered or left changes with another known one about then."""
    here = room_at(rooms, walk.frames[index])
    if claim.kind == "room":
        return here == claim.room, f"the room is {here or 'not known'}"
    around = np.flatnonzero(np.abs(walk.time_s - walk.time_s[index]) <= bars.enter_s)
    seen = [room_at(rooms, frame) for frame in walk.frames[: int(around[-1]) + 1]]
    earlier = [room for room in seen[: int(around[0])] if room is not None]
    known = earlier[-1:] + [room for room in seen[int(around[0]) :] if room is not None]
    changes = [(old, new) for old, new in pairwise(known) if old != new]
    is_changed = any((old if claim.kind == "exit" else new) == claim.room for old, new in changes)
    return is_changed, f"the room is {here or 'not known'}"


_FEW_LEAST_M, _FEW_MOST_M = 0.8, 3.0
"""Two steps to four or five."""
_STRAIGHT = 0.93
"""Who is told a length walks straight: the ends of an arc of 75 degrees are this share of the path apart."""


def judge_length(
    claim: Claim, motion: WalkMotion, first: int, last: int, scale: Scale, bars: ClaimBars
) -> tuple[bool, str]:
    """Hold `about three metres` or `a few steps` against the path between two positions and the line between them.

    No length in metres is true unless the scale was measured.
    """
    path_m = float(motion.walk.travelled[last] - motion.walk.travelled[first]) / motion.metre
    chord_m = float(np.linalg.norm(motion.walk.xy[last] - motion.walk.xy[first])) / motion.metre
    reason = f"{path_m:.1f} nominal metres are walked, {chord_m:.1f} on a straight line"
    if chord_m < _STRAIGHT * path_m:
        return False, reason
    if scale.status == "relative":
        return False, "a model without a scale tells no length, not in steps either"
    if claim.length_m is None:
        return _FEW_LEAST_M <= chord_m <= _FEW_MOST_M, reason
    if scale.status != "metric":
        return False, "texts may not give lengths where no scale was measured"
    told_m = claim.length_m
    within_m = bars.length_m + (bars.length_share + 2.0 * scale.sigma) * told_m
    return chord_m - within_m <= told_m <= path_m + within_m, reason


_STEP_M = 0.8
"""A long step: so far beyond its end a stretch is taken to lead, as over its last such piece."""


def measure_past_deg(thing: ThingAlongWalk, first: int, last: int) -> float:
    """Angle between the way from one position to another and the nearest edge of a thing's circle, 0 if it leads there.

    The circle is that around the thing's box on the floor plan.
    """
    gone = thing.walk.xy[last] - thing.walk.xy[first]
    away = thing.away[first] * thing.metre
    reach, length = float(np.hypot(*away)), float(np.hypot(*gone))
    radius = float(np.hypot(*thing.thing.obb.half_extents[:2]))
    if length == 0.0 or reach <= radius:
        return 0.0
    cosine = float(np.clip(gone @ away / (length * reach), -1.0, 1.0))
    return max(0.0, float(np.degrees(np.arccos(cosine) - np.arcsin(radius / reach))))


def measure_missed_deg(
    walk: Walk, first: int, last: int, metre: float, boxes: Mapping[int, Box], model: SceneModel
) -> float | None:
    """Angle by which pictures show a thing beside the place that a stretch leads to; the least of any, None of none.

    That place is a step beyond the end of the stretch, at the height of the camera, and is looked for in the pictures
    of its last two thirds: a thing that one walks up to covers it in one of them at least. Boxes are in pixels, by
    frame.
    """
    lead = np.flatnonzero(np.linalg.norm(walk.xy[first:last] - walk.xy[last], axis=1) >= _STEP_M * metre)
    if not len(lead):
        return None
    step = walk.xy[last] - walk.xy[first + int(lead[-1])]
    place = walk.xy[last] + step / np.linalg.norm(step) * _STEP_M * metre
    missed: list[float] = []
    for index in range(first + (last - first) // 3, last + 1):
        frame = walk.frames[index]
        if frame not in boxes or frame not in model.world_from_cam:
            continue
        pose = model.world_from_cam[frame]
        seen = pose.inverse() @ np.array([[*place, pose.center[2]]])
        if seen[0, 2] <= 0.0:
            continue
        x = float(model.camera.project(seen)[0, 0])
        beside_px = max(boxes[frame][0] - x, x - boxes[frame][2], 0.0)
        missed.append(float(np.degrees(np.arctan2(beside_px, _find_focal_px(model.camera)))))
    return min(missed, default=None)


def _find_focal_px(camera: Camera) -> float:
    """Pixels that a level degree takes in the middle of the picture, as a focal length."""
    middle = camera.project(np.array([[0.0, 0.0, 1.0], [0.01, 0.0, 1.0]]))
    return float(middle[1, 0] - middle[0, 0]) / 0.01


def find_before(
    thing: ThingAlongWalk, others: Iterable[ThingAlongWalk], index: int, bars: ClaimBars, *, is_seen_over: bool = False
) -> SceneObject | None:
    """What stands on the straight line from a position of the walk to the middle of a thing, clearly nearer than it.

    Args:
        thing: On the walk.
        others: All other things; those without a category may be a piece of wall and are left out.
        index: Position of the walk.
        bars: What is clearly nearer.
        is_seen_over: Whether what is lower than the middle of the thing does not matter.
    """
    eye = thing.walk.xy[index]
    middle = eye + thing.away[index] * thing.metre
    for other in others:
        if other.thing.category is None:
            continue
        if 2.0 * other.thing.obb.half_extents[2] < bars.flat_m * other.metre or other.distance[index] <= 0.0:
            continue
        box = other.thing.obb
        if is_seen_over and box.center[2] + box.half_extents[2] < thing.thing.obb.center[2]:
            continue
        is_nearer = other.distance[index] + bars.behind_m <= thing.distance[index]
        if is_nearer and _crosses(other, eye, middle):
            return other.thing
    return None


def _crosses(other: ThingAlongWalk, start: Array, end: Array) -> bool:
    """Whether a line on the floor plan enters the box of a thing: it does unless some side has all of it outside."""
    box = other.thing.obb
    axes, half = np.array(box.rotation)[:2, :2], np.array(box.half_extents[:2])
    one, two = (start - np.array(box.center[:2])) @ axes, (end - np.array(box.center[:2])) @ axes
    if np.any(np.minimum(one, two) > half) or np.any(np.maximum(one, two) < -half):
        return False
    normal = np.array([two[1] - one[1], one[0] - two[0]])
    return bool(abs(normal @ one) <= np.abs(normal) @ half)
