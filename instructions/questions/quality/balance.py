"""Which rows of a dataset stay so that no answer is told by names, over all its tours, row and twin together; and a row
as somebody sees it who has the text and no picture, which the blind test guesses from.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import log
from statistics import median
from sys import intern
from typing import Literal

from instructions.asking.blind import BlindItem
from instructions.questions.core.records import TOO_CLOSE, Question
from instructions.questions.core.types import NAMES_TELL, QuestionType
from instructions.questions.quality.unseen import cut_answer
from instructions.questions.registry import ALL_TYPES
from instructions.questions.wording.words import plain_value

ALIKE = 0.15
"""Values of a type and category that differ by less teach a name's number, and no picture is needed for it."""
LEANS = ("ahead",)
"""Dimensions in which names tell a little: what is small is asked about where it is near, and pictures hang on the wall
behind. Pairs are too many for each to have both outcomes, so rows are evened out by how far their names lean. So are
those of turns, which bring what is behind to a side, and of steps, by which near things move."""
SET_LEANS = ("height", "vertical", "ahead")
"""The same of questions about sets of views, which are too few for as many of either outcome of every pair of names. To
which side of the viewer things are and which is shown first, names do not tell in them."""
_LESS = ("smaller", "lower", "further")
"""Words that ask for the contrary of their partners."""
LEAN_STEPS = (0.1, 0.25, 0.5, 1.0)
"""Borders of the leanings that are evened out together; a difference of log odds."""
PRIOR = 2.0
"""Outcomes of either sort that every name begins with: one that is rarely met leans to neither side."""
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
    """Category of A and B, or what stands for it; none of a bare mark, whose number tells nothing."""
    outcome: str
    """Of a comparison: `first` or `second`, which of the sorted names has more; else empty."""
    value: float | None
    group: str = ""
    """Of rows that ask the same of the same things."""
    leaning: str = ""
    """What leanings of its names are counted by: dimension, side, or type; empty where none are."""


def weigh(row: Question) -> Balanced:
    """What balancing needs of a row."""
    names = tuple(
        intern(one.category or ("" if one.mark else one.phrase.removeprefix("the "))) for one in row.references
    )
    kind = ALL_TYPES.get(row.type)  # composed rows of a language model are of no type of the table
    outcome = leaning = ""
    if kind is not None and kind.has_twin and len(names) == 2:
        outcome, leaning = _outcome(row, kind, names), _lean_of(row, kind)
    value = row.measured.value if row.measured else None
    return Balanced(
        row.id, intern(row.tour), row.twin, intern(row.type), names, outcome, value, intern(row.group), intern(leaning)
    )


def find_surplus(rows: Iterable[Balanced]) -> dict[str, Dropped]:
    """Why rows are left out, by id; twins go together. Rows are taken in the order of their ids.

    Comparisons of sizes and heights in one view keep pairs of one category, and of two categories as many of either
    outcome. Comparisons in depth, and all of sets of views, keep as many rows in which the name that mostly wins wins
    as the other way round. Of numbers that the median of the same names in other tours meets, there are no more than of
    others. What is asked where a thing is out of view is asked somewhere else where it is not.
    """
    rows = sorted(rows, key=lambda row: (min(row.id, row.twin or row.id), row.id))
    out: dict[str, Dropped] = {}
    pairs: dict[tuple[str, tuple[str, ...]], dict[str, list[Balanced]]] = defaultdict(lambda: defaultdict(list))
    cells: dict[tuple[str, tuple[str, ...]], list[Balanced]] = defaultdict(list)
    for row in rows:
        kind = ALL_TYPES.get(row.type)
        names = tuple(sorted(row.names))
        if kind is None:
            continue
        if kind.comparison is not None and kind.has_twin and kind.dimension in NAMES_TELL and len(set(names)) == 2:
            pairs[row.type, names][row.outcome].append(row)
        elif row.value is not None and kind.family == "estimate":
            cells[row.type, names].append(row)
    for outcomes in pairs.values():
        least = min(len(outcomes.get("first", ())), len(outcomes.get("second", ())))
        for kept in outcomes.values():
            out.update(dict.fromkeys((row.id for row in kept[least:]), "answer always the same for these two names"))
    out.update(dict.fromkeys(sorted(_find_leaning(rows)), "answer guessable from the names"))
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
    return {name for side in sides.values() for name in sorted(side[True])[len(side[False]) :]}


