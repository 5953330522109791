"""`roomtour score` on questions answered by programs: players of known scores, and the published code's figures."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from instructions.programs.grades import ProgramTruth, grade_answer, truth_of
from instructions.programs.records import ProgramQuestion
from roomtour.cli import main
from roomtour.export import RunData, export_runs
from roomtour.scoring import score_answers
from roomtour.scoring.dataset import read_rows
from roomtour.scoring.programs import DIRECTION, LEVELS, TASKS, average_tasks
from roomtour.scoring.records import DatasetRow, ScoreReport
from tests.support.export.client_stubs import client
from tests.support.export.program_runs import make_program_run


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> list[RunData]:
    folder = tmp_path_factory.mktemp("homes")
    return [make_program_run(seed, folder) for seed in (0, 1)]


@pytest.fixture(scope="module")
def vsibench(tours: list[RunData], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("vsibench") / "out"
    export_runs(tours, "vsibench", out)
    return out


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


def test_words_around_a_number_cost_the_strict_score_only(vsibench: Path, tmp_path: Path):
    report = play(vsibench, tmp_path, lambda row: row.solution if row.choices else f"about {row.solution}")
    for one in report.figures["VSI-Bench's tasks"]["tasks"]:
        if one["task"] in ("object_abs_distance", "object_size_estimation", "room_size_estimation"):
            assert (one["strict"], one["lenient"]) == (0.0, 1.0)


def test_the_overall_is_that_of_the_published_code(vsibench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Answers of every quality, through lmms-eval's own functions and through ours."""
    (tmp_path / "vsibench").symlink_to(vsibench)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    sys.modules.pop("lmms_eval.tasks.vsibench.utils", None)
    task = client("lmms_eval.tasks.vsibench.utils")
    said = ("A", "b.", "1.9", "2.5", "", "0", "1e2", "3..", "7 meters")

    def player(row: DatasetRow) -> str:
        return row.solution if len(row.question) % 3 else said[len(row.question) % len(said)]

    report = play(vsibench, tmp_path, player)
    scored = [
        task.vsibench_process_results(dict(row.record), [player(row)])["vsibench_overall"]
        for row in read_rows(vsibench)
    ]
    assert set(LEVELS) <= {row.type for row in read_rows(vsibench)}
    strict = report.figures["VSI-Bench's tasks"]["overall"]["strict"]
    assert 0.3 < strict < 0.9
    assert strict == pytest.approx(task.vsibench_aggregate_overall(scored), abs=1e-6)  # it rounds to six digits


SAID = (
    "2",
    "1.9",
    "2.5 meters",
    "2.5m",
    "about 3",
    "two",
    "",
    " 4",
    "0",
    "-1",
    "1e2",
    "nan",
    "inf",
    "3..",
    "4,5",
    "2.0.",
)


def test_numbers_are_graded_as_the_published_code_grades_them():
    """Its functions are still in lmms-eval, whose task has come to read numbers out of sentences besides."""
    task = client("lmms_eval.tasks.vsibench.utils")
    for truth in (0.5, 2.0, 3.0, 17.0):
        for text in SAID:
            value = task.to_float(task.fuzzy_matching(text))
            want = 0.0 if value is None else task.mean_relative_accuracy(value, truth, 0.5, 0.95, 0.05)
            found = grade_answer(ProgramTruth("q", "t", "object_abs_distance", "number", truth, "m"), text)
            assert found.strict == want, (truth, text)


def grade(task: str, score: float) -> Any:
    return grade_answer(ProgramTruth("q", "t", task, "label", "A", choices=("left", "right")), "A" if score else "B")


def test_levels_of_a_direction_weigh_alike_however_many_rows_they_have():
    groups = {
        LEVELS[0]: [grade(LEVELS[0], 1)] * 9,
        LEVELS[1]: [grade(LEVELS[1], 0)],
        "route_planning": [grade("route_planning", 1)],
    }
    means = average_tasks(groups)
    assert means == {DIRECTION: (0.5, 0.5), "route_planning": (1.0, 1.0)}


@pytest.mark.parametrize("form", ["jsonl", "messages", "llava", "hf"])
def test_every_format_scores_alike(tours: list[RunData], tmp_path: Path, form: str):
    export_runs(tours, form, tmp_path / "out", kinds=("programs",))
    rows = [row for row in read_rows(tmp_path / "out") if row.kind == "programs"]
    source = {row.id: row for tour in tours for row in tour.rows["programs"]}
    assert len(rows) > 100

    def player(row: DatasetRow) -> str:
        told = source[row.id]
        return truth_text(told)

    report = play(tmp_path / "out", tmp_path, player)
    for title in ("VSI-Bench's tasks", "other types"):
        assert report.figures[title]["overall"]["strict"] == pytest.approx(1.0), title
    wrong = play(tmp_path / "out", tmp_path, lambda row: "no idea")
    assert wrong.figures["other types"]["overall"] == {"strict": 0.0, "lenient": 0.0}


def truth_text(row: ProgramQuestion) -> str:
    truth = truth_of(row).truth
    return ", ".join(truth) if isinstance(truth, tuple) else str(truth)


CHOICE = ProgramTruth("q", "t", "x", "thing", "B", choices=("the sofa", "the lamp"))
LABEL = ProgramTruth("q", "t", "x", "label", "front-left")
ROUTE = ProgramTruth("q", "t", "x", "label", "turn left, then turn back")
YES = ProgramTruth("q", "t", "x", "yes_no", "yes")
THING = ProgramTruth("q", "t", "x", "thing", "the lamp", candidates=("the sofa", "the lamp"))
LIST = ProgramTruth("q", "t", "x", "things", ("the sofa", "the lamp"), candidates=("the sofa", "the lamp", "the bed"))
ORDER = ProgramTruth("q", "t", "x", "order", ("the sofa", "the bed"), candidates=("the bed", "the sofa"))
NUMBER = ProgramTruth("q", "t", "x", "number", 2.0, "m")


@pytest.mark.parametrize(
    ("truth", "answer", "strict", "lenient"),
    [
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
    ],
)
def test_answers_are_read_strictly_and_leniently(truth: ProgramTruth, answer: str, strict: float, lenient: float):
    found = grade_answer(truth, answer)
    assert (found.strict, found.lenient) == (strict, lenient)


def test_the_command_prints_both(vsibench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rows = read_rows(vsibench)
    (tmp_path / "a.jsonl").write_text(
        "".join(json.dumps({"id": row.id, "answer": row.solution}) + "\n" for row in rows[1:]), encoding="utf-8"
    )
    assert main(["score", str(tmp_path / "a.jsonl"), "--data", str(vsibench)]) == 0
    told = capsys.readouterr()
    assert "lenient" in told.out
    assert "overall" in told.out
    assert "1 of" in " ".join(told.err.split() + told.out.split())
