"""Which rows of a dataset stay so that no answer is told by names: over all its tours, row and twin together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from sys import intern
from typing import Literal

from instructions.asking.blind import BlindItem
from instructions.asking.leaning import Compared, find_leaning
from instructions.questions.records import SpatialQuestion
from instructions.questions.registry import ALL_TYPES

NAMES_TELL = ("height", "width", "volume", "vertical")
"""Dimensions in which the names of two things mostly tell the answer; where they lie to the viewer, they do not."""
ALIKE = 0.15
"""Values of a type and category that differ by less teach a name's number, and no picture is needed for it."""
LEANS = ("ahead",)
"""Dimensions in which names tell a little: what is small is asked about where it is near, and pictures hang on the wall
behind. Pairs are too many for each to have both outcomes, so rows are evened out by how far their names lean. So are
those of turns, which bring what is behind to a side, and of steps, by which near things move."""
Dropped = Literal[
    "answer always the same for these two names",
    "number always the same for this name",
    "answer guessable from the names",
    "number guessable from the name",
    "the same question is answered nowhere",
]


@dataclass(frozen=True, slots=True)
class Balanced:
    """A row as balancing sees it; memory holds one for every row of a dataset."""

    id: str
    tour: str
    twin: str | None
    type: str
    names: tuple[str, ...]
    """Category of A and B, or what stands for it."""
    outcome: str
    """Of a comparison: which of the sorted names has more; else empty."""
    value: float | None
    group: str = ""
    """Of rows that ask the same of the same things."""


def weigh(row: SpatialQuestion) -> Balanced:
    """What balancing needs of a row."""
    names = tuple(intern(one.category or one.phrase.removeprefix("the ")) for one in row.references)
    outcome = ""
    kind = ALL_TYPES[row.type]
    if kind.has_twin and kind.comparison is not None:
        outcome = _outcome(row, names)
    value = row.measured.value if row.measured else None
    return Balanced(row.id, intern(row.tour), row.twin, intern(row.type), names, outcome, value, intern(row.group))


def find_surplus(rows: Iterable[Balanced]) -> dict[str, Dropped]:
    """Why rows are left out, by id; twins go together. Rows are taken in the order of their ids.

    Comparisons of sizes and heights keep pairs of one category, and of two categories as many of either outcome.
    Comparisons in depth keep as many rows in which the name that is mostly behind is behind as the other way round.
    Of numbers that the median of the same names in other tours meets, there are no more than of others. What is asked
    where a thing is out of view is asked somewhere else where it is not.
    """
    rows = list(rows)
    out: dict[str, Dropped] = {}
    pairs: dict[tuple[str, tuple[str, ...]], dict[str, list[Balanced]]] = defaultdict(lambda: defaultdict(list))
    cells: dict[tuple[str, tuple[str, ...]], list[Balanced]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (min(row.id, row.twin or row.id), row.id)):
        kind = ALL_TYPES[row.type]
        names = tuple(sorted(row.names))
        if kind.comparison is not None and kind.has_twin and kind.dimension in NAMES_TELL and len(set(names)) == 2:
            pairs[row.type, names][row.outcome].append(row)
        elif row.value is not None and kind.family == "estimate":
            cells[row.type, names].append(row)
    for outcomes in pairs.values():
        least = min(len(outcomes.get("first", ())), len(outcomes.get("second", ())))
        for kept in outcomes.values():
            out.update(dict.fromkeys((row.id for row in kept[least:]), "answer always the same for these two names"))
    out.update(dict.fromkeys(_find_leaning(rows), "answer guessable from the names"))
    for cell in cells.values():
        values = [row.value for row in cell if row.value is not None]
        if len(cell) > 1 and max(values) < (1 + ALIKE) * min(values):
            out.update(dict.fromkeys((row.id for row in cell[1:]), "number always the same for this name"))
    out.update(dict.fromkeys(_find_told(cells.values(), out), "number guessable from the name"))
    answered = {row.group for row in rows if row.type != "unseen" and row.id not in out}
    for row in rows:
        if row.type == "unseen" and row.group not in answered:
            out[row.id] = "the same question is answered nowhere"
    return out


