"""Boxes made from points: upright in the world around a thing's points, and upright in the image around its pixels."""

from __future__ import annotations

import cv2
import numpy as np

from instructions.records import Obb
from recon.geometry import Array


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
    if floor_z is not None and 0.0 < low[2] + middle[2] - floor_z < snap:
        low[2] = floor_z - middle[2]
    center = axes @ ((low + high) / 2) + middle
    x, y, z = (tuple(float(value) for value in row) for row in axes)
    return Obb(_vec3(center), _vec3(np.maximum((high - low) / 2, 1e-6)), (_vec3(x), _vec3(y), _vec3(z)))


def image_box(pixels: Array, width: int, height: int) -> tuple[float, float, float, float] | None:
    """Box (x0, y0, x1, y1) over the 2nd to 98th percentile of pixels (N, 2), clipped; None if nothing is left of it."""
    if len(pixels) == 0:
        return None
    (x0, y0), (x1, y1) = np.clip(np.percentile(pixels, [2, 98], axis=0), 0.0, [width, height])
    return (float(x0), float(y0), float(x1), float(y1)) if x1 - x0 >= 1.0 and y1 - y0 >= 1.0 else None


def _vec3(values: Array | tuple[float, ...]) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
