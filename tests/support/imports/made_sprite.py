"""A small scene in the layout of SPRITE's released sample: left-handed, y up, `id` what a thing is called,
`object_name` the simulator's, `position` of a box on the floor. Made from a plan that is right-handed and z up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

# Our world: name, category, center, sizes along x, y, z.
PLAN = (
    ("red chair", "chair", (2.0, 3.0, 0.5), (0.5, 0.6, 1.0)),
    ("blue chair", "chair", (4.0, 3.5, 0.45), (0.5, 0.5, 0.9)),
    ("long table", "table", (3.0, 5.0, 0.4), (2.0, 0.8, 0.8)),
    ("tall lamp", "lamp", (0.5, 5.5, 0.9), (0.3, 0.3, 1.8)),
    ("small box", "box", (3.2, 5.0, 0.95), (0.3, 0.3, 0.2)),
)
# Agent at the floor's height 0, with our heading (degrees, counter-clockwise from +x).
WALK = ((2.5, 0.5, 90.0), (2.5, 1.0, 90.0), (2.6, 1.5, 80.0), (2.8, 2.0, 100.0))


def scene_files() -> dict[str, Any]:
    """`metainfo` and `camera_pose` as the files hold them."""
    things = []
    for place, (name, category, (x, y, z), (sx, sy, sz)) in enumerate(PLAN):
        things.append(
            {
                "object_name": f"{category.title()}|2|{place}",
                "id": name,
                "category": category.title(),
                "semantic_id": [place, [10, 20, place], f"{category.title()}|2|{place}"],
                "appear": [0, "5", 10] if place % 2 else [5, 15],
                "obb": {
                    "center": [x, z, y],
                    "sizes": [sx, sz, sy],
                    "half_extents": [sx / 2, sz / 2, sy / 2],
                    "rotation": [0.0, 73.0, 0.0],
                    "position": [x, 0.0, y],
                    "volume": sx * sy * sz,
                },
            }
        )
    poses = {
        str(5 * place): {"position": [x, 0.9, y], "rotation": [0.0, 90.0 - heading, 0.0]}
        for place, (x, y, heading) in enumerate(WALK)
    }
    return {
        "metainfo": things,
        "camera_pose": poses,
        "objects": {one["id"]: one["category"] for one in things},
        "objects_num": {one["id"]: 1 for one in things},
    }


def write_sprite(folder: Path, files: dict[str, Any] | None = None) -> Path:
    """Write the folder; `files` may have been spoilt."""
    files = files or scene_files()
    for name in ("metainfo", "camera_pose", "objects", "objects_num"):
        if name in files:
            (folder / name).mkdir(parents=True, exist_ok=True)
            content = files[name]
            text = content if isinstance(content, str) else json.dumps(content)
            (folder / name / "1.json").write_text(text, encoding="utf-8")
    images = folder / "images" / "1"
    images.mkdir(parents=True, exist_ok=True)
    for place in range(len(WALK)):
        picture = np.full((120, 160, 3), 40 * place + 20, np.uint8)
        cv2.imwrite(str(images / f"frame_{5 * place}.jpg"), picture)
    return folder