def _find_told(cells: Iterable[Sequence[Balanced]], gone: Collection[str]) -> set[str]:
    """Numbers beyond as many as names do not tell: within `ALIKE` of the median of the same names in other tours."""
    sides: dict[str, dict[bool, list[str]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        by_tour: dict[str, list[float]] = defaultdict(list)
        for row in cell:
            by_tour[row.tour].append(row.value or 0.0)
        elsewhere = {
            tour: median([value for other, values in by_tour.items() if other != tour for value in values])
            for tour in by_tour
            if len(by_tour) > 1
        }
        for row in cell:
            if row.id not in gone and row.value is not None:
                guess = elsewhere.get(row.tour)
                told = guess is not None and abs(guess - row.value) <= ALIKE * row.value
                sides[row.type][told].append(row.id)
    return {name for one in sides.values() for name in sorted(one[True])[len(one[False]) :]}


def _find_leaning(rows: Sequence[Balanced]) -> set[str]:
    """Rows beyond those of the rarer outcome, among rows whose names lean alike by what other tours show."""
    decided: list[Compared] = []
    for row in rows:
        if _lean_of(row.type) and row.outcome in ("first", "second"):
            first, second = sorted(row.names)
            wins = row.outcome == "first"
            decided.append(Compared(row.id, row.tour, row.twin, row.type, _lean_of(row.type), (first, second), wins))
    return find_leaning(decided)


def _lean_of(kind_name: str) -> str:
    """What leanings of names are counted by: the dimension, or the type of turn or step; empty where none is."""
    kind = ALL_TYPES[kind_name]
    if kind.supposes:
        return kind.name
    return kind.dimension if kind.has_twin and kind.dimension in LEANS else ""


def unseen_items(row: SpatialQuestion, answered: SpatialQuestion) -> tuple[BlindItem, BlindItem]:
    """A row whose thing is out of view beside the row that has the same question answered: texts alone tell neither."""

    def item(one: SpatialQuestion, answer: str) -> BlindItem:
        words = one.question.lower().strip("?.").split()
        return BlindItem(row.tour, "unseen", {f"word {word}": 1.0 for word in words}, answer)

    return item(row, row.truth), item(answered, "visible")


def blind_item(row: SpatialQuestion) -> BlindItem:
    """A row without its picture: the answer is the place of the right option, the word, or the number."""
    names = [one.category or one.phrase for one in row.references]
    template = row.template.split("/answers")[0].split("/yes")[0].split("/no/")[0].split("/too_close")[0]
    features: dict[str, str | float] = {
        "template": intern(template),
        "names": intern(" and ".join(names)),
        "sorted": intern(" and ".join(sorted(names))),
        "options": intern(" ".join(row.choices)),
        "words": float(len(row.question.split())),
        "clauses": float(sum(one.clause is not None for one in row.references)),
    }
    for slot, one in zip("AB", row.references, strict=False):
        features[intern(f"name {slot}")] = intern(one.category or one.phrase)
        features[intern(f"phrase {slot}")] = intern(one.phrase)
    if row.form == "number":
        return BlindItem(intern(row.tour), intern(row.type), features, float(row.truth))
    is_offered = row.correct is not None and ALL_TYPES[row.type].comparison is None
    for place, option in enumerate(row.choices if is_offered else ()):
        features[f"option {place}"] = intern(option)
    answer = str(row.correct) if row.correct is not None and (is_offered or row.form == "choice") else row.truth
    offered = f"{len(row.choices)} options" if is_offered else ""
    return BlindItem(intern(row.tour), intern(row.type), features, intern(answer), offered)


def _outcome(row: SpatialQuestion, names: Sequence[str]) -> str:
    """Whether the name that is first in the alphabet has more of what is compared."""
    kind = ALL_TYPES[row.type]
    if row.truth == "too close" or kind.comparison is None:
        return "too close"
    if kind.family == "choice":
        a_wins = row.truth == row.references[0].object
        has_more = a_wins == (kind.word == kind.comparison.more)
    elif kind.family == "predicate":
        has_more = (row.truth == "yes") == (kind.word == kind.comparison.more)
    else:
        has_more = row.truth == kind.comparison.say_more
    return "first" if has_more == (names[0] <= names[1]) else "second"
