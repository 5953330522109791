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

from recon.geometry import Array, Pose, Sim3
from recon.records import SubModel


@dataclass(frozen=True)
class Alignment:
    """How well two models agree on the frames they share, in the frame and unit of the first."""

    first_from_second: Sim3
    center_disagreement: float
    """Median distance of the shared camera centres."""
    rotation_disagreement_deg: float
    """Median angle between the shared cameras' orientations."""
    common_points: int
    """Keypoints to which both models give a 3D point."""
    depth: float
    """Median depth of those points in the first model."""


def align(first: SubModel, second: SubModel, shared: Sequence[int]) -> Alignment | None:
    """The similarity that most shared frames agree on.

    Args:
        first: Model whose frame and unit the result has.
        second: Model that is to be moved.
        shared: Frames with a pose in both.

    Returns:
        None if fewer than `_MIN_COMMON` keypoints have a point in both models, so that nothing tells the scale.
    """
    views = [(_pose(first, frame), _pose(second, frame)) for frame in shared]
    depths = [_common_depths(first, second, frame) for frame in shared]
    common = np.concatenate(depths) if depths else np.zeros((0, 2))
    if len(common) < _MIN_COMMON:
        return None
    scale = float(np.exp(np.median(np.log(common[:, 0] / common[:, 1]))))
    rotation = _middle_rotation(np.array([a.rotation @ b.rotation.T for a, b in views]))
    offset = np.median([a.center - scale * rotation @ b.center for a, b in views], axis=0)
    fit = Sim3(scale, rotation, offset)
    moved = [(a, fit.move_camera(b)) for a, b in views]
    return Alignment(
        first_from_second=fit,
        center_disagreement=float(np.median([np.linalg.norm(a.center - b.center) for a, b in moved])),
        rotation_disagreement_deg=float(np.median([_angle_deg(a.rotation, b.rotation) for a, b in moved])),
        common_points=len(common),
        depth=float(np.median(common[:, 0])),
    )


_MIN_COMMON = 20


def _pose(model: SubModel, frame: int) -> Pose:
    """world_from_cam of a registered frame."""
    return Pose.from_rigid3d(model.reconstruction.image(frame).cam_from_world().inverse())


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
    between = np.array([[_angle_deg(a, b) for b in rotations] for a in rotations])
    middle = int(np.median(between, axis=1).argmin())
    near = between[middle] <= max(2.0 * float(np.median(between[middle])), 1e-3)
    return Rotation.from_matrix(rotations[near]).mean().as_matrix()


def _angle_deg(a: Array, b: Array) -> float:
    return float(np.degrees(Rotation.from_matrix(a.T @ b).magnitude()))
