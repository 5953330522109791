"""The turn between two frames that the bearings of their matches tell, as if the camera had not moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pycolmap

from recon.colmap.database import read_matches_px
from recon.geometry import Array, Camera
from recon.matching.interfaces import LEAST_MATCHES

_SCALES_DEG = (8.0, 4.0, 2.0, 2.0, 1.5, 1.5)
"""Bearings further off count less and less: near things shift a little while the camera turns on the spot."""


@dataclass(frozen=True, eq=False)
class BearingTurn:
    """The turn that most bearings of two frames agree with."""

    first_from_second: Array  # (3, 3)
    left_rad: float
    """Median angle by which bearings are off it: noise, and what a step of the camera moves them by beside a turn."""


@dataclass(frozen=True, eq=False)
class SharedBearings:
    """What two frames have in common, as unit vectors."""

    first: Array  # (M, 3)
    second: Array  # (M, 3)

    def off(self, first_from_second: Array) -> Array:
        """(M,) By how much bearings are off a turn, in radians for small angles."""
        return np.linalg.norm(self.first - self.second @ first_from_second.T, axis=1)


def share_bearings(rays_first: Array, rays_second: Array) -> SharedBearings:
    """Of rays (M, 3) of any length."""
    one, other = (rays / np.linalg.norm(rays, axis=1, keepdims=True) for rays in (rays_first, rays_second))
    return SharedBearings(one, other)


def fit_turn(shared: SharedBearings) -> BearingTurn | None:
    """The turn between two frames by what both see; None for too few."""
    if len(shared.first) < LEAST_MATCHES:
        return None
    weights, turn, off = np.ones(len(shared.first)), np.eye(3), np.zeros(0)
    for scale in np.radians(_SCALES_DEG):
        left, _, right = np.linalg.svd((weights[:, None] * shared.first).T @ shared.second)
        turn = left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
        off = shared.off(turn)
        weights = 1.0 / (1.0 + (off / scale) ** 2)
    return BearingTurn(turn, float(np.median(off)))


def measure_turn(database: pycolmap.Database, first: int, second: int, camera: Camera) -> BearingTurn | None:
    """The turn between two frames, in either order, by the bearings of their verified matches; None for too few."""
    low, high = min(first, second), max(first, second)
    if not database.exists_two_view_geometry(low, high):
        return None
    one, other = (camera.rays(xy) for xy in read_matches_px(database, low, high))
    return fit_turn(share_bearings(one, other) if first == low else share_bearings(other, one))
