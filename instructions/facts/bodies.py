"""The body of a thing, what stands for it in every measure: the corners of its box, or its cleaned points.

Lengths are in the unit of the points (the model's), those of size words in (nominal) meters. Nothing is cleaned or
clipped here: extents are full extents.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import hypot, sqrt

import numpy as np

from instructions.records import Obb, Vec3
from recon.geometry import Array, require_shape

_SIGNS = np.array(list(product((-1.0, 1.0), repeat=3)))
_ROUNDING = 1e-3
"""Axes written with four decimals differ from a rotation by up to 2e-4."""
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Body:
    """A thing as a solid. `points` are the corners of `box` where nothing finer is known."""

    box: Obb
    points: Array  # (N, 3)
    is_cloud: bool = False
    """Whether `points` are the thing's own and not the corners of its box."""
    eye: Array | None = None  # (3,)
    """Of the only picture, where the distance of the thing was learned from that picture."""
    range_sigma: float = 0.0
    """Relative standard deviation of that distance; sizes are as far off."""

    @classmethod
    def of_box(cls, box: Obb) -> Body:
        """The body of a thing whose box is known.

        Raises:
            ValueError: For a value that is not finite, a side that is not positive, or axes that are no rotation.
        """
        center, half, axes = np.array(box.center), np.array(box.half_extents), np.array(box.rotation)
        require_shape("box center", center, (3,))
        require_shape("box half_extents", half, (3,))
        require_shape("box rotation", axes, (3, 3))
        if half.min() <= 0:
            raise ValueError(f"box half_extents are {box.half_extents}, need positive ones")
        off = float(np.abs(axes @ axes.T - np.eye(3)).max())
        if off > _ROUNDING or np.linalg.det(axes) < 0:
            raise ValueError(f"box rotation is no rotation: R R^T differs from identity by {off:.1e}")
        return cls(box, center + (_SIGNS * half) @ axes.T)

    @classmethod
    def of_points(cls, points: Array, *, upright: bool) -> Body:
        """The body of a thing whose cleaned points (N, 3) are known: z up if `upright`, else in camera axes.

        Raises:
            ValueError: For no points, or values that are not finite.
        """
        points = np.asarray(points, dtype=np.float64)
        require_shape("points", points, (None, 3))
        if len(points) == 0:
            raise ValueError("a body needs points, got none")
        return cls(upright_box(points) if upright else aabb(points), points, is_cloud=True)

    @cached_property
    def center(self) -> Array:
        """Centre of the box, (3,); never the mean of points, which leans to the camera and to texture."""
        return np.array(self.box.center)

    @cached_property
    def axes(self) -> Array:
        """Axes of the box in the world as columns, (3, 3)."""
        return np.array(self.box.rotation)

    @cached_property
    def half(self) -> Array:
        """Half sides of the box, (3,)."""
        return np.array(self.box.half_extents)

    def sigma_along(self, sigma: float, direction: Array) -> float:
        """Standard deviation of a place of the body along a unit vector of the world; `sigma` is that along the worst
        direction. A distance learned from one picture is off along the line of sight and nowhere else.
        """
        if self.eye is None:
            return sigma
        ray = self.center - self.eye
        return hypot(self._face_sigma(sigma), self.range_sigma * float(ray @ direction))

    def size_sigma(self, sigma: float, size: float) -> float:
        """Standard deviation of one of its sizes; `sigma` as in `sigma_along`."""
        return hypot(2**0.5 * self._face_sigma(sigma), self.range_sigma * size)

    def _face_sigma(self, sigma: float) -> float:
        """What is left of `sigma` without the error of the distance."""
        if self.eye is None:
            return sigma
        return sqrt(max(sigma**2 - (self.range_sigma * float(np.linalg.norm(self.center - self.eye))) ** 2, 0.0))

    def span(self, direction: Array) -> tuple[float, float]:
        """Least and greatest coordinate of the body along a unit vector."""
        along = self.points @ direction
        return float(along.min()), float(along.max())

    def extent(self, direction: Array) -> float:
        """How far the body spreads along a unit vector."""
        low, high = self.span(direction)
        return high - low

    @property
    def bottom(self) -> float:
        """Least z."""
        return self.span(UP)[0]

    @property
    def top(self) -> float:
        """Greatest z."""
        return self.span(UP)[1]

    @cached_property
    def mean_side(self) -> float:
        """Mean side of the box."""
        return float(2 * self.half.mean())


