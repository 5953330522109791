"""The way of the camera from view to view as steps of a turn and a distance, whose sums are those of the walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from recon.geometry import Array

TURN_DEG, BOTH_M = 20.0, 0.1
"""A step with less than both is added to the next one (SPRITE, 2025)."""
NO_TURN_DEG, ALONE_M = 5.0, 0.6
"""So is one that does not turn and goes less far than this."""
_MOST_TURN_DEG = 180.0


@dataclass(frozen=True)
class Step:
    """One turn, and what is walked then."""

    turn_deg: float
    """Left is positive; -180 to 180 unless two frames next to each other turn more."""
    distance: float
    """Along the floor, in the unit of the poses: the way taken, not the chord."""


def find_steps(xy: Array, heading_deg: Array, stops: Sequence[int], metre: float = 1.0) -> list[Step]:
    """Steps between stops of a walk; small ones are added to the next, and the rest closes the list.

    Args:
        xy: Floor positions of all frames, (N, 2).
        heading_deg: Of the optical axis, (N,), as atan2 gives it.
        stops: Positions in the walk, rising; steps lie between them.
        metre: One (nominal) metre in the unit of the positions.

    Returns:
        Steps whose turns and distances add up to those of the walk from the first stop to the last. None for fewer
        than two stops.
    """
    turned = np.unwrap(np.asarray(heading_deg, dtype=np.float64), period=360.0)
    walked = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(xy, axis=0), axis=1))])
    out: list[Step] = []
    turn, away = 0.0, 0.0
    for start, end in _split_wide(turned, list(stops)):
        turn, away = turn + float(turned[end] - turned[start]), away + float(walked[end] - walked[start])
        if not _is_small(turn, away / metre):
            out.append(Step(turn, away))
            turn, away = 0.0, 0.0
    if turn or away:
        out.append(Step(turn, away))
    return out


def round_steps(steps: Sequence[Step]) -> list[tuple[int, float]]:
    """Whole degrees and centimetres, rounded so that the sums stay the walk's to half of either."""
    turns = np.round(np.cumsum([step.turn_deg for step in steps])).astype(int)
    ways = np.round(np.cumsum([step.distance for step in steps]), 2)
    return [
        (int(turn), round(float(way), 2))
        for turn, way in zip(np.diff(turns, prepend=0), np.diff(ways, prepend=0.0), strict=True)
    ]


def say_step(turn_deg: int, distance_m: float) -> str:
    """`turn left by 35 degrees and walk 1.20 meters`."""
    turn = f"turn {'left' if turn_deg > 0 else 'right'} by {abs(turn_deg)} degrees" if turn_deg else ""
    walk = f"walk {distance_m:.2f} meters" if distance_m else ""
    return " and ".join(part for part in (turn, walk) if part) or "stay"


def _is_small(turn_deg: float, metres: float) -> bool:
    return (abs(turn_deg) < TURN_DEG and metres < BOTH_M) or (abs(turn_deg) < NO_TURN_DEG and metres < ALONE_M)


def _split_wide(turned: Array, stops: list[int]) -> list[tuple[int, int]]:
    """Pairs of neighbouring stops, with stops in between where a turn is more than half a circle."""
    out: list[tuple[int, int]] = []
    for start, end in pairwise(stops):
        while abs(turned[end] - turned[start]) > _MOST_TURN_DEG and end - start > 1:
            inside = np.abs(turned[start + 1 : end] - turned[start]) <= _MOST_TURN_DEG
            middle = start + 1 + (int(np.flatnonzero(~inside)[0]) - 1 if not inside.all() else end - start - 2)
            middle = min(max(middle, start + 1), end - 1)
            out.append((start, middle))
            start = middle
        out.append((start, end))
    return out