def _find_leaning(rows: Iterable[Balanced]) -> set[str]:
    """Rows beyond those of the rarer outcome, among rows of a type whose names lean alike by what other tours show.

    Rows are taken in their order, a row and its twin together. Rows of a single tour all stay.
    """
    rows = [row for row in rows if row.leaning and row.outcome in ("first", "second")]
    won: dict[tuple[str, ...], Counter[bool]] = defaultdict(Counter)
    for row in rows:
        for name, wins in zip(sorted(row.names), (row.outcome == "first", row.outcome != "first"), strict=True):
            won[row.leaning, name][wins] += 1
            won[row.leaning, name, row.tour][wins] += 1

    def lean(row: Balanced, name: str) -> float:
        elsewhere, here = won[row.leaning, name], won[row.leaning, name, row.tour]
        return log((elsewhere[True] - here[True] + PRIOR) / (elsewhere[False] - here[False] + PRIOR))

    cells: dict[tuple[str, int], dict[bool, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        first, second = sorted(row.names)
        score = lean(row, first) - lean(row, second)
        if first != second and score:
            cells[row.type, bisect(LEAN_STEPS, abs(score))][(score > 0) == (row.outcome == "first")].append(row.id)
    return {name for cell in cells.values() for side in (True, False)
            for name in cell[side][min(len(cell[True]), len(cell[False])) :]}  # fmt: skip


def _lean_of(row: Question, kind: QuestionType) -> str:
    if kind.supposes:
        return kind.name
    if kind.comparison is not None:
        return kind.dimension if kind.dimension in LEANS else ""
    if kind.reference is None or kind.dimension not in SET_LEANS:
        return ""
    return f"{kind.dimension} {dict(row.given).get('side', '')}".strip()


def _outcome(row: Question, kind: QuestionType, names: Sequence[str]) -> str:
    """Whether the name that is first in the alphabet has more of what is compared."""
    if row.truth == TOO_CLOSE:
        return TOO_CLOSE
    wins_a = row.truth == row.references[0].object
    if kind.comparison is None:
        if kind.form == "yes_no":
            has_more = (row.truth == "yes") == (kind.name != "below")
        else:
            has_more = wins_a == (dict(row.given).get("word", "") not in _LESS)
    elif kind.form == "label":
        has_more = row.truth == kind.comparison.say_more
    else:
        has_more = (row.truth == "yes" or wins_a) == (kind.word == kind.comparison.more)
    return "first" if has_more == (names[0] <= names[1]) else "second"


def unseen_items(row: Question, answered: Question) -> tuple[BlindItem, BlindItem]:
    """A row whose thing is out of view beside the row that has the same question answered: texts alone tell neither."""

    def item(one: Question, answer: str) -> BlindItem:
        words = one.question.lower().strip("?.").split()
        return BlindItem(row.tour, "unseen", {f"word {word}": 1.0 for word in words}, answer)

    return item(row, str(row.truth)), item(answered, "visible")


def blind_item(row: Question) -> BlindItem:
    """A row without its picture: the answer is the letter or place of the right option, the word, or the number."""
    names = [reference.category or reference.phrase for reference in row.references]
    features: dict[str, str | float] = {
        "template": intern(cut_answer(row.template)),
        "names": intern(" and ".join(names)),
        "sorted": intern(" and ".join(sorted(names))),
        "options": intern(" ".join(row.choices)),
        "given": intern(" ".join(value for _, value in row.given)),
        "words": float(len(row.question.split())),
        "marks": float(sum(reference.mark is not None for reference in row.references)),
    }
    for place, one in enumerate(row.references):
        features[intern(f"name {place}")] = intern(one.category or one.phrase)
        features[intern(f"phrase {place}")] = intern(one.phrase)
    kind = ALL_TYPES.get(row.type)
    name = row.type if kind is not None and len(kind.media) == 1 else f"{row.medium} {row.type}"
    tour = intern(row.tour)
    if row.is_choice:
        return BlindItem(tour, f"{name} with options", features, str(row.correct), f"{len(row.choices)} options")
    if row.form == "number":
        return BlindItem(tour, intern(name), features, float(row.truth))  # type: ignore[arg-type]  # a number
    is_offered = row.correct is not None and (kind is None or kind.comparison is None)
    if is_offered:
        for at, option in enumerate(row.choices):
            features[f"option {at}"] = intern(option)
        return BlindItem(tour, intern(name), features, str(row.correct), f"{len(row.choices)} options")
    # A thing is the place where the question names it: ids differ from home to home.
    place = {one.object: str(at) for at, one in enumerate(row.references)}
    told = tuple(place.get(one, one) for one in (row.truth if isinstance(row.truth, tuple) else (str(row.truth),)))
    # What a question itself says about its answers: which two labels, or of how many things one.
    offered = f"{len(row.references)} things" if row.form in ("thing", "order") else ""
    offered = dict(row.given).get("word", "") if row.form == "label" else offered
    return BlindItem(tour, intern(name), features, plain_value(told), offered)
