"""Cut a walk into ways of a length that one text can tell, at places where something has just been decided."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from instructions.facts.walk import Walk
from instructions.navigation.moves.turns import Turn
from recon.geometry import Array
from recon.ranges import AtLeastOne, Count, NotNegative, Seconds


@dataclass(frozen=True, kw_only=True)
class WayOptions:
    """How long a way is and how many views stand for it."""

    min_s: Seconds = 5.0
    """Shorter ways hold one event at most."""
    good_s: Seconds = 10.0
    """Two or three events at walking pace: what one or two sentences can hold."""
    max_s: Seconds = 25.0
    """Longer ways need more objects than a reader keeps in mind."""
    max_turns: Count = 3
    """More fill more than the two or three sentences that a person would say."""
    max_gap_s: NotNegative = 2.0
    """Nothing is told across a longer stretch without poses."""
    min_views: AtLeastOne = 4
    """The reference loader needs four different views."""
    max_views: AtLeastOne = 15
    """The reference loader never supervises what comes after the fifteenth view."""
    frames_per_view: AtLeastOne = 3
    """One view per second at 3 frames per second."""
    unknown_end: NotNegative = 6.0
    """Price of an end that nothing tells: more than a way of half the least length pays for being short."""
    cut: NotNegative = 0.3
    """Price of each way: two of 7 s tell less than one of 14."""
    tail: NotNegative = 3.5
    """Price of leaving out as much as a good way at the end of a walk, or all of a shorter one, for a better end."""


@dataclass(frozen=True)
class Way:
    """A stretch of a walk: positions `first` to `last` in it (both belong), and the frames that stand for it."""

    first: int
    last: int
    views: tuple[int, ...]
    """Frame indices in time order, from the first to the last frame of the way."""


def cut_ways(
    walk: Walk,
    turns: Sequence[Turn],
    must_show: Collection[int],
    unknown: Array,
    metre: float,
    options: WayOptions,
) -> list[Way]:
    """Cover a walk with ways that meet end to end, and end where a text can say where to stop.

    Args:
        walk: In time order.
        turns: Turns of the walk; no cut falls inside one.
        must_show: Frames that have to be a view of a way without being its first one (positive candidates).
        unknown: (N,) how little a text can say of each place as an end: 0 is the best end, 1 an end without a word.
        metre: Length of one (nominal) metre in the walk's unit.
        options: Lengths.

    Returns:
        Ways in time order. A stretch between two gaps with fewer frames than `min_views` is left out, and of each
        stretch what comes after the last place where one would rather stop.
    """
    gaps = np.flatnonzero(np.diff(walk.time_s) > options.max_gap_s) + 1
    ways: list[Way] = []
    for stretch in np.split(np.arange(len(walk.frames)), gaps):
        if len(stretch) < options.min_views:
            continue
        cuts = _cuts(walk, int(stretch[0]), int(stretch[-1]), turns, must_show, unknown, metre, options)
        for first, last in pairwise(cuts):
            ways.append(Way(first, last, _views(walk, first, last, turns, must_show, options)))
    return ways


def _cuts(
    walk: Walk,
    start: int,
    end: int,
    turns: Sequence[Turn],
    must_show: Collection[int],
    unknown: Array,
    metre: float,
    options: WayOptions,
) -> list[int]:
    """Cheapest chain of cut positions from `start` to `end` or a little before (dynamic programming)."""
    price = options.unknown_end * (unknown[: end + 1] - unknown[start : end + 1].min())
    for turn in turns:
        price[turn.first : turn.last] = 20.0  # never inside a turn
    shown = [index for index in range(start, end + 1) if walk.frames[index] in must_show]
    price[shown] += 5.0
    price[:end] += options.cut
    ended = np.bincount([turn.last for turn in turns], minlength=end + 1).cumsum()
    best = np.full(end + 1, np.inf)
    best[start] = 0.0
    before = np.full(end + 1, start)
    for last in range(start + options.min_views - 1, end + 1):
        for first in range(last - options.min_views + 1, start - 1, -1):
            cost = best[first] + price[last] + _length_cost(walk, first, last, metre, options)
            cost += 5.0 * max(0, int(ended[last] - ended[first]) - options.max_turns)
            if cost < best[last] - 1e-12:
                best[last], before[last] = cost, first
            if walk.time_s[last] - walk.time_s[first] > 2 * options.max_s and np.isfinite(best[last]):
                break
    left_s = walk.time_s[end] - walk.time_s[: end + 1]
    tail = options.tail * left_s / max(min(float(left_s[start]), options.good_s), 1e-6)
    tail[: max(shown, default=start)] = np.inf
    cuts = [end - int(np.argmin((best + tail)[:start:-1]))]  # of equal ones the last
    while cuts[-1] != start:
        cuts.append(int(before[cuts[-1]]))
    return cuts[::-1]


def _length_cost(walk: Walk, first: int, last: int, metre: float, options: WayOptions) -> float:
    seconds = float(walk.time_s[last] - walk.time_s[first])
    cost = 0.5 * ((seconds - options.good_s) / options.good_s) ** 2
    cost += 6.0 * max(0.0, options.min_s - seconds) / options.min_s
    cost += 6.0 * max(0.0, seconds - options.max_s) / options.max_s
    if walk.travelled[last] - walk.travelled[first] < 1.0 * metre:
        cost += 3.0  # a way that goes nowhere is best told as part of its neighbour
    return cost


def _views(
    walk: Walk, first: int, last: int, turns: Sequence[Turn], must_show: Collection[int], options: WayOptions
) -> tuple[int, ...]:
    """Even views between the ends, with the wanted frames and the ends of turns as far as there is room."""
    count = int(np.clip((last - first + 1) // options.frames_per_view, options.min_views, options.max_views))
    chosen = {first, last}
    wanted = [index for index in range(first + 1, last) if walk.frames[index] in must_show]
    wanted += [turn.last for turn in turns if first < turn.last < last]
    for index in wanted:
        if len(chosen) < options.max_views:
            chosen.add(index)
    while len(chosen) < min(count, last - first + 1):
        ordered = sorted(chosen)
        left = int(np.argmax(np.diff(ordered)))
        chosen.add((ordered[left] + ordered[left + 1]) // 2)
    return tuple(walk.frames[index] for index in sorted(chosen))
