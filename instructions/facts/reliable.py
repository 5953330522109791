"""Which points of a reconstruction can be trusted: reprojection error, observations and parallax of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recon.records import SceneModel


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
