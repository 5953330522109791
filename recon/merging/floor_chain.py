"""Place frames one after another over a floor that is known, by their matches on it.

Where a camera turns past bare walls, its pictures hold next to nothing but floor. A match on a known plane is as good
as a 3D point: it carries rotation, position and height, in the unit of the camera's height.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pycolmap

from recon.geometry import Array, Pose
from recon.merging.floor_ties import Tie

_LEAST_DROP = 0.15
"""Sine of the angle below the horizon from which a ray meets the floor at a distance that is worth something."""
_LEAST_INLIERS = 15
"""On one plane, fewer agree by chance."""
_MAX_ERROR_PX = 3.0
"""Reprojection error of a match on the floor that agrees: as of refinement."""


def chain_over_floor(
    known: Mapping[int, Pose], order: Sequence[int], ties: Mapping[int, Sequence[Tie]], focal_px: float, seed: int = 0
) -> dict[int, Pose]:
    """Poses floor_from_cam of frames, each from the known ones and those placed before it.

    Args:
        known: Poses over the floor at z = 0.
        order: Frames to be placed, the nearest first.
        ties: Of each with all others.
        focal_px: Turns rays into pixels.
        seed: Of the sampling.

    Returns:
        The known frames and those placed; it ends at the first that no floor places.
    """
    placed = dict(known)
    for frame in order:
        rays, points = _find_points(frame, placed, ties)
        pose = _resect(rays, points, focal_px, seed)
        if pose is None:
            break
        placed[frame] = pose
    return placed


def _find_points(frame: int, placed: Mapping[int, Pose], ties: Mapping[int, Sequence[Tie]]) -> tuple[Array, Array]:
    """Rays (N, 3) of a frame and the places (N, 3) on the floor that placed frames give them."""
    rays, points = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for tie in ties.get(frame, ()):
        if tie.other not in placed:
            continue
        pose = placed[tie.other]
        down = tie.rays_other @ pose.rotation.T
        meets = down[:, 2] < -_LEAST_DROP * np.linalg.norm(down, axis=1)
        down = down[meets]
        rays.append(tie.rays[meets])
        points.append(pose.center - down * (pose.center[2] / down[:, 2])[:, None])
    return np.concatenate(rays), np.concatenate(points)


def _resect(rays: Array, points: Array, focal_px: float, seed: int) -> Pose | None:
    """The floor_from_cam that most rays agree with."""
    if len(rays) < _LEAST_INLIERS:
        return None
    camera = pycolmap.Camera(model="SIMPLE_PINHOLE", width=1, height=1, params=[focal_px, 0.0, 0.0])
    estimation = pycolmap.AbsolutePoseEstimationOptions()
    estimation.ransac.max_error = _MAX_ERROR_PX
    estimation.ransac.random_seed = seed
    found = pycolmap.estimate_and_refine_absolute_pose(rays[:, :2] * focal_px, points, camera, estimation)
    if found is None or found["num_inliers"] < _LEAST_INLIERS:
        return None
    return Pose.from_rigid3d(found["cam_from_world"]).inverse()
