"""Spatial questions scored: the table of SpatialVLM (CVPR 2024), and what it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from instructions.asking.blind import BlindItem, BlindScore, guess_blind
from instructions.questions.core.records import NOT_VISIBLE, TOO_CLOSE
from instructions.questions.quality.grades import RANGES, Grade, Solution, grade_answer
from instructions.questions.registry import ALL_TYPES
from roomtour.scoring.intervals import Estimate, estimate_mean
from roomtour.scoring.records import Answers, Cell, DatasetRow, Mode, Scorer, ScoreReport, ScoreTable

LEVELS = {"2d": "2D", "3d": "3D", "3d_vertical": "3D, vertical"}
MOST_ERROR = 1.0
"""A relative error counts as this at most, as in the paper's figure; an answer without a number counts as this."""
AGREES = 0.10
"""Numbers of one thing from several frames agree within this share of the greatest."""
_SIZES = ((0.0, 0.5), (0.5, 1.0), (1.0, 2.0), (2.0, 4.0), (4.0, float("inf")))
_SHARES = {"number given": lambda one: float(one.share is not None)} | {
    name: lambda one, low=low, high=high: float(one.share is not None and low <= one.share <= high)
    for name, (low, high) in RANGES.items()
}


def takes(dataset: Path, rows: Sequence[DatasetRow]) -> bool:
    """Whether any row is a spatial question."""
    return any(_is_spatial(row) for row in rows)


def score(dataset: Path, rows: Sequence[DatasetRow], answers: Answers, mode: Mode) -> ScoreReport:
    """Score the answers to spatial questions; the modes do not differ, for the paper published no code.

    A row without an answer counts as wrong, unless no row of its tour has one: then the tour was not asked.
    """
    all_mine = [row for row in rows if _is_spatial(row)]
    mine = [row for row in all_mine if row.choices or ALL_TYPES[row.type].form != "thing"]
    asked_tours = {row.tour for row in mine if row.id in answers}
    asked = [row for row in mine if row.tour in asked_tours]
    grades = [grade_answer(_truth(row), str(answers.get(row.id, {}).get("answer", ""))) for row in asked]
    words = [grade for grade in grades if grade.solution.form != "number"]
    numbers = [grade for grade in grades if grade.solution.form == "number"]
    tested = [_blind_item(grade.solution) for grade in grades if grade.solution.truth != NOT_VISIBLE]
    guesses = {one.kind: one for one in guess_blind(tested)}
    figures: dict[str, Any] = {
        "rows": len(grades),
        "tours": len(asked_tours),
        "words": _word_figures(words),
        "numbers": _number_figures(numbers),
        "consistency": _consistency_figures(grades),
        "blind": {name: {"guess": one.score, "chance": one.chance} for name, one in guesses.items()},
    }
    tables = [_paper_table(words, numbers)]
    if words:
        tables.append(_word_table(words, guesses))
    if numbers:
        tables += [_number_table(numbers, guesses), _size_table(numbers)]
    for table in tables:
        figures[table.title] = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return ScoreReport("spatial", tuple(tables), figures, _notes(all_mine, mine, asked, grades, answers))


SCORER = Scorer("spatial", "spatial questions: success, ranges, mean relative accuracy, twins", takes, score)


def _is_spatial(row: DatasetRow) -> bool:
    return row.type in ALL_TYPES and row.kind in ("", "spatial")


def _truth(row: DatasetRow) -> Solution:
    form = ALL_TYPES[row.type].form
    truth = float(row.solution) if form == "number" else row.solution
    return Solution(
        row.id, row.tour, row.type, form, truth, row.unit, row.sigma or 0.0, row.question, row.choices,
        candidates=row.choices, twin=row.twin, group=row.group,
    )  # fmt: skip


def _blind_item(truth: Solution) -> BlindItem:
    """What stands in the texts alone: each word of the question, and the options."""
    features: dict[str, str | float] = {f"word {word}": 1.0 for word in truth.question.lower().strip("?.").split()}
    features["options"] = " / ".join(truth.choices)
    if truth.form == "number":
        return BlindItem(truth.tour, truth.type, features, truth.number)
    features |= {f"option {place}": option for place, option in enumerate(truth.choices)}
    answer = str(truth.choices.index(truth.truth)) if truth.truth in truth.choices else str(truth.truth)
    return BlindItem(truth.tour, truth.type, features, answer, f"{len(truth.choices)} options")


def _right(one: Grade) -> float:
    return float(one.right)


def _error(one: Grade) -> float:
    return MOST_ERROR if one.share is None else min(abs(one.share - 1.0), MOST_ERROR)


def _mean(grades: Sequence[Grade], of: Callable[[Grade], float]) -> float | None:
    return sum(map(of, grades)) / len(grades) if grades else None


