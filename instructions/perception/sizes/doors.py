"""Doors measured in single pictures: up the plumb line over a place where a door meets the floor.

The foot of a door is a place on the floor, so one pixel and the floor plane say where it stands; the door is plumb over
it, so the same picture says how high it ends. No point of the reconstruction is needed on the door itself, which is
often bare. Every column of the segment gives one height; a door that something stands before gives columns that end
anywhere, and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.segments import SegmentMap
from instructions.perception.models.light.labels import ade_words
from recon.geometry import Array, Camera, Pose

_COLUMN_STEP = 2
"""Columns of the class map between two that are measured."""
_LEAST_COLUMNS = 5
_MOST_SPREAD = 0.05
"""Of the heights of a door's columns (median deviation over median): more, and its edge was not seen."""
_LEAST_FILLED = 0.85
"""Share of the plumb line, from foot to top, that is called door."""
_LEAST_ENDED = 0.7
"""Share of the columns above which wall or ceiling begins: a door that goes on as something else is not whole."""
_LEAST_HEIGHT, _MOST_HEIGHT = 1.25, 3.2
"""In nominal metres, which a camera held low or high makes 30 % wrong: all that a door can be, no piece of one."""
_MOST_DISTANCE = 7.0
"""Nominal metres: further off, a pixel of the foot is half a metre."""
_LEAST_DEPRESSION = np.sin(np.radians(8.0))
"""Rays that meet the floor flatter say too little of where."""
_HEIGHT_STEP = 0.02
_GAP_COLUMNS = 4
"""Columns between two parts of one foot: the leg of a chair."""


@dataclass(frozen=True, eq=False)
class HeightView:
    """How high above the floor one thing ends in one frame, in the model's unit."""

    frame: int
    place: Array  # (2,) on the plan
    height: float


def measure_doors(
    frame: int, segments: SegmentMap, camera: Camera, world_from_cam: Pose, floor_z: float, metre: float
) -> list[HeightView]:
    """Doors of one frame that stand on the floor and are seen whole, left to right.

    Args:
        frame: Its index.
        segments: Of the frame.
        camera: Of the model.
        world_from_cam: The frame's pose, z up.
        floor_z: Height of the floor.
        metre: Length of a nominal metre in the model's unit.
    """
    door, floor = ade_words().index("door"), ade_words().index("floor")
    classes = segments.classes
    if not (classes == door).any():
        return []
    feet = _find_feet(classes, door, floor)
    if len(feet) < _LEAST_COLUMNS:
        return []
    rows, columns = classes.shape
    pixels = np.column_stack([(feet[:, 0] + 0.5) * segments.width / columns, feet[:, 1] * segments.height / rows])
    rays = camera.rays(pixels) @ world_from_cam.rotation.T
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    center = world_from_cam.center
    down = rays[:, 2] < -_LEAST_DEPRESSION
    feet, rays = feet[down], rays[down]
    places = center + rays * ((floor_z - center[2]) / rays[:, 2])[:, None]
    near = np.linalg.norm((places - center)[:, :2], axis=1) <= _MOST_DISTANCE * metre
    feet, places = feet[near], places[near]
    doors: list[HeightView] = []
    for group in np.split(np.arange(len(feet)), np.flatnonzero(np.diff(feet[:, 0]) > _GAP_COLUMNS * _COLUMN_STEP) + 1):
        view = _measure_door(frame, segments, camera, world_from_cam, places[group], metre)
        if view is not None:
            doors.append(view)
    return doors


def _find_feet(classes: NDArray[np.uint8], door: int, floor: int) -> NDArray[np.int64]:
    """(column, row below the foot) of every measured column in which a door stands on floor, the lowest one, (N, 2)."""
    sampled = classes[:, ::_COLUMN_STEP]
    meets = (sampled[:-1] == door) & (sampled[1:] == floor)
    columns = np.flatnonzero(meets.any(axis=0))
    lowest = len(meets) - 1 - meets[::-1].argmax(axis=0)[columns]
    return np.column_stack([columns * _COLUMN_STEP, lowest + 1])


def _measure_door(
    frame: int, segments: SegmentMap, camera: Camera, world_from_cam: Pose, places: Array, metre: float
) -> HeightView | None:
    if len(places) < _LEAST_COLUMNS:
        return None
    tops = [_climb(segments, camera, world_from_cam, place, metre) for place in places]
    whole = np.array([top is not None for top in tops])
    if whole.sum() < max(_LEAST_COLUMNS, 0.5 * len(places)):
        return None
    heights = np.array([top[0] for top in tops if top is not None])
    ended = np.array([top[1] for top in tops if top is not None])
    height = float(np.median(heights))
    spread = float(np.median(np.abs(heights - height)))
    fits = _LEAST_HEIGHT * metre <= height <= _MOST_HEIGHT * metre
    if not fits or spread > _MOST_SPREAD * height or ended.mean() < _LEAST_ENDED:
        return None
    return HeightView(frame, np.median(places, axis=0)[:2], height)


def _climb(
    segments: SegmentMap, camera: Camera, world_from_cam: Pose, foot: Array, metre: float
) -> tuple[float, bool] | None:
    """Height at which the door over a foot ends, and whether wall or ceiling follows; None where the picture ends."""
    names = ade_words()
    heights = np.arange(_HEIGHT_STEP, _MOST_HEIGHT * 1.1, _HEIGHT_STEP) * metre
    line = foot + heights[:, None] * [0.0, 0.0, 1.0]
    pixels = camera.project(world_from_cam.inverse() @ line)
    inside = camera.is_inside(pixels)
    last_inside = len(heights) if inside.all() else int(np.argmin(inside))
    if last_inside < 2:
        return None
    classes = segments.at(pixels[:last_inside])
    is_door = classes == names.index("door")
    if not is_door.any():
        return None
    top = int(np.flatnonzero(is_door)[-1])
    if top + 3 >= last_inside or is_door[: top + 1].mean() < _LEAST_FILLED:
        return None
    follows = names[classes[top + 2]]
    return float(heights[top]) + 0.5 * _HEIGHT_STEP * metre, follows in ("wall", "ceiling")
