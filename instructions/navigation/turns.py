"""Turns of a walker, from the heading alone: runs of steady turning, joined as a person would describe them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instructions.facts.walk import Walk

MOST_TOLD_DEG = 210.0
"""More than a turn around has no plain word, so turns are not joined beyond it."""


@dataclass(frozen=True, kw_only=True)
class TurnOptions:
    """What counts as a turn worth mentioning."""

    min_rate_deg_s: float = 12.0
    """Slower changes of heading are the sway of a walker."""
    min_angle_deg: float = 30.0
    """Smaller turns are not mentioned."""
    smooth_s: float = 0.4
    """Headings are averaged over this long to either side, less than a quick turn takes."""
    join_gap_s: float = 0.7
    """Pauses shorter than this do not end a turn."""
    same_spot_m: float = 1.0
    """Turns during which one walks less than this in all (nominal metres) are one turn to a listener."""
    glance_s: float = 5.0
    """A turn that is taken back within this time is a look to the side, not a turn of the way."""


@dataclass(frozen=True)
class Turn:
    """A turn between two positions of a walk (both belong), left positive."""

    first: int
    last: int
    angle_deg: float


def find_turns(walk: Walk, metre: float, options: TurnOptions) -> list[Turn]:
    """Turns of at least the least angle, in time order, never overlapping.

    Args:
        walk: In time order.
        metre: Length of one (nominal) metre in the walk's unit.
        options: Thresholds.
    """
    if len(walk.frames) < 3:
        return []
    merged = _merge(walk, _runs(walk, options), metre, options)
    return [turn for turn in merged if abs(turn.angle_deg) >= options.min_angle_deg]


def _runs(walk: Walk, options: TurnOptions) -> list[Turn]:
    """Stretches of steady turning in one direction."""
    time_s = walk.time_s
    low = np.searchsorted(time_s, time_s - options.smooth_s, side="left")
    high = np.searchsorted(time_s, time_s + options.smooth_s, side="right")
    total = np.concatenate([[0.0], np.cumsum(walk.heading_deg)])
    smooth = (total[high] - total[low]) / (high - low)
    rate = np.diff(smooth) / np.maximum(np.diff(time_s), 1e-6)  # one value per step
    sign = np.where(np.abs(rate) >= options.min_rate_deg_s, np.sign(rate), 0.0)
    runs: list[list[int]] = []  # first step, last step, sign
    for step in np.flatnonzero(sign):
        if runs and runs[-1][2] == sign[step] and time_s[step] - time_s[runs[-1][1] + 1] <= options.join_gap_s:
            runs[-1][1] = int(step)
        else:
            runs.append([int(step), int(step), int(sign[step])])
    turns = [_turn(walk, first, last + 1) for first, last, _ in runs]
    return [turn for turn in turns if abs(turn.angle_deg) > options.min_angle_deg / 3]


def _merge(walk: Walk, turns: Sequence[Turn], metre: float, options: TurnOptions) -> list[Turn]:
    """Join turns of one place; drop looks to the side."""
    merged: list[Turn] = []
    for turn in turns:
        merged.append(turn)
        while len(merged) >= 2:
            before, last = merged[-2], merged[-1]
            joined = _turn(walk, before.first, last.last)
            seconds = walk.time_s[last.last] - walk.time_s[before.first]
            is_one_spot = walk.travelled[last.last] - walk.travelled[before.first] < options.same_spot_m * metre
            is_back = before.angle_deg * last.angle_deg < 0
            is_glance = is_back and abs(joined.angle_deg) < options.min_angle_deg and seconds <= options.glance_s
            if is_glance and not is_one_spot:
                merged[-2:] = []
            elif is_one_spot and abs(joined.angle_deg) <= MOST_TOLD_DEG:
                merged[-2:] = [joined]
            else:
                break
    return merged


def _turn(walk: Walk, first: int, last: int) -> Turn:
    return Turn(first, last, float(walk.heading_deg[last] - walk.heading_deg[first]))
