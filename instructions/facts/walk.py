"""A trajectory as arrays, and where an upright box lies as seen by the walker. Geometry only, no judgement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from instructions.records import Obb
from recon.conventions import wrap_deg
from recon.geometry import Array
from trajectories.records import Trajectory


@dataclass(frozen=True, eq=False)
class Walk:
    """The points of one trajectory in time order. Lengths are in the trajectory's unit."""

    frames: tuple[int, ...]
    time_s: Array  # (N,)
    xy: Array  # (N, 2)
    heading_deg: Array  # (N,) unwrapped, so that differences are turns

    @classmethod
    def of(cls, trajectory: Trajectory) -> Walk:
        """Arrays of a trajectory."""
        points = trajectory.points
        heading = np.array([point.heading_deg for point in points], dtype=np.float64)
        return cls(
            trajectory.frames,
            np.array([point.time_s for point in points], dtype=np.float64),
            np.array([point.position[:2] for point in points], dtype=np.float64).reshape(-1, 2),
            np.unwrap(heading, period=360.0),
        )

    @cached_property
    def index_of(self) -> dict[int, int]:
        """Position in the walk of each frame."""
        return {frame: index for index, frame in enumerate(self.frames)}

    @cached_property
    def travelled(self) -> Array:
        """Path length up to each point, (N,)."""
        steps = np.linalg.norm(np.diff(self.xy, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])[: len(self.frames)]

    def direction(self, index: int, reach: float) -> Array | None:
        """Unit walking direction at a point, from `reach` before it to `reach` after it along the path; (2,) or None.

        None if the walker hardly gets anywhere on that stretch, so has no direction.
        """
        first = int(np.searchsorted(self.travelled, self.travelled[index] - reach))
        last = min(int(np.searchsorted(self.travelled, self.travelled[index] + reach)), len(self.frames) - 1)
        step = self.xy[last] - self.xy[first]
        length = float(np.linalg.norm(step))
        return step / length if length > 0.5 * reach else None

    def bearing_deg(self, index: int, xy: Array) -> float:
        """Angle from the optical axis to a place on the floor, left positive, in [-180, 180)."""
        away = xy - self.xy[index]
        return wrap_deg(float(np.degrees(np.arctan2(away[1], away[0]))) - float(self.heading_deg[index]))


def floor_center(box: Obb) -> Array:
    """Centre of a box on the floor plan, (2,)."""
    return np.array(box.center[:2])


def floor_distance(box: Obb, xy: Array) -> Array:
    """Distance on the floor plan from places (N, 2) to the nearest side of a box, 0 inside it: (N,)."""
    axes = np.array(box.rotation)[:2, :2]
    local = np.abs((np.atleast_2d(xy) - floor_center(box)) @ axes)
    return np.linalg.norm(np.maximum(local - np.array(box.half_extents[:2]), 0.0), axis=1)
