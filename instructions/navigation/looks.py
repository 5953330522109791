"""Looks: turns of the view that the walk does not make, told where the words of the way hang on them.

Who walks forward and looks aside goes where it went, so nothing is told. Who stands, or goes sideways or backwards,
does so against the view: a listener has to know where it looks then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from instructions.facts.swings import find_turning_points
from instructions.navigation.motion import Motion
from instructions.navigation.turns import Turn
from recon.geometry import Array


@dataclass(frozen=True, kw_only=True)
class LookOptions:
    """Which looks are worth a word."""

    least_deg: float = 45.0
    """A look by less leaves half of the picture in it, and looking back by less does not end one."""
    edge_share: float = 0.05
    """A look begins and ends where so much of it is done and left."""


def find_looks(motion: Motion, turns: Sequence[Turn], options: LookOptions = LookOptions()) -> list[Turn]:
    """Looks of at least the least angle, in time order; they overlap no turn.

    Args:
        motion: The whole walk.
        turns: Of the walk, looks on the spot that were found among them included.
        options: Thresholds.
    """
    count = len(motion.walk.frames)
    is_open = np.array([going != "forward" for going in motion.going], dtype=bool)
    for turn in turns:
        is_open[turn.first + 1 : turn.last] = False
    edges = np.flatnonzero(np.diff(np.concatenate([[0], is_open.astype(np.int8), [0]])))
    found: list[Turn] = []
    for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        last = min(end, count - 1)
        aside_deg = (motion.walk.heading_deg - motion.facing_deg)[first : last + 1]
        is_here = all(going == "stand" for going in motion.going[first + 1 : last])
        if is_here and abs(aside_deg[-1] - aside_deg[0]) < options.least_deg:
            continue  # looks about and goes on as before
        for start, stop in pairwise(find_turning_points(aside_deg, options.least_deg)):
            look = _trim(motion, aside_deg, first, start, stop, options)
            found += [look] if look is not None else []
    return found


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
    begin, end = first + start + begin, first + start + end
    of_view = motion.walk.measure_turn_deg(begin, end)
    return Turn(begin, end, of_view, is_look=True) if sign * of_view >= options.least_deg else None
