"""Whether what a model holds lies on one plane, which tells neither a focal length nor, with a wrong one, a path."""

from __future__ import annotations

import numpy as np
import pycolmap

_TRIES = 300
"""Planes drawn: of a room of which each wall holds a sixth of the points, one draw in forty lies on one wall."""
_MOST_POINTS = 2000
"""That are asked, drawn at random: a share of so many is good to a hundredth."""
_NEAR = 0.02
"""Distance from a plane that still counts as on it, as a share of the median distance of points from the walk.
Set by hand."""


def measure_off_plane(model: pycolmap.Reconstruction) -> float:
    """Share of the points of a model that lie off the plane that most lie on, 0 to 1.

    A made walk along one wall: 0.00; walks in rooms whose every pair of frames shows one wall only: 0.54 to 0.81.

    Points of two views are not asked, for some have no depth.
    """
    xyz = np.array([point.xyz for point in model.points3D.values() if point.track.length() > 2]).reshape(-1, 3)
    if len(xyz) < 4:
        return 0.0
    rng = np.random.default_rng(0)
    xyz = xyz[rng.permutation(len(xyz))[:_MOST_POINTS]]
    centers = np.array([model.image(frame).projection_center() for frame in sorted(model.reg_image_ids())])
    reach = _NEAR * float(np.median(np.linalg.norm(xyz - centers.mean(axis=0), axis=1)))
    corners = xyz[rng.integers(len(xyz), size=(_TRIES, 3))]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    spans = lengths > 0  # the others drew a point twice
    normals = normals[spans] / lengths[spans, None]
    away = np.abs(xyz @ normals.T - np.einsum("pi,pi->p", corners[spans, 0], normals))
    return 1.0 - float((away < reach).mean(axis=0).max(initial=0.0))
