"""The rooms of the made apartment as its truth has them, for questions that need them."""

import json
from itertools import groupby
from pathlib import Path

from instructions.questions.core.asker import Surroundings
from instructions.questions.writers.sets import measure_area
from recon.records import SceneModel
from tests.support.worlds.apartment_surfaces import TRUTH
from trajectories.records import Area


def know_surroundings(model: SceneModel, folder: Path = TRUTH) -> Surroundings:
    """The floor of all rooms, and the rooms that the camera goes through; a doorway belongs to the room before it."""
    rooms = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["rooms"]
    whole = sum(measure_area(Area(tuple(map(tuple, room["polygon_m"])), ())) for room in rooms)
    stays: list[str] = []
    for pose in model.world_from_cam.values():
        x, y = pose.center[:2]
        inside = [room["name"] for room in rooms if _is_inside(room["polygon_m"], x, y)]
        stays += inside or stays[-1:]
    return Surroundings(whole, 0.0, tuple(name for name, _ in groupby(stays)))


def _is_inside(corners: list[list[float]], x: float, y: float) -> bool:
    """Rooms are rectangles along the axes."""
    xs, ys = zip(*corners, strict=True)
    return min(xs) <= x <= max(xs) and min(ys) <= y <= max(ys)
