"""Options of a multiple choice: each wrong one is false by computation, and the place of the right one says nothing."""

from __future__ import annotations

from itertools import permutations
from math import ceil

from instructions.asking.draws import Draw
from instructions.questions.core.truths import Truth

MOST_OPTIONS = 4
LEAST_SHARE = 0.25
"""Wrong numbers differ by so much from the truth and from each other, as a share of the greater."""
LEAST_SIGMAS = 3.0
_SPREAD = 0.5
"""Steps between options are up to this share wider than they must be."""


def draw_options(truth: Truth, draw: Draw) -> tuple[tuple[str, ...], int] | None:
    """Values to choose from and the place of the right one, or None where no honest options can be given.

    Values are written as `Truth.value` is, lists joined by commas. Two to four; every place is equally likely.
    """
    form = truth.kind.form
    if form == "number":
        return _draw_numbers(truth, draw)
    if form == "thing":
        others = [one for one in _candidates(truth) if one != truth.value]
    elif form == "label":
        others = [one for one in truth.kind.labels_of(truth.given) if one != truth.value]
    elif form == "order" and isinstance(truth.value, tuple):
        others = [",".join(one) for one in permutations(truth.value) if one != truth.value]
    else:
        return None
    right = ",".join(truth.value) if isinstance(truth.value, tuple) else str(truth.value)
    wrong = draw.take(others, MOST_OPTIONS - 1)
    place = int(draw.uniform() * (len(wrong) + 1))
    return (*wrong[:place], right, *wrong[place:]), place


def place_right(options: tuple[str, ...], right: int, place: int) -> tuple[str, ...]:
    """The same options with the right one at another place; the others keep their order."""
    others = [one for at, one in enumerate(options) if at != right]
    return (*others[:place], options[right], *others[place:])


def _candidates(truth: Truth) -> tuple[str, ...]:
    """Things that the question names as possible answers."""
    if truth.candidates:
        return truth.candidates
    return truth.things[1:] if "relative_distance" in truth.kind.name else truth.things


def _draw_numbers(truth: Truth, draw: Draw) -> tuple[tuple[str, ...], int] | None:
    if truth.measured is None:
        return None
    value, sigma = truth.measured.value, truth.measured.sigma
    count = 2 + int(draw.uniform() * (MOST_OPTIONS - 1))
    rank = int(draw.uniform() * count)
    if truth.kind.unit == "":
        return _draw_counts(round(value), count, rank, draw)
    share = max(LEAST_SHARE, LEAST_SIGMAS * sigma / value)
    if share >= _MOST_SHARE:
        return None
    step = 1.0 / (1.0 - share) * (1.0 + _SPREAD * draw.uniform())
    return _shuffle([f"{value * step ** (at - rank):.6g}" for at in range(count)], rank, draw)


_MOST_SHARE = 0.6
"""A number that is less sure leaves no wrong one that anybody would believe."""


def _draw_counts(value: int, count: int, rank: int, draw: Draw) -> tuple[tuple[str, ...], int] | None:
    step = max(1, ceil(LEAST_SHARE * (value + 3)))
    if value - (MOST_OPTIONS - 1) * step < 1:
        return None  # not every rank is possible, so the rank would tell
    return _shuffle([str(value + (at - rank) * step) for at in range(count)], rank, draw)


def _shuffle(values: list[str], right: int, draw: Draw) -> tuple[tuple[str, ...], int]:
    out = draw.take(values, len(values))
    return tuple(out), out.index(values[right])
