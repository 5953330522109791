"""Turns and looks of a walker: runs of turning to one side, joined as a person would describe them.

What turns is the walk (`Motion.facing_deg`): the direction of travel while it goes forward, the view where it stands.
Turns of opposite sense are never added up. Looks are turns of the view that the walk does not make. Who walks forward
and looks aside goes where it went, so nothing is told; who stands, or goes sideways or backwards, does so against the
view. A glance that is taken back within a second is not told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from instructions.facts.walk import average_around, find_runs, find_turning_points
from instructions.navigation.moves.motion import Mask, Motion
from recon.geometry import Array
from recon.ranges import HalfTurn, NotNegative, Seconds, Share

_VIEW_LAG_S = 1.5
"""The view begins and ends a turn so long before or after the feet at most."""
_GLANCE_S = 1.0
"""Who turns on the spot and begins to turn back before so long has only glanced aside."""
MOST_TOLD_DEG = 210.0
"""More than a turn around has no plain word, so turns are not joined beyond it."""


@dataclass(frozen=True, kw_only=True)
class TurnOptions:
    """What counts as a turn worth mentioning."""

    min_rate_deg_s: NotNegative = 12.0
    """Slower changes of heading are the sway of a walker."""
    min_angle_deg: HalfTurn = 30.0
    """Smaller turns are not mentioned."""
    smooth_s: Seconds = 0.4
    """Headings are averaged over this long to either side, less than a quick turn takes."""
    join_gap_s: NotNegative = 0.7
    """Pauses shorter than this do not end a turn."""
    sway_deg: HalfTurn = 15.0
    """Turning back by less than this is no turn of its own, and does not end one."""
    curve_deg: HalfTurn = 25.0
    """Slow turning to one side that adds up to this much is a bend, and the text says so."""
    same_spot_m: NotNegative = 1.0
    """Turns to one side during which one walks less than this in all (nominal metres) are one turn to a listener."""


@dataclass(frozen=True)
class Turn:
    """A turn between two positions of a walk (both belong), left positive."""

    first: int
    last: int
    angle_deg: float
    is_look: bool = False
    """Taken back on the spot before the walk goes on: `angle_deg` is how far it looks, and it ends looking ahead."""
    is_seen: bool = False
    """By the view: the feet may go another way, so one around is told with its side."""


def find_turns(motion: Motion, options: TurnOptions = TurnOptions()) -> list[Turn]:
    """Turns of at least the least angle, in time order, never overlapping."""
    if len(motion.walk.frames) < 3:
        return []
    smooth_deg = average_around(motion.facing_deg, motion.walk.time_s, options.smooth_s)
    runs = _runs(motion, smooth_deg, options)
    turns = [run for run in runs if abs(run.angle_deg) >= options.min_angle_deg]
    edges = [0, *(index for turn in turns for index in (turn.first, turn.last)), len(smooth_deg) - 1]
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        turns += _bends(motion, smooth_deg, first, last, options)
    turns += [run for run in runs if not any(run.first < other.last and other.first < run.last for other in turns)]
    merged = _merge(motion, sorted(turns, key=lambda turn: turn.first), options)
    told = [turn for turn in merged if abs(turn.angle_deg) >= options.min_angle_deg]
    edges = [0, *(index for turn in told for index in (turn.first, turn.last)), len(smooth_deg) - 1]
    between = zip(told, edges[:-2:2], edges[3::2], strict=True)
    return [_widen(motion, turn, low, high, options) for turn, low, high in between]


def _widen(motion: Motion, turn: Turn, low: int, high: int, options: TurnOptions) -> Turn:
    """A turn from where the view begins it to where it ends it, between two positions, steadily and soon enough.

    What the view turns more than the feet, it turns from a look aside back to the way: that comes before the turn.
    """
    time_s, sign = motion.walk.time_s, float(np.sign(turn.angle_deg))
    view_deg = sign * motion.walk.heading_deg
    turns = np.diff(view_deg) >= options.min_rate_deg_s * np.diff(time_s)
    first, last = turn.first, turn.last
    while first > low and turns[first - 1] and time_s[turn.first] - time_s[first - 1] <= _VIEW_LAG_S:
        first -= 1
    while last < high and turns[last] and time_s[last + 1] - time_s[turn.last] <= _VIEW_LAG_S:
        last += 1
    of_feet = sign * float(motion.feet_deg[last] - motion.feet_deg[first])
    while first < turn.first and view_deg[last] - view_deg[first] > of_feet:
        first += 1
    wide = _turn(motion, first, last)
    return wide if abs(turn.angle_deg) < abs(wide.angle_deg) <= MOST_TOLD_DEG and wide.angle_deg * sign > 0.0 else turn


def is_taken_back(motion: Motion, before: Turn, after: Turn) -> bool:
    """Whether a turn begins to be turned back, however far, within a second of its end."""
    time_s = motion.walk.time_s
    return before.angle_deg * after.angle_deg < 0.0 and bool(time_s[after.first] - time_s[before.last] <= _GLANCE_S)


def _runs(motion: Motion, smooth_deg: Array, options: TurnOptions) -> list[Turn]:
    """Stretches of steady turning in one direction."""
    time_s = motion.walk.time_s
    rate = np.diff(smooth_deg) / np.maximum(np.diff(time_s), 1e-6)  # one value per step
    sign = np.where(np.abs(rate) >= options.min_rate_deg_s, np.sign(rate), 0.0)
    runs: list[list[int]] = []  # first step, last step, sign
    for step in np.flatnonzero(sign):
        is_near = bool(runs) and time_s[step] - time_s[runs[-1][1] + 1] <= options.join_gap_s
        if is_near and runs[-1][2] == sign[step] and not motion.goes_aside(runs[-1][1] + 1, int(step)):
            runs[-1][1] = int(step)
        else:
            runs.append([int(step), int(step), int(sign[step])])
    turns = [_turn(motion, first, last + 1) for first, last, _ in runs]
    return [turn for turn in turns if abs(turn.angle_deg) >= options.sway_deg]


def _bends(motion: Motion, smooth_deg: Array, first: int, last: int, options: TurnOptions) -> list[Turn]:
    """Slow turning to one side between two turns: the largest, and those before and after it."""
    part = smooth_deg[first : last + 1]
    low, high = sorted((int(part.argmin()), int(part.argmax())))
    rise = float(part[high] - part[low])
    if high == low or abs(rise) < options.curve_deg:
        return []
    done = (part[low : high + 1] - part[low]) / rise
    start = low + int(np.flatnonzero(done <= 0.1)[-1])
    end = low + int(np.flatnonzero(done >= 0.9)[0])
    before = _bends(motion, smooth_deg, first, first + low, options)
    after = _bends(motion, smooth_deg, first + high, last, options)
    bend = [_turn(motion, first + start, first + end)] if end > start else []
    return [*before, *bend, *after]


def _merge(motion: Motion, turns: Sequence[Turn], options: TurnOptions) -> list[Turn]:
    """Join turns to one side on one spot, tell looks about from turns, and drop short looks."""
    merged: list[Turn] = []
    for turn in turns:
        merged.append(turn)
        while len(merged) >= 2:
            before, last = merged[-2], merged[-1]
            joined = _turn(motion, before.first, last.last)
            is_one_spot = motion.measure_path(before.first, last.last) < options.same_spot_m
            is_back = before.angle_deg * last.angle_deg < 0
            is_soon = is_taken_back(motion, before, last)
            is_glance = is_soon and abs(joined.angle_deg) < options.min_angle_deg
            if before.is_look or not is_one_spot:
                break
            if is_glance:
                merged[-2:] = []
            elif is_soon and abs(last.angle_deg) >= abs(before.angle_deg) + options.min_angle_deg:
                merged[-2:] = _look_and_turn(motion, before, last)
                break
            elif not is_back and abs(joined.angle_deg) <= MOST_TOLD_DEG:
                merged[-2:] = [joined]
            else:
                break
    return merged


def _look_and_turn(motion: Motion, there: Turn, back: Turn) -> list[Turn]:
    """Turning to one side and then further to the other: a look, and a turn from where it was taken back."""
    facing_deg = motion.facing_deg
    returned = (facing_deg[there.last : back.last + 1] - facing_deg[there.first]) * np.sign(there.angle_deg) <= 0.0
    middle = there.last + int(np.argmax(returned))
    return [Turn(there.first, middle, there.angle_deg, is_look=True), _turn(motion, middle, back.last)]


def _turn(motion: Motion, first: int, last: int) -> Turn:
    return Turn(first, last, motion.measure_turn_deg(first, last))


@dataclass(frozen=True, kw_only=True)
class LookOptions:
    """Which looks are worth a word."""

    least_deg: HalfTurn = 45.0
    """A look by less leaves half of the picture in it, and looking back by less does not end one."""
    lead_s: NotNegative = 1.5
    """It may begin so long before the feet go another way than it looks, and end so long after."""
    edge_share: Share = 0.05
    """A look begins and ends where so much of it is done and left."""


def find_looks(motion: Motion, turns: Sequence[Turn], options: LookOptions = LookOptions()) -> list[Turn]:
    """Looks of at least the least angle, in time order; they overlap no turn."""
    is_turn = np.zeros(len(motion.going), dtype=bool)
    for turn in turns:
        is_turn[turn.first + 1 : turn.last] = True
    found: list[Turn] = []
    for first, last in _find_periods(motion, is_turn):
        aside_deg = motion.walk.heading_deg - motion.facing_deg
        is_about = not motion.goes_aside(first, last) and abs(aside_deg[last] - aside_deg[first]) < options.least_deg
        low, high = _extend(motion, is_turn, first, last, options)
        low = max([low, *(look.last for look in found)])
        here: list[Turn] = []
        for begin, end in pairwise(find_turning_points(aside_deg[low : high + 1], options.least_deg)):
            look = _trim(motion, aside_deg[low : high + 1], low, begin, end, options)
            here += [look] if look is not None else []
        found += _drop_glances(motion, here, options) if is_about else here
    return found


def _drop_glances(motion: Motion, looks: Sequence[Turn], options: LookOptions) -> list[Turn]:
    """Without each look that the next one takes back as soon as it is over, and that one."""
    left: list[Turn] = []
    for look in looks:
        before = left[-1] if left else None
        is_back = before is not None and abs(before.angle_deg + look.angle_deg) < options.least_deg
        if before is not None and is_back and is_taken_back(motion, before, look):
            left.pop()
        else:
            left.append(look)
    return left


def _find_periods(motion: Motion, is_turn: Mask) -> list[tuple[int, int]]:
    """Where nothing goes forward or turns: standing, or from the first step sideways or backwards to the last."""
    is_open = np.array([going != "forward" for going in motion.going], dtype=bool) & ~is_turn
    out: list[tuple[int, int]] = []
    for start, stop in find_runs(is_open):
        aside = [at for at in range(start, stop + 1) if motion.goes_aside(at, at)]
        parts = [(start, aside[0] - 1), (aside[0], aside[-1]), (aside[-1] + 1, stop)] if aside else [(start, stop)]
        out += [(first, last) for first, last in parts if last > first]
    return out


def _extend(motion: Motion, is_turn: Mask, first: int, last: int, options: LookOptions) -> tuple[int, int]:
    """A period sideways or backwards with the rests before and after it, and what then comes of a walk forward."""
    if not motion.goes_aside(first, last):
        return first, last
    time_s, low, high = motion.walk.time_s, first, last
    while low > 0 and motion.going[low - 1] == "stand" and not is_turn[low - 1]:
        low -= 1
    rested = low
    while low > 0 and time_s[rested] - time_s[low - 1] <= options.lead_s and _leads(motion, is_turn, low - 1):
        low -= 1
    while high + 1 < len(time_s) and motion.going[high + 1] == "stand" and not is_turn[high + 1]:
        high += 1
    ended = high
    while high + 1 < len(time_s) and time_s[high + 1] - time_s[ended] <= options.lead_s:
        if not _leads(motion, is_turn, high + 1):
            break
        high += 1
    return low, high


def _leads(motion: Motion, is_turn: Mask, at: int) -> bool:
    return motion.going[at] == "forward" and not is_turn[at]


def _trim(motion: Motion, aside_deg: Array, first: int, start: int, stop: int, options: LookOptions) -> Turn | None:
    """The look between two positions of a period, from the last moment before it to the first after it."""
    part = aside_deg[start : stop + 1]
    sign = float(np.sign(part[-1] - part[0]))
    low = int(np.argmin(sign * part))
    high = low + int(np.argmax(sign * part[low:]))
    size = sign * float(part[high] - part[low])
    if size < options.least_deg:
        return None
    done = sign * (part[low : high + 1] - part[low])
    begin = low + int(np.flatnonzero(done <= options.edge_share * size)[-1])
    end = low + int(np.flatnonzero(done >= (1.0 - options.edge_share) * size)[0])
    offset = first + start
    of_view = motion.walk.measure_turn_deg(offset + low, offset + high)
    return Turn(offset + begin, offset + end, of_view, is_look=True) if sign * of_view >= options.least_deg else None
