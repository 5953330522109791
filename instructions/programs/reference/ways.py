"""The walk of the camera and the things beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from instructions.facts.facing import measure_facing_bearing_deg
from instructions.programs.reference.times import find_first_view
from instructions.programs.world import Given, ProgramCamera, ProgramScene, ProgramThing
from recon.conventions import wrap_deg
from recon.geometry import Array, path_length

Things = Sequence[ProgramThing]
_AROUND = 3
"""Frames before and after the nearest one, from which the direction of the walk is taken."""


def measure_floor_path(scene: ProgramScene) -> Array:
    """Floor positions of all frames, (N, 2).

    Raises:
        ValueError: If no walk is known.
    """
    if not len(scene.path):
        raise ValueError("no walk is known")
    return np.array(scene.path, dtype=np.float64)[:, :2]


def find_camera(scene: ProgramScene, given: Given) -> ProgramCamera:
    """Where the walk starts, or where it ends."""
    return scene.cameras[0 if given.word == "start" else -1]


def measure_bearing(camera: ProgramCamera, thing: ProgramThing) -> float:
    """Of a thing against where the camera looks: degrees, right is positive."""
    eye = np.array(camera.position)
    return measure_facing_bearing_deg(eye, eye + np.array(camera.forward), thing.body.center)


def measure_floor_range(place: Sequence[float] | Array, thing: ProgramThing) -> float:
    """From a place to the centre of a thing, over the floor."""
    return float(np.hypot(*(thing.body.center[:2] - np.asarray(place)[:2])))


def measure_between(things: Things, scene: ProgramScene, given: Given) -> float:
    """Way of the camera from the first view of A to the first view of B, along the floor.

    Raises:
        ValueError: If a view is no frame of the walk.
    """
    ends = sorted(_frame_place(scene, find_first_view(one, scene)) for one in things)
    path = measure_floor_path(scene)[ends[0] : ends[1] + 1]
    return path_length(np.column_stack([path, np.zeros(len(path))]))


def _frame_place(scene: ProgramScene, view: int) -> int:
    return list(scene.path_frames).index(scene.cameras[view].frame)


def measure_straight(things: Things, scene: ProgramScene, given: Given) -> float:
    """From where the walk begins to where it ends, straight over the floor."""
    path = measure_floor_path(scene)
    return float(np.hypot(*(path[-1] - path[0])))


def measure_turn_deg(one: ProgramCamera, other: ProgramCamera) -> float:
    """How far the second looks to the left of the first, -180 to 180."""
    headings = [float(np.degrees(np.arctan2(camera.forward[1], camera.forward[0]))) for camera in (one, other)]
    return wrap_deg(headings[1] - headings[0])


def tell_turn(things: Things, scene: ProgramScene, given: Given) -> str:
    """To which side of its first direction the camera looks in the end."""
    return "left" if measure_turn_deg(scene.cameras[0], scene.cameras[-1]) > 0 else "right"


def tell_turn_between(things: Things, scene: ProgramScene, given: Given) -> str:
    """To which side of its direction at the first view of A it looks at the first view of B."""
    one, other = (scene.cameras[find_first_view(thing, scene)] for thing in things)
    return "left" if measure_turn_deg(one, other) > 0 else "right"


def find_closest(things: Things, scene: ProgramScene, given: Given) -> str:
    """Id of the one whose centre the walk comes nearest to, over the floor."""
    return min(things, key=lambda one: measure_closest_range(one, scene)).id


def measure_closest_range(thing: ProgramThing, scene: ProgramScene) -> float:
    """Least distance of the walk from the centre of a thing, over the floor."""
    return float(np.linalg.norm(measure_floor_path(scene) - thing.body.center[:2], axis=1).min())


def find_nearest_at(things: Things, scene: ProgramScene, given: Given) -> str:
    """Id of the one nearest to the camera at the start or the end, over the floor."""
    place = find_camera(scene, given).position
    return min(things, key=lambda one: measure_floor_range(place, one)).id


def tell_side_at(things: Things, scene: ProgramScene, given: Given) -> str:
    """`left` or `right` of where the camera looks at the start or the end."""
    return "right" if measure_bearing(find_camera(scene, given), things[0]) > 0 else "left"


def tell_quadrant_at(things: Things, scene: ProgramScene, given: Given) -> str:
    """One of the four quadrants around the camera at the start or the end."""
    bearing = measure_bearing(find_camera(scene, given), things[0])
    return ("front" if abs(bearing) < 90 else "back") + "-" + ("right" if bearing > 0 else "left")


def is_approached(things: Things, scene: ProgramScene, given: Given) -> bool:
    """Whether the camera is nearer to a thing at the end than at the start, over the floor."""
    start, end = (measure_floor_range(camera.position, things[0]) for camera in (scene.cameras[0], scene.cameras[-1]))
    return end < start


def tell_pass_side(things: Things, scene: ProgramScene, given: Given) -> str:
    """On which side of the walk a thing is where the walk comes nearest to it."""
    return "right" if measure_pass_bearing_deg(things[0], scene) > 0 else "left"


def measure_pass_bearing_deg(thing: ProgramThing, scene: ProgramScene) -> float:
    """Of a thing against the direction of the walk where it comes nearest, right is positive.

    Raises:
        ValueError: If the camera stands still there.
    """
    path = measure_floor_path(scene)
    place = int(np.linalg.norm(path - thing.body.center[:2], axis=1).argmin())
    before, after = path[max(place - _AROUND, 0)], path[min(place + _AROUND, len(path) - 1)]
    return measure_facing_bearing_deg(path[place], path[place] + after - before, thing.body.center)
