"""How well a relative pose explains the matches of two frames, and which relative pose explains them best."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.adjust.refine import MAX_ERROR_PX
from recon.geometry import Array, Pose, angle_between_deg, cross_matrices, turn_deg
from recon.matching.interfaces import LEAST_MATCHES


@dataclass(frozen=True, eq=False)
class MatchedRays:
    """Verified matches of two frames, as points at z = 1 in camera axes."""

    first: int
    second: int
    rays_first: Array  # (M, 3)
    rays_second: Array  # (M, 3)
    essential: Array  # (3, 3), the pair's own guess: ray_second^T E ray_first = 0
    focal_px: float  # turns distances at z = 1 into pixels


@dataclass(frozen=True, eq=False)
class Fit:
    """What a relative pose makes of the matches of a pair."""

    error_px: Array  # (M,) Sampson distance
    behind: NDArray[np.bool_]  # (M,) would lie behind a camera, with parallax enough to tell
    parallax_deg: float  # median angle between the rays

    @property
    def cost(self) -> float:
        """Mean robust cost (Cauchy, 1 px); 0 for a perfect fit. A point behind a camera counts like one 3 px off."""
        cost = np.log1p(self.error_px**2)
        return float(np.where(self.behind, np.maximum(cost, np.log1p(MAX_ERROR_PX**2)), cost).mean())

    @property
    def unexplained(self) -> float:
        """Share of the matches that lie off their epipolar line or behind a camera."""
        return float(((self.error_px > MAX_ERROR_PX) | self.behind).mean())

    def explained(self, max_error_px: float) -> float:
        """Share of the matches that lie near their epipolar line and before both cameras."""
        return float(((self.error_px < max_error_px) & ~self.behind).mean())


_TELLING_PARALLAX_DEG = 0.5  # below it noise of a pixel moves a point from before to behind the camera


def fit_of(second_from_first: Pose, pair: MatchedRays) -> Fit:
    """Judge a relative pose by the matches. The length of its translation does not matter."""
    length = float(np.linalg.norm(second_from_first.translation))
    along = second_from_first.translation / length if length > 0 else np.array([0.0, 0.0, 1.0])
    one = _unit(pair.rays_first @ second_from_first.rotation.T)
    other = _unit(pair.rays_second)
    # depth_one * one + along = depth_other * other, in the least-squares sense.
    cosine, one_along, other_along = np.einsum("ij,ij->i", one, other), one @ along, other @ along
    angle_deg = np.degrees(2.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(one - other, axis=1), 1.0)))
    behind = (cosine * other_along - one_along <= 0) | (other_along - cosine * one_along <= 0)
    return Fit(
        error_px=_sampson_px(cross_matrices(along) @ second_from_first.rotation, pair),
        behind=behind & (angle_deg > _TELLING_PARALLAX_DEG),
        parallax_deg=float(np.median(angle_deg)),
    )


def least_cost(pair: MatchedRays) -> float:
    """Mean robust cost of a pair's own fundamental matrix: free of any camera, it fits better than nearly any pose."""
    return float(np.log1p(_sampson_px(pair.essential, pair) ** 2).mean())


def _sampson_px(essential: Array, pair: MatchedRays) -> Array:
    """Sampson distance (M,) of the matches."""
    lines_second = pair.rays_first @ essential.T
    lines_first = pair.rays_second @ essential
    off = np.abs(np.einsum("ij,ij->i", pair.rays_second, lines_second))
    steep = np.sqrt((lines_second[:, :2] ** 2).sum(axis=1) + (lines_first[:, :2] ** 2).sum(axis=1))
    return off / np.maximum(steep, 1e-12) * pair.focal_px


def best_pose(pair: MatchedRays, guess: Pose) -> Pose:
    """The second_from_first that explains the matches best, from the pair's own geometry and from a guess."""
    left, _, right = np.linalg.svd(pair.essential)
    essential = left @ np.diag([1.0, 1.0, 0.0]) @ right
    flat = [np.ascontiguousarray(rays[:, :2]) for rays in (pair.rays_first, pair.rays_second)]
    _, rotation, along, _ = cv2.recoverPose(essential, flat[0], flat[1], np.eye(3))
    found = [guess]
    for start in (Pose(np.asarray(rotation, np.float64), np.asarray(along, np.float64).ravel()), guess):
        pose = start
        for _ in range(_ROUNDS):
            near = fit_of(pose, pair).error_px < MAX_ERROR_PX
            if near.sum() < LEAST_MATCHES:
                break
            refined = pycolmap.refine_relative_pose(
                pose.to_rigid3d(), _unit(pair.rays_first), _unit(pair.rays_second), near
            )
            if refined is None:
                break
            pose = Pose.from_rigid3d(refined["cam2_from_cam1"])
            found.append(pose)
    return min(found, key=lambda pose: fit_of(pose, pair).cost)


_ROUNDS = 2  # the second with the matches that the first made fit


def apart_deg(one: Pose, other: Pose) -> tuple[float, float]:
    """Angles between the rotations and between the translation directions of two relative poses, 0 to 180."""
    return turn_deg(one.rotation, other.rotation), angle_between_deg(one.translation, other.translation)


def _unit(rays: Array) -> Array:
    return rays / np.linalg.norm(rays, axis=1, keepdims=True)
