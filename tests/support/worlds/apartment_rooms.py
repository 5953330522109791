"""The rooms of the made apartment as its truth has them, for questions that need them."""

import json
from itertools import groupby
from pathlib import Path

from instructions.questions.core.asker import Surroundings
from recon.records import SceneModel
from tests.support.worlds.apartment_surfaces import TRUTH


def know_surroundings(model: SceneModel, folder: Path = TRUTH) -> Surroundings:
    """The floor of all rooms, and the rooms that the camera goes through; a doorway belongs to the room before it."""
    rooms = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["rooms"]
    whole = sum(_measure_area(room["polygon_m"]) for room in rooms)
    stays: list[str] = []
    for pose in model.world_from_cam.values():
        x, y = pose.center[:2]
        inside = [room["name"] for room in rooms if _is_inside(room["polygon_m"], x, y)]
        stays += inside or stays[-1:]
    return Surroundings(whole, tuple(name for name, _ in groupby(stays)))


def _measure_area(corners: list[list[float]]) -> float:
    (x0, y0), (x1, y1) = ((op(column) for column in zip(*corners, strict=True)) for op in (min, max))
    return (x1 - x0) * (y1 - y0)


def _is_inside(corners: list[list[float]], x: float, y: float) -> bool:
    """Rooms are rectangles along the axes."""
    xs, ys = zip(*corners, strict=True)
    return min(xs) <= x <= max(xs) and min(ys) <= y <= max(ys)
