"""Figures of VSI-Bench against those of its published code, as lmms-eval has it."""

import json
import sys
from pathlib import Path

import pytest

from roomtour.scoring import score_answers
from roomtour.scoring.dataset import read_rows
from roomtour.scoring.programs import LEVELS
from roomtour.scoring.records import DatasetRow
from tests.support.export.client_stubs import client
from tests.support.export.made_datasets import MadeDatasets


def test_the_overall_is_that_of_the_published_code(made: MadeDatasets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Answers of every quality, through lmms-eval's own functions and through ours."""
    vsibench = made["vsibench"]
    (tmp_path / "vsibench").symlink_to(vsibench)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    sys.modules.pop("lmms_eval.tasks.vsibench.utils", None)
    task = client("lmms_eval.tasks.vsibench.utils")
    said = ("A", "b.", "1.9", "2.5", "", "0", "100", "3..", "7 meters")  # of "1e2" the task now reads the 1

    def player(row: DatasetRow) -> str:
        return row.solution if len(row.question) % 3 else said[len(row.question) % len(said)]

    lines = [{"id": row.id, "answer": player(row)} for row in read_rows(vsibench)]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (report,) = score_answers(tmp_path / "answers.jsonl", vsibench)
    scored = [
        task.vsibench_process_results(dict(row.record), [player(row)])["vsibench_overall"]
        for row in read_rows(vsibench)
    ]
    assert set(LEVELS) <= {row.type for row in read_rows(vsibench)}
    strict = report.figures["VSI-Bench's tasks"]["overall"]["strict"]
    assert 0.3 < strict < 0.9
    assert strict == pytest.approx(task.vsibench_aggregate_overall(scored), abs=1e-6)  # it rounds to six digits
