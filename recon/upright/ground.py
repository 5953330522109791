"""The floor below the cameras of an upright model: the lowest level with wide support, not the largest table top."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recon.audit.floor_height import LEAST_NEAR
from recon.colmap.observations import well_triangulated
from recon.geometry import Array
from recon.records import FLOOR, UNNAMED, SceneModel

_BAND = 0.03
"""Half thickness of a level relative to the depth searched below the cameras: some 5 cm for a camera at 1.5 m."""
_CELL = 0.25
"""Side of a floor-plan cell, same unit: some 40 cm. Support is counted in cells, so a patterned rug is no floor."""
_LEAST_CELLS = 4  # some 0.6 m2: what covers less is a step or a thing. Set by hand.
_LEAST_POINTS = 20  # weighted points of a level. Set by hand.
_SHARE_OF_BEST = 0.4
"""A lower level replaces a better supported one (a table, a bed) if it covers at least this share of its cells."""
_LEAST_CONTRAST = 1.5
"""Points in the band over those in the two next bands of the fuller side, averaged; walls and clutter give about 1."""
_LEAST_SIGMAS = 5.0
"""By so many standard deviations of counting must the band exceed that average; some 60 levels are tried."""
_BELOW_BANDS = 7
"""A point lies below a level, and not on it, from so many bands on: a fifth of the depth, some 30 cm."""
_MOST_BELOW = 0.15
"""Share of the points below the cameras that may lie below the floor. Floors that shine have up to 0.08 there, by
what they mirror, others 0.01; the tops of a bed and of a row of desks that stood out as levels had 0.46 and 0.56."""
_MOST_NAMED_BELOW = 0.5
"""Share of the points called floor that may lie below the floor. A level over most of them is a counter's or a bed's,
however well it stands out: a floor that shines has few points and a counter many."""
_NAMED_FLOOR, _NAMED_OTHER = 3.0, 1.0 / 3.0
"""What a point counts that several views call floor, and one that they call something else: such names are right about
three times in four, so a bare floor with few points is found, and a bed or a rug of many points is no floor."""

_FLOOR_BAND = 0.06  # of the camera height, some 9 cm: noise of points on a floor
_FLOOR_SHARE = 0.6
"""A cell shows the floor if this share of its points lies within the band (of the camera height) of their median."""


@dataclass(frozen=True)
class _Level:
    z: float
    points: float  # those that pictures call floor count more, those that they call something else less
    cells: float  # floor-plan cells with points, counted alike: the support


def find_floor(xyz: Array, centers: Array, surfaces: NDArray[np.uint8] | None = None) -> float | None:
    """Find the height of the floor.

    Args:
        xyz: (N, 3) points, z up, in any unit.
        centers: (F, 3) camera centres in the same world; at least one.
        surfaces: What each point (N,) lies on (`recon.records`), where pictures say so.

    Returns:
        Its z, or None if no level below the cameras has support, or much lies below each that has. Steps and split
        levels: the level that the cameras' median height stands on is meant, and the lowest well-supported one is
        returned.
    """
    camera_z = float(np.median(centers[:, 2]))
    weight = np.ones(len(xyz)) if surfaces is None else _weigh(surfaces)
    rows = xyz[:, 2] < camera_z
    below, weight = xyz[rows], weight[rows]
    if weight.sum() < _LEAST_POINTS:
        return None
    # Far outliers below the floor (mirrors, wrong matches) must not set the unit.
    depth = camera_z - float(np.percentile(below[:, 2], 5))
    band, cell = _BAND * depth, _CELL * depth
    # Hands do not touch the floor: anything nearer to the cameras than a third of the depth is furniture.
    rows = below[:, 2] < camera_z - depth / 3
    below, weight = below[rows], weight[rows]
    levels = np.arange(float(np.percentile(below[:, 2], 0.5)) - band, camera_z - depth / 3, band / 2)
    plan = np.floor(below[:, :2] / cell).astype(np.int64)
    floors = [_level(below[:, 2], plan, weight, float(z), band) for z in levels]
    is_below = xyz[:, 2] < camera_z
    limits = [(xyz[is_below, 2], _MOST_BELOW)]
    if surfaces is not None and (is_below & (surfaces == FLOOR)).any():
        limits.append((xyz[is_below & (surfaces == FLOOR), 2], _MOST_NAMED_BELOW))
    supported = [
        floor
        for floor in floors
        if floor is not None and all(np.mean(z < floor.z - _BELOW_BANDS * band) <= most for z, most in limits)
    ]
    if not supported:
        return None
    most = max(floor.cells for floor in supported)
    lowest = next(floor for floor in supported if floor.cells >= max(_LEAST_CELLS, _SHARE_OF_BEST * most))
    # The scan meets the floor from below: take its best level, no more than two bands higher.
    peak = max((floor for floor in supported if 0 <= floor.z - lowest.z <= 2 * band), key=lambda floor: floor.points)
    return _center(below[:, 2], weight, peak.z, band)


def measure_floor_range(model: SceneModel) -> float:
    """By how much parts of the floor differ in height: what a model that bends or leans, or a step, makes of one level.

    Returns:
        Spread (5 to 95 %) of the local floor heights in cells of the plan one camera height wide, in the unit of the
        model; 0 for fewer than three cells. Only cells count in which most points near the floor share one height; the
        rest shows the feet of furniture.
    """
    if model.floor_z is None:
        return 0.0
    height = float(np.median(model.centers[:, 2])) - model.floor_z
    xyz = model.tracks.xyz[well_triangulated(model.tracks, model.world_from_cam)] - [0.0, 0.0, model.floor_z]
    near = xyz[np.abs(xyz[:, 2]) < 0.2 * height]
    if len(near) == 0:
        return 0.0
    cells, member = np.unique(np.floor(near[:, :2] / height), axis=0, return_inverse=True)
    levels = []
    for cell in range(len(cells)):
        z = near[member == cell, 2]
        level = float(np.median(z))
        if len(z) >= LEAST_NEAR and np.mean(np.abs(z - level) < _FLOOR_BAND * height) >= _FLOOR_SHARE:
            levels.append(level)
    low, high = np.percentile(levels, [5, 95]) if len(levels) >= 3 else (0.0, 0.0)
    return float(high - low)


def _weigh(surfaces: NDArray[np.uint8]) -> Array:
    """What each point counts, (N,)."""
    return np.where(surfaces == FLOOR, _NAMED_FLOOR, np.where(surfaces == UNNAMED, 1.0, _NAMED_OTHER))


def _level(z: Array, plan: NDArray[np.int64], weight: Array, height: float, band: float) -> _Level | None:
    """Support of one height, None where it does not stand out."""
    rows = np.abs(z - height) <= band
    count = float(weight[rows].sum())
    next_to = max(float(weight[np.abs(z - height - side * 3 * band) <= 2 * band].sum()) / 2 for side in (-1, 1))
    if count < max(_LEAST_POINTS, _LEAST_CONTRAST * next_to, next_to + _LEAST_SIGMAS * np.sqrt(next_to)):
        return None
    # Cells with points, each counting as much as its weightiest point.
    cells, member = np.unique(plan[rows], axis=0, return_inverse=True)
    best = np.zeros(len(cells))
    np.maximum.at(best, member.reshape(-1), weight[rows])
    weighed = float(best.sum())
    return _Level(height, count, weighed) if weighed >= _LEAST_CELLS else None


def _center(z: Array, weight: Array, height: float, band: float) -> float:
    """The median of a level's points, without those that are known to be something else."""
    free = weight >= 1.0
    for _ in range(5):
        inside = z[free & (np.abs(z - height) <= band)]
        height = float(np.median(inside)) if len(inside) else height
    return height
