"""The turning of a way as swings to one side, from the raw heading."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from recon.geometry import Array

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
