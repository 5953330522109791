"""A trajectory as arrays, and how the walker moves on it: velocity, direction, turning. No judgement.

Lengths are in the trajectory's unit, angles in degrees with left positive, measured from the raw poses: nothing is
smoothed, and no stretch is chosen here. The caller names the positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from recon.geometry import Array
from trajectories.records import Trajectory


@dataclass(frozen=True, eq=False)
class Walk:
    """The points of one trajectory in time order."""

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

    def chord(self, index: int, reach: float, first: int, last: int) -> Array | None:
        """Unit direction between the nearest points of a stretch that lie at least `reach` from a position, (2,).

        Distances are as the crow flies, so standing and swaying do not count. An end of the stretch stands for a point
        that lies beyond it; None if the two are less than `reach` apart.
        """
        away = np.linalg.norm(self.xy[first : last + 1] - self.xy[index], axis=1) >= reach
        before, after = np.flatnonzero(away[: index - first]), np.flatnonzero(away[index - first + 1 :])
        start = first + int(before[-1]) if len(before) else first
        end = index + 1 + int(after[0]) if len(after) else last
        step = self.xy[end] - self.xy[start]
        length = float(np.linalg.norm(step))
        return step / length if length >= reach else None

    def measure_velocity(self, reach_s: float) -> Array:
        """Velocity at every position, over the positions at most `reach_s` before and after it.

        Where none is so near, the neighbours count; an end of the walk stands for what lies beyond it. (N, 2), in the
        walk's unit per second.
        """
        count = len(self.frames)
        slack_s = 1e-6  # times are sums of fractions of a second
        low = np.searchsorted(self.time_s, self.time_s - reach_s - slack_s, side="left")
        high = np.searchsorted(self.time_s, self.time_s + reach_s + slack_s, side="right") - 1
        low = np.maximum(np.minimum(low, np.arange(count) - 1), 0)
        high = np.minimum(np.maximum(high, np.arange(count) + 1), count - 1)
        seconds = np.maximum(self.time_s[high] - self.time_s[low], slack_s)
        return (self.xy[high] - self.xy[low]) / seconds[:, None]

    def measure_turn_deg(self, first: int, last: int) -> float:
        """Net change of heading between two positions; beyond 180 where the turn goes on."""
        return float(self.heading_deg[last] - self.heading_deg[first])


REVERSAL_DEG = 12.0
PAUSE_S, PAUSE_RATE_DEG_S = 0.6, 8.0
LEAST_SWING_DEG = 5.0


@dataclass(frozen=True)
class Swing:
    """Turning to one side without pause, between two positions; left positive."""

    first: int
    last: int
    angle_deg: float


def find_swings(heading_deg: Array, time_s: Array, first: int) -> tuple[Swing, ...]:
    """Runs of turning to one side; a reversal of less than `REVERSAL_DEG` ends none, a short pause ends one.

    Args:
        heading_deg: (N,) unwrapped.
        time_s: (N,) seconds.
        first: Position of the first entry in the walk.
    """
    out: list[Swing] = []
    for start, end in pairwise(find_turning_points(heading_deg, REVERSAL_DEG)):
        out += [
            Swing(first + a, first + b, float(heading_deg[b] - heading_deg[a]))
            for a, b in _cut_at_pauses(heading_deg, time_s, start, end)
        ]
    return tuple(swing for swing in out if abs(swing.angle_deg) >= LEAST_SWING_DEG)


def _cut_at_pauses(heading_deg: Array, time_s: Array, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a run of turning where the heading rests."""
    rate = np.abs(np.diff(heading_deg)) / np.maximum(np.diff(time_s), 1e-6)
    parts: list[tuple[int, int]] = []
    begin = position = start
    while position < end:
        rest = position
        while rest < end and rate[rest] < PAUSE_RATE_DEG_S:
            rest += 1
        if time_s[rest] - time_s[position] >= PAUSE_S:
            if position > begin:
                parts.append((begin, position))
            begin = position = rest
        else:
            position += 1
    if end > begin:
        parts.append((begin, end))
    return parts


def find_turning_points(values: Array, reversal: float) -> list[int]:
    """First and last position and every extreme that the values come back from by at least `reversal`."""
    points, extreme, direction = [0], 0, 0
    for i in range(1, len(values)):
        change = values[i] - values[extreme]
        if direction == 0:
            if abs(values[i] - values[0]) >= reversal:
                direction, extreme = int(np.sign(values[i] - values[0])), i
        elif change * direction >= 0:
            extreme = i
        elif abs(change) >= reversal:
            points.append(extreme)
            direction, extreme = -direction, i
    if points[-1] != len(values) - 1:
        points.append(len(values) - 1)
    return points
