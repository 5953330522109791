"""Large planes of a sparse cloud: floors, ceilings and walls, found by RANSAC over neighbouring points.

This answers which way is up, so nothing is known of it yet: planes lie in any direction and have no ends, and their
normals have to be right to a degree. What of an upright cloud belongs to the building is another question
(`instructions.perception.landmarks.shell`: gravity is known, and length, height and gaps decide what is a wall). The
two share the fit of a plane to its points, `recon.geometry.fit_plane`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from recon.geometry import Array, fit_plane

_MOST_POINTS = 6000  # Larger clouds are thinned: a wall keeps hundreds of points and the search stays under a second
_TRIES = 1000
"""Hypotheses per plane. Points are drawn from one neighbourhood, so most triples lie on one surface. With 300, the
vertical of a made room was up to 1.4 degrees off by the seed; with 1000 up to 0.8."""
_NEIGHBOURS = 40
"""Points near the first of a draw among which the other two are drawn: on one surface more often than anywhere."""
_LEAST_SHARE = 0.02  # of all points: a plane of less is no wall of a room. Set by hand.
_LEAST_POINTS = 30  # and in clouds of few points. Set by hand.
_LEAST_CONTRAST = 0.6
"""Share of the points within 3 tolerances that lie within 1. A slice through clutter holds a third."""


@dataclass(frozen=True, eq=False)
class Plane:
    """normal @ x = offset for the points on it."""

    normal: Array  # (3,) unit
    offset: float
    points: int  # how many points of the (thinned) cloud lie on it


def find_planes(
    xyz: Array, tolerance: float, *, is_wanted: Callable[[Array], NDArray[np.bool_]], most: int = 10, seed: int = 0
) -> list[Plane]:
    """Find the planes with most points, one after another; each takes its points out.

    Args:
        xyz: (N, 3) points.
        tolerance: Half thickness of a plane, in the unit of `xyz`.
        is_wanted: Unit normals (H, 3) to a mask (H,); others are not searched.
        most: Stop after so many planes.
        seed: For thinning and drawing.

    Returns:
        Planes, most points first as found. Empty where no plane stands out from the clutter.
    """
    rng = np.random.default_rng(seed)
    if len(xyz) > _MOST_POINTS:
        xyz = xyz[np.sort(rng.choice(len(xyz), _MOST_POINTS, replace=False))]
    least = max(_LEAST_POINTS, round(_LEAST_SHARE * len(xyz)))
    free, planes = xyz, []
    while len(planes) < most and len(free) >= least:
        normals, offsets = _hypotheses(free, rng)
        keep = is_wanted(normals)
        if not keep.any():
            break
        normals, offsets = normals[keep], offsets[keep]
        best = int(np.argmax(_closeness(free @ normals.T - offsets, tolerance).sum(axis=0)))
        normal, offset = _refine(free, normals[best], float(offsets[best]), tolerance)
        distance = np.abs(free @ normal - offset)
        on_plane = distance <= tolerance
        if on_plane.sum() < least:
            break
        # Points further out than the tolerance go too, or noise at the rim would be found again as a plane.
        around = distance <= 3 * tolerance
        if on_plane.sum() / around.sum() >= _LEAST_CONTRAST and is_wanted(normal[None])[0]:
            planes.append(Plane(normal, offset, int(on_plane.sum())))
            free = free[~around]
        else:
            free = free[~on_plane]
    return planes


def _hypotheses(xyz: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Planes through a random point and two of its neighbours: normals (H, 3), offsets (H,)."""
    first = rng.integers(len(xyz), size=_TRIES)
    near = np.asarray(KDTree(xyz).query(xyz[first], k=min(_NEIGHBOURS, len(xyz)))[1], dtype=np.int64)
    pick = rng.integers(near.shape[1], size=(_TRIES, 2))
    rows = np.arange(_TRIES)
    a, b, c = xyz[first], xyz[near[rows, pick[:, 0]]], xyz[near[rows, pick[:, 1]]]
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1)
    # A thin triangle says nothing about the normal.
    good = length > 0.1 * (np.linalg.norm(b - a, axis=1) * np.linalg.norm(c - a, axis=1) + 1e-300)
    normals = normals[good] / length[good, None]
    return normals, np.einsum("ij,ij->i", normals, a[good])


def _refine(xyz: Array, normal: Array, offset: float, tolerance: float) -> tuple[Array, float]:
    """The plane moved onto the densest layer of points near it, by reweighted least squares."""
    for _ in range(_ROUNDS):
        weight = _closeness(xyz @ normal - offset, tolerance) ** 2
        if np.count_nonzero(weight) < 3:
            break
        normal, offset = fit_plane(xyz[weight > 0], weight[weight > 0])
    return normal, offset


_ROUNDS = 10  # of reweighting. Set by hand.


def _closeness(distance: Array, tolerance: float) -> Array:
    """1 on the plane, falling to 0 at the tolerance.

    Counting points instead would favour a slanted plane: a wall and the pictures and cupboards in front of it are two
    layers, and the slanted plane has some of both.
    """
    return np.maximum(1.0 - (distance / tolerance) ** 2, 0.0)
