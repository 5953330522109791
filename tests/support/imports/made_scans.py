"""Meta files as VSI-Bench's are: scenes of boxes of which a third lean, and more stated than listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
_SIZES = {
    "chair": (0.5, 0.5, 0.9), "table": (1.4, 0.8, 0.75), "trash_bin": (0.3, 0.25, 0.4), "window": (1.2, 0.1, 1.1),
    "door": (0.9, 0.1, 2.0), "sofa": (1.9, 0.9, 0.8), "bookshelf": (0.9, 0.3, 1.8), "computer_mouse": (0.1, 0.06, 0.04),
    "bed": (2.0, 1.5, 0.6), "lamp": (0.3, 0.25, 1.5), "tv": (1.1, 0.12, 0.65), "backpack": (0.35, 0.25, 0.5),
    "picture": (0.6, 0.06, 0.8), "ceiling_light": (0.5, 0.4, 0.15), "stool": (0.35, 0.3, 0.45),
}  # fmt: skip
_HIGH = {"window": 1.5, "tv": 1.3, "picture": 1.7, "ceiling_light": 2.6, "computer_mouse": 0.8}


def make_box(category: str, place: tuple[float, float], rng: np.random.Generator, *, tilted: bool) -> dict[str, Any]:
    """Rows are axes, in an order that has nothing to do with up; lengths are full."""
    lengths = np.array(_SIZES[category]) * rng.uniform(0.7, 1.4)
    turn = Rotation.from_euler("z", rng.uniform(0, 360), degrees=True)
    lean = Rotation.from_euler("x", rng.uniform(20, 50) if tilted else rng.normal(0, 2), degrees=True)
    axes = (turn * lean).as_matrix().T
    order = rng.permutation(3)
    axes, lengths = axes[order], lengths[order]
    if np.linalg.det(axes) < 0:
        axes[0] = -axes[0]
    center = np.array([*place, _HIGH.get(category, _SIZES[category][2] / 2)])
    corners = center + (_SIGNS * lengths / 2) @ axes
    return {
        "centroid": center.tolist(),
        "axesLengths": lengths.tolist(),
        "normalizedAxes": axes.reshape(-1).tolist(),
        "min": corners.min(axis=0).tolist(),
        "max": corners.max(axis=0).tolist(),
    }


def make_scene(name: str, rng: np.random.Generator, dataset: str = "scannet") -> dict[str, Any]:
    """Things of a room, most categories once; one category has more stated than listed."""
    boxes: dict[str, list[Any]] = {}
    categories = list(rng.permutation(list(_SIZES)))[: int(rng.integers(8, 14))]
    for at, category in enumerate([*categories, *rng.choice(categories, 4)]):
        place = (float(rng.uniform(-3, 3)), float(rng.uniform(-3, 3)))
        boxes.setdefault(str(category), []).append(make_box(str(category), place, rng, tilted=at % 3 == 2))
    counts = {category: len(found) for category, found in boxes.items()}
    counts[next(iter(counts))] += 1
    return {
        "room_size": float(rng.uniform(12, 60)),
        "room_center": [0.0, 0.0, 1.2],
        "object_counts": counts,
        "object_bbox": boxes,
        "dataset": dataset,
        "video_path": f"{dataset}/{name}.mp4",
    }


def write_meta(path: Path, scenes: int, seed: int = 0) -> dict[str, Any]:
    """Write a meta file and give what it holds."""
    rng = np.random.default_rng(seed)
    meta = {f"scene{number:04d}_00": make_scene(f"scene{number:04d}_00", rng) for number in range(scenes)}
    path.write_text(json.dumps(meta, indent=4), encoding="utf-8")
    return meta


def write_video(path: Path, frames: int) -> None:
    """Pictures that brighten one by one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 24.0, (64, 48))
    for at in range(frames):
        video.write(np.full((48, 64, 3), round(20 + 200 * at / (frames - 1)), np.uint8))
    video.release()
