"""Points on the surfaces of the made apartment and the frames that see them, as exact matches would give them."""

from dataclasses import replace

import numpy as np

from recon.records import SceneModel, Tracks
from tests.support.worlds.apartment_surfaces import Surfaces


def with_tracks(surfaces: Surfaces, model: SceneModel, per_frame: int = 30, seed: int = 0) -> SceneModel:
    """The model with points at random pixels of its frames, each seen by every frame that nothing hides it from."""
    rng = np.random.default_rng(seed)
    size = np.array([model.camera.width, model.camera.height])
    found = []
    for pose in model.world_from_cam.values():
        rays = model.camera.rays(rng.random((per_frame, 2)) * size) @ pose.rotation.T
        geoms, lengths = surfaces.first_hits(pose.center, rays)
        found.append((pose.center + lengths[:, None] * rays)[geoms >= 0])
    xyz = np.concatenate(found)
    rows = []
    for frame, pose in model.world_from_cam.items():
        pixels = model.camera.project(pose.inverse() @ xyz)
        near = np.flatnonzero(model.camera.is_inside(pixels) & (np.linalg.norm(xyz - pose.center, axis=1) < 8.0))
        _, lengths = surfaces.first_hits(pose.center, xyz[near] - pose.center)
        seen = near[np.abs(lengths - 1.0) < 0.01]
        rows.append(np.column_stack([np.full(len(seen), frame), seen, pixels[seen]]))
    table = np.concatenate(rows)
    tracks = Tracks(
        xyz,
        np.full((len(xyz), 3), 128, np.uint8),
        np.full(len(xyz), 0.3),
        table[:, 1].astype(np.int64),
        table[:, 0].astype(np.int64),
        table[:, 2:],
    )
    return replace(model, tracks=tracks)
