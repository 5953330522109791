"""The floor below the cameras of an upright model: the lowest level with wide support, not the largest table top."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array

_BAND = 0.03
"""Half thickness of a level relative to the depth searched below the cameras: some 5 cm for a camera at 1.5 m."""
_CELL = 0.25
"""Side of a floor-plan cell, same unit: some 40 cm. Support is counted in cells, so a patterned rug is no floor."""
_LEAST_CELLS = 4
_LEAST_POINTS = 20
_SHARE_OF_BEST = 0.4
"""A lower level replaces a better supported one (a table, a bed) if it covers at least this share of its cells."""
_LEAST_CONTRAST = 1.5
"""Points in the band over those in the two next bands of the fuller side, averaged; walls and clutter give about 1."""
_LEAST_SIGMAS = 5.0
"""By so many standard deviations of counting must the band exceed that average; some 60 levels are tried."""


@dataclass(frozen=True)
class Floor:
    """A level plane of an upright model."""

    z: float
    points: int
    cells: int
    """Floor-plan cells with points, the support."""
    spread: float
    """Robust standard deviation of the points' heights about `z`, in the model's unit."""


def find_floor(xyz: Array, centers: Array) -> Floor | None:
    """Find the floor.

    Args:
        xyz: (N, 3) points, z up, in any unit.
        centers: (F, 3) camera centres in the same world; at least one.

    Returns:
        The floor, or None if no level below the cameras has support. Steps and split levels: the level that the
        cameras' median height stands on is meant, and the lowest well-supported one is returned.
    """
    camera_z = float(np.median(centers[:, 2]))
    below = xyz[xyz[:, 2] < camera_z]
    if len(below) < _LEAST_POINTS:
        return None
    # Far outliers below the floor (mirrors, wrong matches) must not set the unit.
    depth = camera_z - float(np.percentile(below[:, 2], 5))
    band, cell = _BAND * depth, _CELL * depth
    # Hands do not touch the floor: anything nearer to the cameras than a third of the depth is furniture.
    below = below[below[:, 2] < camera_z - depth / 3]
    levels = np.arange(float(np.percentile(below[:, 2], 0.5)) - band, camera_z - depth / 3, band / 2)
    plan = np.floor(below[:, :2] / cell).astype(np.int64)
    floors = [_level(below[:, 2], plan, float(z), band) for z in levels]
    supported = [floor for floor in floors if floor is not None]
    if not supported:
        return None
    most = max(floor.cells for floor in supported)
    lowest = next(floor for floor in supported if floor.cells >= max(_LEAST_CELLS, _SHARE_OF_BEST * most))
    # The scan meets the floor from below: take its best level, no more than two bands higher.
    peak = max((floor for floor in supported if 0 <= floor.z - lowest.z <= 2 * band), key=lambda floor: floor.points)
    return _center(below[:, 2], plan, peak, band)


def _level(z: Array, plan: NDArray[np.int64], height: float, band: float) -> Floor | None:
    """Support of one height, None where it does not stand out."""
    rows = np.abs(z - height) <= band
    count = int(rows.sum())
    next_to = max(int((np.abs(z - height - side * 3 * band) <= 2 * band).sum()) / 2 for side in (-1, 1))
    if count < max(_LEAST_POINTS, _LEAST_CONTRAST * next_to, next_to + _LEAST_SIGMAS * np.sqrt(next_to)):
        return None
    cells = len(np.unique(plan[rows], axis=0))
    return Floor(height, count, cells, 0.0) if cells >= _LEAST_CELLS else None


def _center(z: Array, plan: NDArray[np.int64], floor: Floor, band: float) -> Floor:
    """The same floor at the median of its points."""
    height = floor.z
    for _ in range(5):
        height = float(np.median(z[np.abs(z - height) <= band]))
    rows = np.abs(z - height) <= band
    spread = 1.4826 * float(np.median(np.abs(z[rows] - height)))
    return Floor(height, int(rows.sum()), len(np.unique(plan[rows], axis=0)), spread)
