"""Align two models over the frames they share, also where the cameras stand still or move on a line.

Each shared frame alone gives a whole similarity: rotation and position from its two poses, scale from the depths that
the two models give to the same keypoints. So nothing depends on the spread of the shared camera centres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pycolmap
from scipy.spatial.transform import Rotation

from recon.colmap.observations import read_pose
from recon.geometry import Array, Pose, Sim3, turn_deg
from recon.records import SubModel


@dataclass(frozen=True, eq=False)
class SharedView:
    """One frame with a pose in both models."""

    frame: int
    first: Pose  # world_from_cam in the first model
    second: Pose  # world_from_cam in the second model
    depths: Array  # (C, 2) that the first and the second model give to the same keypoints


@dataclass(frozen=True)
class Alignment:
    """How well two models agree on the frames they share, in the frame and unit of the first."""

    first_from_second: Sim3
    center_disagreement: float  # median distance of the shared camera centres
    rotation_disagreement_deg: float  # median angle between the shared cameras' orientations
    common_points: int  # keypoints to which both models give a 3D point
    depth: float  # median depth of those points in the first model
    scale_disagreement: float
    """How far the relative scale drifts along the shared frames, first third against last; 0.1 is 10 %."""
    depth_spread: float
    """Typical deviation (1.48 MAD) of a common point's relative depth from the scale; 0.1 is 10 %."""


def align(first: SubModel, second: SubModel, shared: Sequence[int]) -> Alignment | None:
    """The similarity that most shared frames agree on.

    Returns:
        None if fewer than 20 keypoints have a point in both models, so that nothing tells the scale.
    """
    one, other = first.reconstruction, second.reconstruction
    return align_views(
        [
            SharedView(frame, read_pose(one, frame), read_pose(other, frame), _common_depths(first, second, frame))
            for frame in shared
        ]
    )


def align_views(views: Sequence[SharedView]) -> Alignment | None:
    """The similarity that most views agree on; None if fewer than 20 common keypoints tell the scale."""
    common = np.concatenate([view.depths for view in views]) if views else np.zeros((0, 2))
    if len(common) < _MIN_COMMON:
        return None
    logs = np.log(common[:, 0] / common[:, 1])
    rotation = _middle_rotation(np.array([view.first.rotation @ view.second.rotation.T for view in views]))
    scale = float(np.exp(np.median(logs)))
    offset = np.median([view.first.center - scale * rotation @ view.second.center for view in views], axis=0)
    fit = Sim3(scale, rotation, offset)
    off = np.array([apart(view, fit) for view in views])
    return Alignment(
        first_from_second=fit,
        center_disagreement=float(np.median(off[:, 0])),
        rotation_disagreement_deg=float(np.median(off[:, 1])),
        common_points=len(common),
        depth=float(np.median(common[:, 0])),
        scale_disagreement=_scale_run(views),
        depth_spread=float(1.48 * np.median(np.abs(logs - np.median(logs)))),
    )


def apart(view: SharedView, first_from_second: Sim3) -> tuple[float, float]:
    """Distance, in the unit of the first, and angle in degrees between a view's two poses after alignment."""
    moved = first_from_second.move_camera(view.second)
    return float(np.linalg.norm(view.first.center - moved.center)), turn_deg(view.first.rotation, moved.rotation)


def _scale_run(views: Sequence[SharedView]) -> float:
    """Change of the relative scale between the first and the last third of the views that tell it; 0 for few."""
    logs = [
        float(np.median(np.log(view.depths[:, 0] / view.depths[:, 1])))
        for view in views
        if len(view.depths) >= _MIN_PER_VIEW
    ]
    third = len(logs) // 3
    return float(np.expm1(abs(np.median(logs[:third]) - np.median(logs[-third:])))) if third else 0.0


_MIN_PER_VIEW = 10
"""Common keypoints that a shared frame needs before its median tells a scale of its own. Set by hand."""
_MIN_COMMON = 20
"""Common keypoints of all shared frames, below which nothing tells the scale: a median of fewer is chance. By hand."""


def _common_depths(first: SubModel, second: SubModel, frame: int) -> Array:
    """Depths (C, 2) that the two models give to the same keypoints of a shared frame; only points ahead of both."""
    depths_first, depths_second = _depths(first.reconstruction, frame), _depths(second.reconstruction, frame)
    rows = [(depth, depths_second[key]) for key, depth in depths_first.items() if key in depths_second]
    return np.array([row for row in rows if min(row) > 0]).reshape(-1, 2)


def _depths(model: pycolmap.Reconstruction, frame: int) -> dict[int, float]:
    """Depth along the optical axis of each keypoint that has a 3D point."""
    image = model.image(frame)
    center, axis = image.projection_center(), image.viewing_direction()
    return {
        int(key): float((model.point3D(image.point2D(key).point3D_id).xyz - center) @ axis)
        for key in image.get_observation_point2D_idxs()
    }


def _middle_rotation(rotations: Array) -> Array:
    """Mean of rotations (N, 3, 3) after leaving out those far from the median one."""
    cosines = (np.einsum("aij,bij->ab", rotations, rotations) - 1.0) / 2.0
    between = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    middle = int(np.median(between, axis=1).argmin())
    near = between[middle] <= max(2.0 * float(np.median(between[middle])), 1e-3)
    return Rotation.from_matrix(rotations[near]).mean().as_matrix()
