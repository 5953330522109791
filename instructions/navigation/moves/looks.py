"""Looks: turns of the view that the walk does not make, told where the words of the way hang on them.

Who walks forward and looks aside goes where it went, so nothing is told. Who stands, or goes sideways or backwards,
does so against the view: a listener has to know where it looks then. A glance that is taken back within a second is
not told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from instructions.facts.walk import find_turning_points
from instructions.navigation.moves.motion import Mask, Motion
from instructions.navigation.moves.turns import Turn, is_taken_back
from recon.geometry import Array
from recon.ranges import HalfTurn, NotNegative, Share


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
    """Looks of at least the least angle, in time order; they overlap no turn.

    Args:
        motion: The whole walk.
        turns: Of the walk, looks on the spot that were found among them included.
        options: Thresholds.
    """
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
    edges = np.flatnonzero(np.diff(np.concatenate([[0], is_open.astype(np.int8), [0]])))
    out: list[tuple[int, int]] = []
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        aside = [at for at in range(start, stop) if motion.goes_aside(at, at)]
        parts = (
            [(start, aside[0] - 1), (aside[0], aside[-1]), (aside[-1] + 1, stop - 1)] if aside else [(start, stop - 1)]
        )
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
