"""Writes what is true of a rendered video: camera, trajectory, rooms, doors, objects, turns and revisits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from .geometry import WorldObject
from .rooms import Opening, Room
from .walk import CameraPath


def write_trajectory(path: CameraPath, times_s: list[float], target: Path) -> None:
    """One line per frame, `t x y z qx qy qz qw`: world_from_cam with OpenCV camera axes."""
    quat_xyzw = Rotation.from_matrix(path.world_from_cam).as_quat()
    lines = [
        f"{t:.6f} " + " ".join(f"{value:.7f}" for value in (*position, *quat))
        for t, position, quat in zip(times_s, path.position_m, quat_xyzw, strict=True)
    ]
    _write(target, "\n".join(lines) + "\n")


def write_truth(
    target: Path,
    *,
    video: str,
    fps: int,
    size_px: tuple[int, int],
    focal_px: float,
    seed: int,
    path: CameraPath,
    rooms: list[Room],
    openings: list[Opening],
    objects: list[WorldObject],
    note: str,
) -> None:
    """Write truth.json; see examples/README.md for its fields."""
    width, height = size_px
    steps = np.diff(path.position_m[:, :2], axis=0)
    truth = {
        "video": video,
        "note": note,
        "fps": fps,
        "width": width,
        "height": height,
        "frames": len(path.time_s),
        "camera": {"model": "PINHOLE", "fx": focal_px, "fy": focal_px, "cx": width / 2, "cy": height / 2},
        "up": "z",
        "unit": "m",
        "seed": seed,
        "path_length_m": round(float(np.linalg.norm(steps, axis=1).sum()), 3),
        "rooms": [{"name": room.name, "label": room.label, "polygon_m": room.polygon_m()} for room in rooms],
        "doors": [
            {"rooms": list(o.rooms), "center_m": list(o.center_m), "width_m": o.width_m}
            for o in openings
            if len(o.rooms) == 2
        ],
        "objects": [_object(thing) for thing in objects if thing.category],
        "turns": path.turns,
        "revisits": find_revisits(path),
    }
    _write(target, json.dumps(truth, indent=1) + "\n")


def find_revisits(path: CameraPath, near_m: float = 0.5, facing_deg: float = 25.0, apart_s: float = 10.0) -> list[dict]:
    """Stretches that are walked again in about the same direction: the nearest pair of each."""
    xy, heading = path.position_m[:, :2], path.world_from_cam[:, :2, 2]
    heading = heading / np.linalg.norm(heading, axis=1, keepdims=True)
    keep = np.arange(0, len(xy), max(1, round(len(xy) / path.time_s[-1] / 5)))
    distance = np.linalg.norm(xy[keep, None] - xy[None, keep], axis=-1)
    same_way = heading[keep] @ heading[keep].T > np.cos(np.radians(facing_deg))
    later = path.time_s[keep][None] - path.time_s[keep][:, None] > apart_s
    close = (distance < near_m) & same_way & later
    found = []
    while close.any():
        score = np.where(close, distance, np.inf)
        i, j = np.unravel_index(int(score.argmin()), score.shape)
        first, second = float(path.time_s[keep[i]]), float(path.time_s[keep[j]])
        found.append(
            {"first_s": round(first, 3), "second_s": round(second, 3), "distance_m": round(float(distance[i, j]), 3)}
        )
        near = (np.abs(path.time_s[keep] - first)[:, None] < 5) & (np.abs(path.time_s[keep] - second)[None] < 5)
        close &= ~near
    return sorted(found, key=lambda revisit: revisit["first_s"])


def _object(thing: WorldObject) -> dict:
    return {
        "id": thing.id,
        "category": thing.category,
        "color": thing.color,
        "room": thing.room,
        "obb": {
            "center_m": _round(thing.center_m),
            "half_extents_m": _round(thing.half_extents_m),
            "rotation": [_round(row) for row in thing.rotation],
        },
    }


def _round(values: NDArray[np.float64]) -> list[float]:
    return [round(float(value), 4) + 0.0 for value in values]


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(target)
