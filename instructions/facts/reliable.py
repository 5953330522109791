"""Which points of a reconstruction can be trusted, and how long a metre is in a model without scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from instructions.facts.depth import depth_of_points
from recon.records import SceneModel

MEDIAN_INDOOR_DEPTH_M = 2.5
"""What a hand-held camera typically looks at in a home: across a room. Only used where the model has no scale."""


def nominal_metre(model: SceneModel) -> float:
    """Length of about one metre in the model's unit: 1 where scale is metric or assumed.

    Without scale the median depth of all observations stands for `MEDIAN_INDOOR_DEPTH_M`, so that thresholds fit the
    size of a room. Nothing may print metres because of it.
    """
    if model.scale.status != "relative":
        return 1.0
    tracks = model.tracks
    depths = [
        depth_of_points(pose, tracks.xyz[tracks.obs_point[tracks.rows_of_frame(frame)]])
        for frame, pose in model.world_from_cam.items()
    ]
    ahead = np.concatenate([d[d > 0] for d in depths]) if depths else np.zeros(0)
    return float(np.median(ahead)) / MEDIAN_INDOOR_DEPTH_M if len(ahead) else 1.0


def triangulation_angles_deg(model: SceneModel) -> NDArray[np.float64]:
    """Per point, the widest angle a viewing ray makes with the mean viewing ray, doubled: (P,), 0 for unseen points.

    This is a lower bound of the largest angle between two rays up to a factor close to 1, and linear in observations.
    """
    tracks = model.tracks
    known = {frame: row for row, frame in enumerate(model.frames)}
    row = np.array([known.get(int(frame), -1) for frame in tracks.obs_frame], dtype=np.int64)
    point = tracks.obs_point[row >= 0]
    rays = tracks.xyz[point] - model.centers[row[row >= 0]] if len(point) else np.zeros((0, 3))
    rays = rays / np.maximum(np.linalg.norm(rays, axis=1, keepdims=True), 1e-12)
    mean = np.zeros((len(tracks.xyz), 3))
    np.add.at(mean, point, rays)
    mean = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
    cosine = np.ones(len(tracks.xyz))
    np.minimum.at(cosine, point, np.einsum("ij,ij->i", rays, mean[point]))
    return 2.0 * np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def reliable_points(
    model: SceneModel, max_error_px: float, min_track_length: int, min_angle_deg: float
) -> NDArray[np.bool_]:
    """Points with a small reprojection error, enough observations and enough parallax: (P,)."""
    tracks = model.tracks
    length = np.bincount(tracks.obs_point, minlength=len(tracks.xyz))
    return (
        (tracks.error_px <= max_error_px)
        & (length >= min_track_length)
        & (triangulation_angles_deg(model) >= min_angle_deg)
        & np.isfinite(tracks.xyz).all(axis=1)
    )
