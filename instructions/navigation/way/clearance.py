"""How far ahead of a walker the floor is free, by the points of the reconstruction: what stands there needs no name."""

from __future__ import annotations

import numpy as np

from recon.records import SceneModel

_WITHIN_DEG = 10.0
"""A walker's half width at two meters."""
_LEAST_M, _MOST_M = 0.3, 1.3
"""Heights above the floor (nominal meters): over a doorstep and its noise, and below what hangs on a wall."""
_POINTS = 8
"""So many points are no wrong matches."""


def measure_clear_m(model: SceneModel, frame: int, metre: float) -> float:
    """Nominal meters from a frame's camera to the first things that stand on its line of sight.

    Returns:
        Infinity where there are too few points, or no floor.
    """
    if model.floor_z is None:
        return float("inf")
    pose, xyz = model.world_from_cam[frame], model.tracks.xyz
    away = (xyz[:, :2] - pose.center[:2]) / metre
    forward = pose.forward[:2] / max(float(np.linalg.norm(pose.forward[:2])), 1e-9)
    ahead, aside = away @ forward, np.abs(away @ np.array([-forward[1], forward[0]]))
    height_m = (xyz[:, 2] - model.floor_z) / metre
    stands = (height_m >= _LEAST_M) & (height_m <= _MOST_M)
    first_m = np.sort(ahead[stands & (ahead > 0.0) & (aside <= ahead * np.tan(np.radians(_WITHIN_DEG)))])
    return float(first_m[_POINTS - 1]) if len(first_m) >= _POINTS else float("inf")