def _estimate(grades: Sequence[Grade], of: Callable[[Grade], float]) -> Estimate | None:
    return estimate_mean([of(grade) for grade in grades], [grade.solution.tour for grade in grades])


def _squared_error(grades: Sequence[Grade]) -> float | None:
    """Mean squared error of the lengths that were given, in square metres."""
    errors = [
        (grade.read - grade.solution.number) ** 2
        for grade in grades
        if isinstance(grade.read, float) and grade.solution.unit == "m"
    ]
    return sum(errors) / len(errors) if errors else None


def _pair_grades(words: Sequence[Grade]) -> list[tuple[Grade, Grade]]:
    """Each row with its twin, once."""
    by_id = {word.solution.id: word for word in words}
    return [
        (word, by_id[word.solution.twin])
        for word in words
        if word.solution.twin in by_id and word.solution.id < str(word.solution.twin)
    ]


def _both_right(words: Sequence[Grade]) -> float | None:
    pairs = _pair_grades(words)
    return sum(one.right and other.right for one, other in pairs) / len(pairs) if pairs else None


def _usual_share(words: Sequence[Grade]) -> float | None:
    """What always giving the most frequent answer of each type gets."""
    counts: dict[str, Counter[str]] = {}
    for one in words:
        counts.setdefault(one.solution.type, Counter())[str(_blind_item(one.solution).answer)] += 1
    return sum(count.most_common(1)[0][1] for count in counts.values()) / len(words) if words else None


