"""A bare wall full of points, seen by a camera that walks along it; every point is where it was put."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recon.geometry import Camera
from recon.records import Scene, Tracks
from tests.support.worlds.box_rooms import make_room

STEP_M = 0.1


def make_seen_points(views: int = 12, points: int = 600, seed: int = 0) -> Scene:
    """A slanted wall, 2.5 to 4.5 m away, before a camera that steps aside ten centimeters at a time."""
    room = make_room((), eyes=[(0.0, -STEP_M * step, 1.5) for step in range(views)])
    model = room.model
    rng = np.random.default_rng(seed)
    beside, height = rng.uniform(-4.0, 3.0, points), rng.uniform(0.2, 2.8, points)
    xyz = np.stack([3.5 + 0.3 * beside, beside, height], axis=1)
    camera: Camera = model.camera
    seen = []
    for frame, pose in model.world_from_cam.items():
        pixels = camera.project(pose.inverse() @ xyz)
        inside = ((pixels > 0) & (pixels < (camera.width, camera.height))).all(axis=1)
        seen += [(frame, point, *pixels[point]) for point in np.flatnonzero(inside)]
    table = np.array(seen)
    tracks = Tracks(
        xyz,
        np.full((points, 3), 128, np.uint8),
        np.full(points, 0.5),
        table[:, 1].astype(np.int64),
        table[:, 0].astype(np.int64),
        table[:, 2:],
    )
    return replace(room.scene, id="wall", models=(replace(model, tracks=tracks),))
