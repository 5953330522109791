"""Whether one walks towards a thing: where the way leads, and what stands on the straight line to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from instructions.claims.walk_bars import ClaimBars
from instructions.facts.walk import ThingAlongWalk, Walk
from instructions.records import Box, SceneObject
from recon.geometry import Array, Camera
from recon.records import SceneModel

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
    of its last two thirds: a thing that one walks up to covers it in one of them at least.

    Args:
        walk: In the unit of the model.
        first: Position where the stretch begins.
        last: Where it ends.
        metre: Length of one (nominal) metre.
        boxes: Of the thing, in pixels, by frame.
        model: With camera and poses.
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