def _median_mra(numbers: Sequence[Grade]) -> float | None:
    """What always saying the median of each type gets."""
    by_type: dict[str, list[Solution]] = {}
    for number in numbers:
        by_type.setdefault(number.solution.type, []).append(number.solution)
    total = 0.0
    for truths in by_type.values():
        median = sorted(truth.number for truth in truths)[len(truths) // 2]
        total += sum(Grade(truth, median).lenient for truth in truths)
    return total / len(numbers) if numbers else None


def _word_figures(words: Sequence[Grade]) -> dict[str, Any]:
    return {
        "rows": len(words),
        "success": _as_dict(_estimate(words, _right)),
        "read": _mean(words, lambda one: float(one.read is not None)),
        "refusals": sum(word.is_refusal for word in words),
        "twin_pairs": len(_pair_grades(words)),
        "twin_accuracy": _both_right(words),
        "most_frequent_answer": _usual_share(words),
    }


def _number_figures(numbers: Sequence[Grade]) -> dict[str, Any]:
    return {
        "rows": len(numbers),
        **{name: _as_dict(_estimate(numbers, of)) for name, of in _SHARES.items()},
        "mse_m2": _squared_error(numbers),
        "relative_error": _as_dict(_estimate(numbers, _error)),
        "mra": _as_dict(_estimate(numbers, lambda one: one.lenient)),
        "fair_mra": _as_dict(_estimate(numbers, lambda one: one.fair_mra)),
        "median_mra": _median_mra(numbers),
        "refusals": sum(number.is_refusal for number in numbers),
        "ranges": sum(number.is_range for number in numbers),
    }


def _consistency_figures(grades: Sequence[Grade]) -> dict[str, Any]:
    """Whether one says the same of the same things from several frames, right or wrong; only where that must be so."""
    groups: dict[str, list[Grade]] = {}
    for one in grades:
        if one.solution.group and ALL_TYPES[one.solution.type].is_fixed:
            groups.setdefault(one.solution.group, []).append(one)
    several = [group for group in groups.values() if len(group) > 1]
    agreed = sum(_agree(group) for group in several)
    return {"groups": len(several), "agreed": agreed / len(several) if several else None}


def _agree(group: Sequence[Grade]) -> bool:
    said = [one.read for one in group]
    if all(isinstance(one, float) for one in said):
        return max(said) - min(said) <= AGREES * max(said)  # type: ignore[operator,type-var]  # floats
    return None not in said and len(set(said)) == 1


def _as_dict(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else dict(estimate.__dict__)


def _paper_table(words: Sequence[Grade], numbers: Sequence[Grade]) -> ScoreTable:
    named: list[tuple[str, Sequence[Grade], Callable[[Grade], float]]] = [("right word", words, _right)]
    named += [(name if "number" in name else f"number {name}", numbers, of) for name, of in _SHARES.items()]
    named += [("mean relative error, at most 1", numbers, _error)]
    named += [("mean relative accuracy (MRA)", numbers, lambda one: one.lenient)]
    named += [("MRA within error bars", numbers, lambda one: one.fair_mra)]
    rows: list[tuple[Cell, ...]] = []
    for name, grades, of in named:
        one = _estimate(grades, of)
        if one is not None:
            rows.append((name, one.mean, one.low, one.high, one.rows, one.tours))
    return ScoreTable(
        "Spatial questions, in %", ("", "score", "from", "to", "rows", "tours"), tuple(rows), ("score", "from", "to")
    )


_Groups = Sequence[tuple[str, Sequence[Grade]]]


def _tabulate(title: str, groups: _Groups, columns: Mapping[str, Callable[[str, Sequence[Grade]], Cell]]) -> ScoreTable:
    """A row for each group that is not empty; the columns behind the count of rows are shares, but MSE."""
    rows = tuple((name, len(group), *(of(name, group) for of in columns.values())) for name, group in groups if group)
    return ScoreTable(title, ("type", "rows", *columns), rows, tuple(name for name in columns if name != "MSE"))


def _find_guess(guesses: Mapping[str, BlindScore], name: str) -> float | None:
    return guesses[name].score if name in guesses else None


def _word_table(words: Sequence[Grade], guesses: Mapping[str, BlindScore]) -> ScoreTable:
    zones = (("decided", False), ("too close to call", True))
    groups = [
        ("all", words),
        *((name, [word for word in words if (word.solution.truth == TOO_CLOSE) == flag]) for name, flag in zones),
        *_group(words),
    ]
    return _tabulate(
        "Questions for a word, in %",
        groups,
        {
            "read": lambda _, group: _mean(group, lambda one: float(one.read is not None)),
            "success": lambda _, group: _mean(group, _right),
            "twins": lambda _, group: _both_right(group),
            "blind": lambda name, _: _find_guess(guesses, name),
            "usual": lambda _, group: _usual_share(group),
        },
    )


def _group(grades: Sequence[Grade]) -> list[tuple[str, Sequence[Grade]]]:
    """By what has to be understood, then by type."""
    levels = {level: [grade for grade in grades if ALL_TYPES[grade.solution.type].level == level] for level in LEVELS}
    types = [(name, [grade for grade in grades if grade.solution.type == name]) for name in ALL_TYPES]
    return [*((told, levels[level]) for level, told in LEVELS.items()), *types]


def _number_table(numbers: Sequence[Grade], guesses: Mapping[str, BlindScore]) -> ScoreTable:
    ranges = (name.removeprefix("in [").removesuffix("] %").replace(", ", "-") for name in RANGES)
    shares = dict(zip(("given", *ranges), _SHARES.values(), strict=True))
    return _tabulate(
        "Questions for a number, in % (MSE in m²)",
        [("all", numbers), *_group(numbers)],
        {
            **{name: lambda _, group, of=of: _mean(group, of) for name, of in shares.items()},
            "MSE": lambda _, group: _squared_error(group),
            "MRA": lambda _, group: _mean(group, lambda one: one.lenient),
            "fair": lambda _, group: _mean(group, lambda one: one.fair_mra),
            "blind": lambda name, _: _find_guess(guesses, name),
            "median": lambda _, group: _median_mra(group),
        },
    )


def _size_table(numbers: Sequence[Grade]) -> ScoreTable:
    """Relative error by how long the true length is."""
    groups = [
        (
            f"{low:g} m and more" if high == float("inf") else f"{low:g} to {high:g} m",
            [number for number in numbers if number.solution.unit == "m" and low <= number.solution.number < high],
        )
        for low, high in _SIZES
    ]
    table = _tabulate(
        "By length, in %",
        groups,
        {
            "relative error": lambda _, group: _mean(group, _error),
            "MRA": lambda _, group: _mean(group, lambda one: one.lenient),
        },
    )
    return replace(table, columns=("true length", *table.columns[1:]))


def _notes(
    all_mine: Sequence[DatasetRow],
    mine: Sequence[DatasetRow],
    asked: Sequence[DatasetRow],
    grades: Sequence[Grade],
    answers: Answers,
) -> tuple[str, ...]:
    notes: list[str] = []
    if len(mine) < len(all_mine):
        notes.append(f"{len(all_mine) - len(mine)} rows ask for one of two things and do not say which: left out")
    silent = sum(row.id not in answers for row in asked)
    if silent:
        notes.append(f"{silent} of {len(asked)} rows have no answer and count as wrong")
    if len(asked) < len(mine):
        notes.append(f"{len(mine) - len(asked)} rows are of tours without any answer and are left out")
    refused = sum(grade.is_refusal for grade in grades)
    if refused:
        notes.append(f"{refused} refusals, which are no answer whatever digits they hold")
    if not any(row.twin for row in asked):
        notes.append("the dataset names no twins, so there is no twin accuracy")
    if len({row.tour for row in asked}) < 2:
        notes.append("one tour: no interval, and no blind guess")
    return tuple(notes)
