"""Questions answered by programs scored: VSI-Bench's tasks as its published code averages them, and every type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from instructions.asking.answers import is_refusal
from instructions.questions.core.records import Question, spell_category
from instructions.questions.quality.grades import Grade, Solution, grade_answer
from roomtour.files.records import from_plain, parse_json
from roomtour.scoring.intervals import estimate_mean
from roomtour.scoring.records import Answers, DatasetRow, Mode, Scorer, ScoreReport, ScoreTable

LEVELS = tuple(f"object_rel_direction_{level}" for level in ("easy", "medium", "hard"))
"""Averaged into one task before the tasks are averaged."""
DIRECTION = "object_rel_direction"
TASKS = (
    *("object_counting", "object_abs_distance", "object_size_estimation", "room_size_estimation"),
    *("object_rel_distance", DIRECTION, "route_planning", "obj_appearance_order"),
)
"""VSI-Bench's eight, in the order of its table."""


def takes(dataset: Path, rows: Sequence[DatasetRow]) -> bool:
    """Whether any row is a question answered by programs that code can grade."""
    return any(_read_truth(row) is not None for row in rows)


def score(dataset: Path, rows: Sequence[DatasetRow], answers: Answers, mode: Mode) -> ScoreReport:
    """Score the answers, strictly as published code reads them and leniently as a person does; both are told.

    A row without an answer counts as wrong, unless no row of its tour has one: then the tour was not asked.
    """
    mine = [(row, truth) for row in rows if (truth := _read_truth(row)) is not None]
    asked_tours = {row.tour for row, _ in mine if row.id in answers}
    asked = [(row, truth) for row, truth in mine if row.tour in asked_tours]
    said = {row.id: str(answers.get(row.id, {}).get("answer", "")) for row, _ in asked}
    grades = [(row, grade_answer(truth, said[row.id])) for row, truth in asked]
    vsi = _group([grade for row, grade in grades if _medium(row) == "vsi"])
    others = _group([grade for row, grade in grades if _medium(row) != "vsi"])
    tables, notes = [], []
    figures: dict[str, Any] = {"rows": len(grades), "tours": len(asked_tours)}
    for title, groups in (("VSI-Bench's tasks", vsi), ("other types", others)):
        if not groups:
            continue
        table, overall = _tabulate(title, groups)
        tables.append(table)
        figures[title] = {
            "overall": overall,
            "tasks": [dict(zip(table.columns, row, strict=True)) for row in table.rows],
        }
    missing = [task for task in TASKS if vsi and task not in average_tasks(vsi)]
    if missing:
        notes.append(f"overall is the mean over the tasks that are there; there is no row of {', '.join(missing)}")
    levels = [level for level in LEVELS if level in vsi]
    if vsi and 0 < len(levels) < len(LEVELS):
        notes.append(f"{DIRECTION} is the mean over the levels that are there: {', '.join(levels)}")
    silent = sum(not said[row.id] for row, _ in asked)
    if silent:
        notes.append(f"{silent} of {len(asked)} rows have no answer and count as wrong")
    refused = sum(is_refusal(text) for text in said.values())
    if refused:
        notes.append(f"{refused} answers refuse")
    return ScoreReport("programs", tuple(tables), figures, tuple(notes))


def average_tasks(groups: Mapping[str, Sequence[Grade]]) -> dict[str, tuple[float, float]]:
    """Strict and lenient mean of each task; the levels of the direction as one, each level weighing the same."""
    out = {
        task: (mean(grade.strict for grade in grades), mean(grade.lenient for grade in grades))
        for task, grades in groups.items()
    }
    levels = [out.pop(level) for level in LEVELS if level in out]
    if levels:
        out[DIRECTION] = (mean(one for one, _ in levels), mean(one for _, one in levels))
    return out


SCORER = Scorer(
    "programs", "questions answered by programs: VSI-Bench's tasks and overall, strict and lenient", takes, score
)


def _tabulate(title: str, groups: Mapping[str, Sequence[Grade]]) -> tuple[ScoreTable, dict[str, float]]:
    means = average_tasks(groups)
    order = [task for task in TASKS if task in means] + sorted(set(means) - set(TASKS))
    rows: list[tuple[str | float | int | None, ...]] = []
    for task in order:
        members = [grade for name, grades in groups.items() if name == task or (task == DIRECTION and name in LEVELS)
                   for grade in grades]  # fmt: skip
        spread = estimate_mean([member.strict for member in members], [member.solution.tour for member in members])
        strict, lenient = means[task]
        rows.append(
            (task, len(members), strict, lenient, spread.low if spread else None, spread.high if spread else None)
        )
    overall = {
        "strict": mean(strict for strict, _ in means.values()),
        "lenient": mean(lenient for _, lenient in means.values()),
    }
    whole = sum(len(grades) for grades in groups.values())
    rows.append(("overall", whole, overall["strict"], overall["lenient"], None, None))
    columns = ("task", "rows", "strict", "lenient", "strict from", "strict to")
    return ScoreTable(title, columns, tuple(rows), columns[2:]), overall


def _group(grades: Sequence[Grade]) -> dict[str, list[Grade]]:
    out: dict[str, list[Grade]] = defaultdict(list)
    for one in grades:
        out[spell_category(one.solution.type)].append(one)
    return dict(out)


def _medium(row: DatasetRow) -> str:
    record = row.record
    return "vsi" if "scene_name" in record and "ground_truth" in record else str(record.get("medium") or "")


def _read_truth(row: DatasetRow) -> Solution | None:
    """The truth in whichever format the row lies; None for other kinds and for what no code can verify."""
    record = row.record
    if "scene_name" in record and "question_type" in record:
        return _read_vsibench(row)
    if row.kind != "programs":
        return None
    if "truth_source" in record:
        told = from_plain({key: value for key, value in record.items() if key in _FIELDS}, Question, row.id)
        return None if told.form == "text" else Solution.of(told)
    solution = record.get("reward")
    if not solution:
        return None
    told = parse_json(str(solution)) if isinstance(solution, str) else dict(solution)
    truth = told["truth"]
    value = (
        tuple(truth)
        if isinstance(truth, list)
        else float(truth)
        if told["form"] == "number" and not told["choices"]
        else truth
    )
    if told["form"] == "yes_no" and not told["choices"]:
        value = "yes" if truth in (True, "yes") else "no"
    task = str(record.get("category") or row.type)
    return Solution(
        row.id, row.tour, task, told["form"], value, str(told.get("unit") or ""), choices=row.choices,
        is_choice=bool(told["choices"]),
    )  # fmt: skip


_FIELDS = frozenset(Question.__dataclass_fields__)


def _read_vsibench(row: DatasetRow) -> Solution:
    record, options = row.record, tuple(str(one).partition(". ")[2] for one in row.record.get("options") or ())
    truth = str(record["ground_truth"])
    task = str(record["question_type"])
    if options:
        return Solution(row.id, row.tour, task, "label", truth, choices=options, is_choice=True)
    return Solution(row.id, row.tour, task, "number", float(truth), _UNITS.get(task, ""))


_UNITS = {"object_abs_distance": "m", "object_size_estimation": "cm", "room_size_estimation": "m2"}
