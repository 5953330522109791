"""Where a thing lies to somebody who stands at one thing and faces another, on the floor plan."""

from __future__ import annotations

import numpy as np

from recon.geometry import Array


def measure_facing(stand: Array, look: Array, target: Array) -> tuple[float, float]:
    """How far ahead and how far to the right a target lies, for one who stands and looks.

    Args:
        stand: Where one stands, (3,) or (2,), z up; only the floor plan counts.
        look: What one looks at.
        target: What is asked about.

    Returns:
        Along f = (look - stand) on the floor and along r = (f_y, -f_x), in the unit of the points.

    Raises:
        ValueError: If one stands where one looks.
    """
    ahead = np.asarray(look[:2], dtype=np.float64) - np.asarray(stand[:2], dtype=np.float64)
    length = float(np.hypot(*ahead))
    if length == 0.0:
        raise ValueError("nobody can face the place where he stands")
    f = ahead / length
    away = np.asarray(target[:2], dtype=np.float64) - np.asarray(stand[:2], dtype=np.float64)
    return float(away @ f), float(away @ (f[1], -f[0]))


def measure_facing_bearing_deg(stand: Array, look: Array, target: Array) -> float:
    """The same as an angle: 0 is straight ahead, 90 to the right, in (-180, 180]."""
    ahead, right = measure_facing(stand, look, target)
    return float(np.degrees(np.arctan2(right, ahead)))


def measure_corridor(between: Array, start: Array, end: Array) -> tuple[float, float, float]:
    """Where a place lies to the straight way from one place to another, on the floor plan.

    Returns:
        How far along the way from `start`, how far beside it (never negative), and how long the way is.
    """
    way = np.asarray(end[:2], dtype=np.float64) - np.asarray(start[:2], dtype=np.float64)
    length = float(np.hypot(*way))
    away = np.asarray(between[:2], dtype=np.float64) - np.asarray(start[:2], dtype=np.float64)
    if length == 0.0:
        return 0.0, float(np.hypot(*away)), 0.0
    along = float(away @ way) / length
    return along, abs(float(away[0] * way[1] - away[1] * way[0])) / length, length
