"""`roomtour score` on questions answered by programs: players of known scores, and the published code's figures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from instructions.questions.core.records import Question
from instructions.questions.quality.grades import Solution, grade_answer
from roomtour.export import RunData, export_runs
from roomtour.scoring import score_answers
from roomtour.scoring.dataset import read_rows
from roomtour.scoring.programs import DIRECTION, LEVELS, TASKS, average_tasks
from roomtour.scoring.records import DatasetRow, ScoreReport
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture
def tours(made: MadeDatasets) -> list[RunData]:
    return made.program_tours


@pytest.fixture
def vsibench(made: MadeDatasets) -> Path:
    return made["vsibench"]


def play(dataset: Path, folder: Path, player: Callable[[DatasetRow], str]) -> ScoreReport:
    file = folder / "answers.jsonl"
    lines = [{"id": row.id, "answer": player(row)} for row in read_rows(dataset)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (report,) = score_answers(file, dataset)
    return report


def test_who_knows_all_has_all(vsibench: Path, tmp_path: Path):
    report = play(vsibench, tmp_path, lambda row: row.solution)
    assert report.figures["VSI-Bench's tasks"]["overall"] == {"strict": 1.0, "lenient": 1.0}
    assert {one["task"] for one in report.figures["VSI-Bench's tasks"]["tasks"]} <= {*TASKS, "overall"}
    first, *others = read_rows(vsibench)
    report = play(vsibench, tmp_path, lambda row: "" if row.id == first.id else row.solution)
    assert f"1 of {1 + len(others)} rows have no answer and count as wrong" in report.notes


def grade(task: str, score: float) -> Any:
    return grade_answer(
        Solution("q", "t", task, "label", "A", choices=("left", "right"), is_choice=True), "A" if score else "B"
    )


def test_levels_of_a_direction_weigh_alike_however_many_rows_they_have():
    groups = {
        LEVELS[0]: [grade(LEVELS[0], 1)] * 9,
        LEVELS[1]: [grade(LEVELS[1], 0)],
        "route_planning": [grade("route_planning", 1)],
    }
    means = average_tasks(groups)
    assert means == {DIRECTION: (0.5, 0.5), "route_planning": (1.0, 1.0)}


def test_every_format_scores_alike(tours: list[RunData], tmp_path: Path, subtests: pytest.Subtests):
    source = {row.id: row for tour in tours for row in tour.rows["programs"]}
    for form in ("messages", "hf"):
        with subtests.test(form):
            export_runs(tours, form, tmp_path / form, kinds=("programs",))
            assert sum(row.kind == "programs" for row in read_rows(tmp_path / form)) > 100
            report = play(tmp_path / form, tmp_path, lambda row: truth_text(source[row.id]))
            for title in ("VSI-Bench's tasks", "other types"):
                assert report.figures[title]["overall"]["strict"] == pytest.approx(1.0), title
            wrong = play(tmp_path / form, tmp_path, lambda row: "zzz")
            assert wrong.figures["other types"]["overall"] == {"strict": 0.0, "lenient": 0.0}


def truth_text(row: Question) -> str:
    truth = Solution.of(row).truth
    return ", ".join(truth) if isinstance(truth, tuple) else str(truth)


CHOICE = Solution("q", "t", "x", "thing", "B", choices=("the sofa", "the lamp"), is_choice=True)
LABEL = Solution("q", "t", "x", "label", "front-left")
ROUTE = Solution("q", "t", "x", "label", "turn left, then turn back")
YES = Solution("q", "t", "x", "yes_no", "yes")
THING = Solution("q", "t", "x", "thing", "the lamp", candidates=("the sofa", "the lamp"))
LIST = Solution("q", "t", "x", "things", ("the sofa", "the lamp"), candidates=("the sofa", "the lamp", "the bed"))
ORDER = Solution("q", "t", "x", "order", ("the sofa", "the bed"), candidates=("the bed", "the sofa"))
NUMBER = Solution("q", "t", "x", "number", 2.0, "m")


def test_answers_are_read_strictly_and_leniently(subtests: pytest.Subtests):
    for truth, answer, strict, lenient in (
        (CHOICE, "B", 1, 1),
        (CHOICE, "b. the lamp", 1, 1),
        (CHOICE, "It is the lamp.", 0, 1),
        (CHOICE, "A", 0, 0),
        (LABEL, "It is ahead, to the left.", 0, 1),
        (LABEL, "behind on the left", 0, 0),
        (ROUTE, "left, then back", 0, 1),
        (ROUTE, "back, then left", 0, 0),
        (YES, "Yes, it is.", 0, 1),
        (YES, "no", 0, 0),
        (THING, "the lamp", 1, 1),
        (THING, "I think the lamp is.", 0, 1),
        (THING, "the sofa", 0, 0),
        (LIST, "the lamp and the sofa", 1, 1),
        (ORDER, "First the sofa, then the bed.", 0, 1),
        (NUMBER, "2.0", 1, 1),
        (NUMBER, "2 meters", 1, 1),
        (NUMBER, "2m", 0, 1),
        (NUMBER, "200 cm", 0, 1),
        (NUMBER, "I cannot say, maybe 2", 0, 0),
    ):
        with subtests.test(str(answer)):
            found = grade_answer(truth, answer)
            assert (found.strict, found.lenient) == (strict, lenient)
