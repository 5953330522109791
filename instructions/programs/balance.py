"""Which comparisons of two things stay so that no answer is told by their names: over all tours, twins together."""

from __future__ import annotations

from collections.abc import Iterable

from instructions.asking.leaning import Compared, find_leaning
from instructions.programs.records import ProgramQuestion
from instructions.programs.types import TYPES

LEANING = "answer guessable from the names"
"""Why a row is left out: the names of its two things mostly compare as here, in other tours too."""
LEANS = ("height", "vertical", "ahead")
"""Dimensions in which names tell who has more: a picture hangs above any bed, and what is small is asked about where it
is near. To which side of the viewer things are and which is shown first, names do not tell in rows of this kind."""
_LESS = ("smaller", "lower", "further")
"""Words that ask for the contrary of their partners."""


def weigh(row: ProgramQuestion) -> Compared | None:
    """What balancing needs of a row; None where names do not tell which of two things has more."""
    kind = TYPES.get(row.type)  # composed rows and the steps of a walk are of no type of the table
    if kind is None or not kind.has_twin or kind.dimension not in LEANS:
        return None
    given = dict(row.given)
    a, b = (one.category or one.phrase.removeprefix("the ") for one in row.references)
    if kind.form == "yes_no":
        a_wins = bool(row.truth) == (kind.name != "below")
    else:
        a_wins = (row.truth == row.references[0].object) == (given["word"] not in _LESS)
    names, first_wins = ((a, b), a_wins) if a <= b else ((b, a), not a_wins)
    counted_by = f"{kind.dimension} {given.get('side', '')}".strip()
    return Compared(row.id, row.tour, row.twin, row.type, counted_by, names, first_wins)


def find_surplus(rows: Iterable[Compared]) -> dict[str, str]:
    """Why rows are left out, by id: of those whose names lean alike as many of either outcome stay."""
    return dict.fromkeys(sorted(find_leaning(rows)), LEANING)
