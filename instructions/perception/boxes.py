"""Boxes made from points: upright in the world around a thing's points, and upright in the image around its pixels."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.records import Obb
from recon.geometry import Array

_YAW_STEP_DEG = 3.0
_MOST_FITTED = 400
"""About so many points, evenly over all, decide where the plane of a flat thing is; its sides are those of all."""
_LEAST_FACING = np.cos(np.radians(70.0))
"""Of the normal of a flat thing and the mean line of sight: flatter, and nobody could tell what it shows."""


def upright_box(points: Array, floor_z: float | None, snap: float) -> Obb:
    """Gravity-aligned box around the bulk of a cluster.

    Args:
        points: (N, 3), N >= 3, z up.
        floor_z: Height of the floor, None if unknown.
        snap: A box that starts lower than this above the floor is let down to it: the points next to the floor were
            taken away with the floor.

    Returns:
        Box over the 2nd to 98th percentile along its own axes; its yaw is that of the smallest rectangle around the
        plan of the inner points; axis 0 is the longer horizontal one, axis 2 is up.
    """
    middle = np.median(points, axis=0)
    spread = np.linalg.norm(points[:, :2] - middle[:2], axis=1)
    inner = points[spread <= np.percentile(spread, 97)]
    (_, _), (width, height), angle_deg = cv2.minAreaRect((inner[:, :2] - middle[:2]).astype(np.float32))
    yaw = np.radians(angle_deg + (90.0 if height > width else 0.0))
    if np.cos(yaw) < 0:
        yaw += np.pi
    axes = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    local = (points - middle) @ axes
    low, high = np.percentile(local, [2, 98], axis=0)
    return _box_over(low, high, axes, middle, floor_z, snap)


def find_inside(points: Array, box: Obb, margin: float) -> NDArray[np.bool_]:
    """Which points (N, 3) lie in a box that is widened by a margin, (N,)."""
    local = (points - np.array(box.center)) @ np.array(box.rotation)
    return np.all(np.abs(local) <= np.array(box.half_extents) + margin, axis=1)


def flat_box(points: Array, eyes: Array, depth: float, floor_z: float | None, snap: float) -> Obb:
    """Gravity-aligned box around what is flat and upright: a door, a window, a picture.

    Points that pictures put before or behind its plane, along the line of sight, make it no deeper.

    Args:
        points: (N, 3), N >= 3, z up.
        eyes: (M, 3), M >= 1: from where they were seen. A plane that was seen edge-on is not taken.
        depth: Of the box.
        floor_z: Height of the floor, None if unknown.
        snap: As for `upright_box`.

    Returns:
        Box around the vertical slab of that depth with the best-fitting points, over their 2nd to 98th percentile;
        axis 0 is the horizontal one along the plane, axis 2 is up.
    """
    middle = np.median(points, axis=0)
    around = (points - middle)[:: max(1, len(points) // _MOST_FITTED)]
    sight = (eyes - middle)[:, :2]
    sight = (sight / np.maximum(np.linalg.norm(sight, axis=1, keepdims=True), 1e-9)).mean(axis=0)
    best = (np.inf, 0.0, 0.0)
    for yaw in np.radians(np.arange(0.0, 180.0, _YAW_STEP_DEG)):
        normal = np.array([-np.sin(yaw), np.cos(yaw)])
        if abs(normal @ sight) < _LEAST_FACING * np.linalg.norm(sight):
            continue
        off = around[:, :2] @ normal
        places = np.arange(off.min(), off.max() + depth / 4, depth / 4)
        misfits = np.minimum((off - places[:, None]) ** 2, depth**2).sum(axis=1)
        best = min(best, (float(misfits.min()), float(yaw), float(places[misfits.argmin()])))
    _, yaw, place = best
    axes = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    local = (points - middle) @ axes
    on_plane = local[np.abs(local[:, 1] - place) <= depth]
    low, high = np.percentile(on_plane if len(on_plane) >= 3 else local, [2, 98], axis=0)
    low[1], high[1] = place - depth / 2, place + depth / 2
    return _box_over(low, high, axes, middle, floor_z, snap)


def image_box(pixels: Array, width: int, height: int) -> tuple[float, float, float, float] | None:
    """Box (x0, y0, x1, y1) over the 2nd to 98th percentile of pixels (N, 2), clipped; None if nothing is left of it."""
    if len(pixels) == 0:
        return None
    (x0, y0), (x1, y1) = np.clip(np.percentile(pixels, [2, 98], axis=0), 0.0, [width, height])
    return (float(x0), float(y0), float(x1), float(y1)) if x1 - x0 >= 1.0 and y1 - y0 >= 1.0 else None


def _box_over(low: Array, high: Array, axes: Array, middle: Array, floor_z: float | None, snap: float) -> Obb:
    """The box between two corners (3,) along `axes` from `middle`, let down to the floor where it is near."""
    if floor_z is not None and 0.0 < low[2] + middle[2] - floor_z < snap:
        low[2] = floor_z - middle[2]
    center = axes @ ((low + high) / 2) + middle
    x, y, z = (tuple(float(value) for value in row) for row in axes)
    return Obb(_vec3(center), _vec3(np.maximum((high - low) / 2, 1e-6)), (_vec3(x), _vec3(y), _vec3(z)))


def _vec3(values: Array | tuple[float, ...]) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
