"""Names of two things that tell how they compare: rows are left out, over all tours, until leanings tell nothing."""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import log

LEAN_STEPS = (0.1, 0.25, 0.5, 1.0)
"""Borders of the leanings that are evened out together; a difference of log odds."""
PRIOR = 2.0
"""Outcomes of either sort that every name begins with: one that is rarely met leans to neither side."""


@dataclass(frozen=True)
class Compared:
    """A row that compares two things."""

    id: str
    tour: str
    twin: str | None
    type: str
    counted_by: str
    """What is compared: rows of types that compare the same count their names together."""
    names: tuple[str, str]
    """In the order of the alphabet."""
    first_wins: bool
    """Whether what has the first name has more of it."""


def find_leaning(rows: Iterable[Compared]) -> set[str]:
    """Ids of rows beyond those of the rarer outcome, among rows of a type whose names lean alike by other tours.

    Rows are taken in the order of their ids, a row and its twin together. Rows of a single tour all stay.
    """
    rows = sorted(rows, key=lambda row: (min(row.id, row.twin or row.id), row.id))
    won: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    own: dict[tuple[str, str, str], Counter[bool]] = defaultdict(Counter)
    for row in rows:
        for name, wins in zip(row.names, (row.first_wins, not row.first_wins), strict=True):
            won[row.counted_by, name][wins] += 1
            own[row.counted_by, name, row.tour][wins] += 1

    def lean(row: Compared, name: str) -> float:
        elsewhere, here = won[row.counted_by, name], own[row.counted_by, name, row.tour]
        return log((elsewhere[True] - here[True] + PRIOR) / (elsewhere[False] - here[False] + PRIOR))

    cells: dict[tuple[str, int], dict[bool, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        first, second = row.names
        score = lean(row, first) - lean(row, second)
        if first != second and score:
            cells[row.type, bisect(LEAN_STEPS, abs(score))][(score > 0) == row.first_wins].append(row.id)
    return {
        name
        for sides in cells.values()
        for side in (True, False)
        for name in sides[side][min(len(sides[True]), len(sides[False])) :]
    }
