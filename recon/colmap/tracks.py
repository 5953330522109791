"""COLMAP's points and observations as `Tracks`, and which points are triangulated well enough to measure with."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.colmap.observations import NO_POINT, keypoints_by_frame
from recon.geometry import Pose
from recon.records import Tracks

_LEAST_ANGLE_DEG = 2.0  # rays that meet at less leave a point's depth open by tens of centimetres in a room
LEAST_VIEWS = 3  # two views of a point agree even where the match is wrong
_MOST_ERROR_PX = 2.0
"""Mean reprojection error of a track; that of whole models of real tours is 0.5 to 0.9. Set by hand."""


def tracks_from_colmap(reconstruction: pycolmap.Reconstruction) -> Tracks:
    """Points in the order of their ids, observations sorted by frame, then by point (image id = frame index)."""
    ids = sorted(reconstruction.point3D_ids())
    points = [reconstruction.points3D[point_id] for point_id in ids]
    frames, rows, pixels = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros((0, 2))]
    for frame, keypoints in keypoints_by_frame(reconstruction).items():
        seen = keypoints.points != NO_POINT
        frames.append(np.full(seen.sum(), frame))
        rows.append(np.searchsorted(ids, keypoints.points[seen]))
        pixels.append(keypoints.xy[seen])
    obs_frame, obs_point = np.concatenate(frames), np.concatenate(rows)
    order = np.lexsort((obs_point, obs_frame))
    return Tracks(
        xyz=np.array([point.xyz for point in points], dtype=np.float64).reshape(-1, 3),
        rgb=np.array([point.color for point in points], dtype=np.uint8).reshape(-1, 3),
        error_px=np.array([point.error for point in points], dtype=np.float64),
        obs_point=obs_point[order],
        obs_frame=obs_frame[order],
        obs_xy=np.concatenate(pixels)[order],
    )


def well_triangulated(tracks: Tracks, world_from_cam: Mapping[int, Pose]) -> NDArray[np.bool_]:
    """Points (P,) seen by enough frames, from far enough apart, with a small error.

    The angle is taken between the rays of the first and the last frame that see the point.
    """
    keep = (track_lengths(tracks) >= LEAST_VIEWS) & (tracks.error_px <= _MOST_ERROR_PX)
    if len(tracks.obs_point) == 0:
        return keep
    first, last = _end_frames(tracks)
    centers = {frame: pose.center for frame, pose in world_from_cam.items()}
    seen = np.flatnonzero(keep)
    ray_a = np.array([centers[int(f)] for f in first[seen]]).reshape(-1, 3) - tracks.xyz[seen]
    ray_b = np.array([centers[int(f)] for f in last[seen]]).reshape(-1, 3) - tracks.xyz[seen]
    cosine = np.einsum("ij,ij->i", ray_a, ray_b)
    sine = np.linalg.norm(np.cross(ray_a, ray_b), axis=1)
    keep[seen] = np.degrees(np.arctan2(sine, cosine)) >= _LEAST_ANGLE_DEG
    return keep


def measure_viewing_distance(tracks: Tracks, world_from_cam: Mapping[int, Pose]) -> float | None:
    """Median distance between a point and the first camera that sees it; None without observations."""
    if len(tracks.obs_point) == 0:
        return None
    first, _ = _end_frames(tracks)
    seen = np.flatnonzero(first)
    centers = np.array([world_from_cam[int(frame)].center for frame in first[seen]])
    return float(np.median(np.linalg.norm(tracks.xyz[seen] - centers, axis=1)))


def track_lengths(tracks: Tracks) -> NDArray[np.int64]:
    """Observations per point, (P,)."""
    return np.bincount(tracks.obs_point, minlength=len(tracks.xyz))


def _end_frames(tracks: Tracks) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last frame that sees each point, (P,) each; 0 (no frame's number) where none does."""
    first = np.zeros(len(tracks.xyz), dtype=np.int64)
    last = np.zeros(len(tracks.xyz), dtype=np.int64)
    # Observations are sorted by frame, so the last write wins with the last frame, and backwards with the first.
    last[tracks.obs_point] = tracks.obs_frame
    first[tracks.obs_point[::-1]] = tracks.obs_frame[::-1]
    return first, last


def enough_of(keep: NDArray[np.bool_], least: int = 100) -> NDArray[np.bool_]:
    """The same points (P,), or all of them where fewer than `least` would be left."""
    return keep if keep.sum() >= least else np.ones_like(keep)
