"""Which way a walk faces, so that turns of the walk alone are in it and a head that turns aside makes none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from instructions.facts.walk import Walk
from recon.conventions import wrap_deg
from recon.geometry import Array

Mask = NDArray[np.bool_]
_HABIT_S = 2.5
"""A head that is held aside for longer than this to either side is not turned aside any more: it is held so."""


def find_facing(walk: Walk, is_aside: Mask, stands: Mask, off_deg: Array, leads: Mask) -> tuple[Array, Array]:
    """Find which way a walk faces at every position, in degrees, (N,) unwrapped; only differences have a meaning.

    Where it goes forward, a turn is one that feet and view both make, soon one after the other. Between two such
    stretches with a rest, it turns by the less of what feet and view turn: who looks aside and goes on has not turned.
    Sideways and backwards it faces on: what turns there is the view. Before and after all, the view decides.

    Args:
        walk: In time order.
        is_aside: (N,) where it goes sideways or backwards.
        stands: (N,) where it stands.
        off_deg: (N,) direction of travel against the view; without meaning where it stands.
        leads: (N,) where the walk goes forward beyond doubt.

    Returns:
        Which way it faces, and the same with the direction of travel alone where it goes forward.
    """
    facing_deg = drop_steps(walk.heading_deg, is_aside)
    feet_deg = facing_deg.copy()
    last: int | None = None
    for known in _find_runs(is_aside | stands, leads):
        begin, end = int(known[0]), int(known[-1])
        inner = slice(begin, end + 1)
        course_deg = walk.heading_deg[known] + np.unwrap(off_deg[known], period=360.0)
        course_deg = np.interp(walk.time_s[inner], walk.time_s[known], course_deg)
        aside_deg = walk.heading_deg[inner] - course_deg
        aside_deg -= _find_habit(aside_deg, walk.time_s[inner])
        own_deg = _follow_both(course_deg, course_deg + aside_deg)
        if last is not None:
            aside = last + np.flatnonzero(is_aside[last:begin])
            gaps = ((last, int(aside[0])), (int(aside[-1]) + 1, begin)) if len(aside) else ((last, begin),)
            for start, stop in gaps:
                turned_deg = _turn_with_both(walk, off_deg, start, stop)
                for angle_deg in (facing_deg, feet_deg):
                    _put(angle_deg, slice(start, stop + 1), turned_deg)
        _put(facing_deg, inner, own_deg)
        _put(feet_deg, inner, course_deg)
        last = end
    return facing_deg, feet_deg


def _put(angle_deg: Array, part: slice, own_deg: Array) -> None:
    """Let a part turn as it does by itself, and what follows go on from there."""
    own_deg = own_deg - own_deg[0] + angle_deg[part.start]
    angle_deg[part.stop :] += own_deg[-1] - angle_deg[part.stop - 1]
    angle_deg[part] = own_deg


def drop_steps(angle_deg: Array, where: Mask) -> Array:
    """Angles, (N,), as if they stood still at some of the positions."""
    steps = np.diff(angle_deg)
    steps[where[:-1] | where[1:]] = 0.0
    return angle_deg[:1] + np.concatenate([[0.0], np.cumsum(steps)])[: len(angle_deg)]


def _find_runs(parted: Mask, leads: Mask) -> list[NDArray[np.int64]]:
    """Positions that lead, those of each stretch forward together."""
    known = np.flatnonzero(leads)
    parts = np.cumsum(parted)[known]
    return [known[parts == part] for part in np.unique(parts)]


def _find_habit(aside_deg: Array, time_s: Array) -> Array:
    """The median of what is around: how far aside a head is held all the time, which is no look."""
    low = np.searchsorted(time_s, time_s - _HABIT_S)
    high = np.searchsorted(time_s, time_s + _HABIT_S, side="right")
    return np.array([np.median(aside_deg[a:b]) for a, b in zip(low, high, strict=True)])


def _turn_with_both(walk: Walk, off_deg: Array, first: int, last: int) -> Array:
    """A turn from one position to another by the less of what view and direction of travel turn.

    With the view as far as it makes the turn, else evenly.
    """
    of_view = walk.measure_turn_deg(first, last)
    of_feet = of_view + float(wrap_deg(off_deg[last] - off_deg[first]))
    turn = of_feet if abs(of_feet) <= abs(of_view) else of_view
    part = slice(first, last + 1)
    if turn * of_view > 0.0 and abs(turn) >= 0.5 * abs(of_view):
        return turn / of_view * (walk.heading_deg[part] - walk.heading_deg[first])
    passed_s = walk.time_s[part] - walk.time_s[first]
    return turn * passed_s / max(float(passed_s[-1]), 1e-6)


def _follow_both(one_deg: Array, other_deg: Array) -> Array:
    """The laziest angle between two, (N,) each: it turns only where both have left it on one side."""
    low, high = np.minimum(one_deg, other_deg), np.maximum(one_deg, other_deg)
    floor, ceiling = np.maximum.accumulate(low), np.minimum.accumulate(high)
    parted = np.flatnonzero(floor > ceiling)
    stop = int(parted[0]) if len(parted) else len(low)
    rises = stop < len(low) and low[stop] > ceiling[stop - 1]
    out = np.full(len(low), ceiling[stop - 1] if rises else floor[stop - 1])
    for at in range(stop, len(out)):
        out[at] = np.clip(out[at - 1], low[at], high[at])
    return out