def aabb(points: Array) -> Obb:
    """The box around points (N, 3) along the axes that they are given in."""
    low, high = points.min(axis=0), points.max(axis=0)
    return _box((low + high) / 2, (high - low) / 2, np.eye(3))


def upright_box(points: Array) -> Obb:
    """The smallest box with a vertical axis around points (N, 3), z up.

    Its plan is the rectangle of least area around theirs, which has a side along one edge of the convex hull. Axis 0 is
    the longer horizontal one, axis 2 is up.
    """
    from scipy.spatial import ConvexHull, QhullError  # here: who only reads records does not wait for it

    points = np.asarray(points, dtype=np.float64)
    plan = points[:, :2]
    try:
        hull = plan[ConvexHull(plan).vertices]
        edges = np.roll(hull, -1, axis=0) - hull
    except (QhullError, ValueError):  # fewer than three points, or all on a line: a rectangle along that line
        middle = plan.mean(axis=0)
        hull, edges = plan, np.linalg.svd(plan - middle, full_matrices=True)[2][:1]
    edges = edges / np.linalg.norm(edges, axis=1, keepdims=True)
    along = hull @ edges.T  # (H, E)
    across = hull @ np.column_stack([-edges[:, 1], edges[:, 0]]).T
    area = np.ptp(along, axis=0) * np.ptp(across, axis=0)
    best = int(np.argmin(area))
    u = edges[best]
    if np.ptp(along[:, best]) < np.ptp(across[:, best]):
        u = np.array([-u[1], u[0]])
    axes = np.array([[u[0], -u[1], 0.0], [u[1], u[0], 0.0], [0.0, 0.0, 1.0]])
    local = points @ axes
    low, high = local.min(axis=0), local.max(axis=0)
    return _box(axes @ ((low + high) / 2), (high - low) / 2, axes)


def _box(center: Array, half: Array, axes: Array) -> Obb:
    x, y, z = (_vec3(row) for row in axes)
    return Obb(_vec3(center), _vec3(half), (x, y, z))


def _vec3(values: Array) -> Vec3:
    return float(values[0]), float(values[1]), float(values[2])


def floor_center(box: Obb) -> Array:
    """Centre of a box on the floor plan, (2,)."""
    return np.array(box.center[:2])


def floor_distance(box: Obb, xy: Array) -> Array:
    """Distance on the floor plan from places (N, 2) to the nearest side of a box, 0 inside it: (N,)."""
    axes = np.array(box.rotation)[:2, :2]
    local = np.abs((np.atleast_2d(xy) - floor_center(box)) @ axes)
    return np.linalg.norm(np.maximum(local - np.array(box.half_extents[:2]), 0.0), axis=1)


def size_word(box: Obb, floor_z: float | None, metre: float) -> str | None:
    """One word for what is striking about a box, or None.

    With lengths in (nominal) metres, the first that holds: `tall`: at least 1.2 high and 1.3 times as high as long;
    `small`: no side over 0.55; `wide`: at least 1.4 long and 1.6 times as long as high; `low`: at least 0.6 long with
    its top under 0.6 above the floor; `large`: a side of at least 1.1. A scene without scale uses nominal metres, so
    the words then mean "for this scene".
    """
    length, height = 2 * box.half_extents[0] / metre, 2 * box.half_extents[2] / metre
    top = (box.center[2] + box.half_extents[2] - floor_z) / metre if floor_z is not None else None
    if height >= 1.2 and height >= 1.3 * length:
        return "tall"
    if max(length, height) <= 0.55:
        return "small"
    if length >= 1.4 and length >= 1.6 * height:
        return "wide"
    if top is not None and top < 0.6 and length >= 0.6:
        return "low"
    return "large" if max(length, height) >= 1.1 else None
