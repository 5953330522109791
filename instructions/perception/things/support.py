"""What holds a thing: floor, wall or another thing, by its height above the floor and what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from instructions.perception.models.light.labels import words
from instructions.perception.things.lift import Lifted
from instructions.records import Detection, SceneObject, Support
from recon.records import SceneModel

_FLOOR_M = 0.15
"""What begins lower than this above the floor stands on it; feet and depth make up for as much."""
_CLEAR_M = 0.35
"""What begins higher than this does not stand on the floor; legs are often lost."""
_EDGE_PX = 3.0
"""A box that ends this near the border of the picture is cut there."""
_LEAST_VIEWS = 2
"""Views that show the lower end of a thing; one may be wrong."""
_REACH_M = 0.2
"""A thing rests on another if it begins within this of that one's top and over it."""


def find_support(
    word: str, members: Sequence[Lifted], detections: Sequence[Detection], model: SceneModel
) -> Support | None:
    """What holds a thing, None where its height does not tell.

    Args:
        word: What it is: pictures, windows and the like that begin high above the floor are held by a wall.
        members: The thing's detections in the world.
        detections: All detections; `Lifted.row` points into them.
        model: Their model.
    """
    bottoms: list[float] = []
    for member in members:
        x0, _, x1, y1 = detections[member.row].box_xyxy
        if model.floor_z is not None and y1 < model.camera.height - _EDGE_PX:
            (ray,) = model.camera.rays([((x0 + x1) / 2, y1)])
            bottoms.append(float((model.world_from_cam[member.frame] @ (ray * member.distance))[2]) - model.floor_z)
    if len(bottoms) < _LEAST_VIEWS:
        return None
    bottom_m = float(np.median(bottoms)) / model.nominal_metre
    if bottom_m <= _FLOOR_M:
        return "floor"
    is_on_wall = (known := words().get(word)) is not None and known.role == "structure"
    return "wall" if is_on_wall and bottom_m > _CLEAR_M else None


def find_what_it_rests_on(things: Sequence[SceneObject], metre: float) -> list[SceneObject]:
    """Fill support and `rests_on` of what stands on another thing.

    Args:
        things: Of one model.
        metre: Length of a (nominal) metre in the model's unit.
    """
    return [_rest(thing, things, metre) if thing.support is None else thing for thing in things]


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
