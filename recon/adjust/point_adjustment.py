"""Move every point of a model to where its observations want it, while poses and cameras stand still.

Each point is then a problem of three numbers that no other point takes part in. So all of them take their steps at
once, as arrays: a quarter of the time of a bundle adjuster, which must first be told of every observation by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.colmap.observations import NO_POINT, keypoints_by_frame
from recon.geometry import Array, Camera


@dataclass(frozen=True, eq=False)
class _Sightings:
    """Observations (S) in the order of their points."""

    points: NDArray[np.int64]  # (S,) rows of the points, rising
    frames: NDArray[np.int64]  # (S,) rows of the frames
    plane: Array  # (S, 2) where the frame sees the point, undistorted, at z = 1

    def of_points(self, first: int, last: int) -> _Sightings:
        """Those of the points from one row until before another, counted from the first."""
        part = slice(*np.searchsorted(self.points, [first, last]))
        return _Sightings(self.points[part] - first, self.frames[part], self.plane[part])


@dataclass(frozen=True, eq=False)
class _Frames:
    rotations: Array  # (F, 3, 3) cam_from_world
    translations: Array  # (F, 3)
    focals_px: Array  # (F,)


def adjust_points(model: pycolmap.Reconstruction) -> None:
    """Lower the robust reprojection error of every point, in place, by Levenberg-Marquardt steps.

    Residuals above one pixel of the undistorted picture count less and less (Cauchy).
    """
    ids = np.array(sorted(model.point3D_ids()), np.int64)
    if len(ids) == 0:
        return
    xyz = np.array([model.point3D(point).xyz for point in ids.tolist()])
    sightings, frames = _read(model, ids)

    def adjust(first: int) -> Array:
        last = first + _POINTS_AT_ONCE
        return _adjust_points(xyz[first:last], sightings.of_points(first, last), frames)

    moved = np.concatenate([adjust(first) for first in range(0, len(ids), _POINTS_AT_ONCE)])
    for point, place in zip(ids.tolist(), moved, strict=True):
        model.point3D(point).xyz = place


_STEPS = 5
"""Of each point: from a triangulated place they get as far as five of COLMAP's adjuster."""
_POINTS_AT_ONCE = 5_000
"""50,000 observations: 40 MB."""


def _read(model: pycolmap.Reconstruction, ids: NDArray[np.int64]) -> tuple[_Sightings, _Frames]:
    cameras = {camera: Camera.from_colmap(model.camera(camera)) for camera in model.cameras}
    rotations, translations, focals, points, places, planes = [], [], [], [], [], []
    for row, (frame, keypoints) in enumerate(keypoints_by_frame(model).items()):
        image = model.image(frame)
        camera = cameras[image.camera_id]
        matrix = image.cam_from_world().matrix()
        rotations.append(matrix[:, :3])
        translations.append(matrix[:, 3])
        focals.append(0.5 * (camera.fx + camera.fy))
        seen = keypoints.points != NO_POINT
        points.append(np.searchsorted(ids, keypoints.points[seen]))
        places.append(np.full(seen.sum(), row))
        planes.append(camera.rays(keypoints.xy[seen])[:, :2])
    of_point = np.concatenate(points)
    order = np.argsort(of_point, kind="stable")
    sightings = _Sightings(of_point[order], np.concatenate(places)[order], np.concatenate(planes)[order])
    return sightings, _Frames(np.array(rotations), np.array(translations), np.array(focals))


def _adjust_points(xyz: Array, seen: _Sightings, frames: _Frames) -> Array:
    """The points (P, 3) after their steps; a step that does not help is not taken."""
    starts = np.flatnonzero(np.diff(seen.points, prepend=-1))
    # One array per number: three times as fast as arrays of small matrices.
    rotation = np.ascontiguousarray(frames.rotations[seen.frames].transpose(1, 2, 0))  # (3, 3, S)
    translation = np.ascontiguousarray(frames.translations[seen.frames].T)
    plane = np.ascontiguousarray(seen.plane.T)
    focal_px = frames.focals_px[seen.frames]
    damping = np.full(len(xyz), _FIRST_DAMPING)
    sums = np.empty((9, len(seen.points)))

    def project_points(points: Array) -> tuple[Array, Array, Array, Array]:
        """Cost per point (P,); per observation the projection (2, S), residual (2, S) and inverse depth (S,)."""
        x, y, z = np.ascontiguousarray(points[seen.points].T)
        right, down, depth = (
            row[0] * x + row[1] * y + row[2] * z + t for row, t in zip(rotation, translation, strict=True)
        )
        ahead = depth > _NEAREST
        inverse = np.divide(1.0, depth, out=np.zeros_like(depth), where=ahead)
        projected = np.stack([right * inverse, down * inverse])
        residual = (projected - plane) * focal_px
        cost = np.where(ahead, np.log1p(residual[0] ** 2 + residual[1] ** 2), _COST_BEHIND)
        return np.add.reduceat(cost, starts), projected, residual, inverse

    now = project_points(xyz)
    for _ in range(_STEPS):
        cost, projected, residual, inverse = now
        root = np.sqrt(1.0 / (1.0 + residual[0] ** 2 + residual[1] ** 2))  # of the weight of Cauchy's loss
        steep = root * focal_px * inverse
        # d(projection) / d(point): rows of the rotation, less what moving along the optical axis does.
        across, along = (
            [steep * (rotation[axis][k] - projected[axis] * rotation[2][k]) for k in range(3)] for axis in range(2)
        )
        for place, (k, m) in enumerate(_UPPER):
            sums[place] = across[k] * across[m] + along[k] * along[m]
        for k in range(3):
            sums[6 + k] = root * (across[k] * residual[0] + along[k] * residual[1])
        tried = xyz - _solve_steps(np.add.reduceat(sums, starts, axis=1), damping)
        then = project_points(tried)
        better = then[0] <= cost
        damping *= np.where(better, 0.1, 10.0)
        xyz = np.where(better[:, None], tried, xyz)
        now = then if better.all() else project_points(xyz)
    return xyz


_UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def _solve_steps(sums: Array, damping: Array) -> Array:
    """Steps (P, 3) of damped normal equations: their upper triangle and right side are the rows of `sums` (9, P)."""
    more = 1.0 + damping
    a, b, c, d, e, f = sums[0] * more + _TINY, sums[1], sums[2], sums[3] * more + _TINY, sums[4], sums[5] * more + _TINY
    g = sums[6:]
    # The inverse of a symmetric matrix by its cofactors.
    aa, ab, ac = d * f - e * e, c * e - b * f, b * e - c * d
    bb, bc, cc = a * f - c * c, b * c - a * e, a * d - b * b
    rows = (aa, ab, ac), (ab, bb, bc), (ac, bc, cc)
    return (np.stack([x * g[0] + y * g[1] + z * g[2] for x, y, z in rows]) / (a * aa + b * ab + c * ac)).T


_FIRST_DAMPING = 1e-4
"""Of the curvature: triangulated points lie near their best place, so that the first step is nearly Newton's."""
_NEAREST = 1e-9
"""Depth, in the model's unit, up to which a point counts as behind its camera: rounding of zero."""
_COST_BEHIND = 50.0
"""Of an observation behind its camera: more than any in front."""
_TINY = 1e-12
"""Keeps a point that nothing holds from dividing by zero."""
