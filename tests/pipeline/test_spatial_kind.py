"""Spatial questions on a finished run: made by `make`, the same at any `--workers`, reported, explained, exported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.spatial.explain import explain
from instructions.spatial.writer import write_questions
from roomtour.cli import main
from roomtour.explain.pictures import draw
from roomtour.export.core.records import RunData
from roomtour.run import Run
from tests.support.export.breaking import frames_on_disk
from tests.support.runs.run_folder import STAGES_RUN, write_run
from tests.support.worlds.box_rooms import Block, make_room


@pytest.fixture(scope="module")
def run(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spatial") / "run"
    shutil.copytree(finished_run, folder)
    assert main(["make", str(folder), "--data", "spatial"]) == 0
    return folder


def test_rows_and_counts_add_up_and_say_why_the_rest_was_not_asked(run: Path):
    counts = json.loads((run / "spatial" / "counts.json").read_text(encoding="utf-8"))
    rows = Run(run).rows("spatial")
    assert counts["written"] == counts["kept"] == len(rows)
    assert sum(sum(types.values()) for types in counts["not_asked"].values()) > 0
    for row in rows:
        assert row.scale_status == "assumed"
        assert row.views[0] in Run(run).scene.models[0].frames
        assert len(explain(row)) >= 3


def test_the_same_rows_at_any_number_of_workers(run: Path, tmp_path: Path):
    again = tmp_path / "again"
    shutil.copytree(run, again)
    shutil.rmtree(again / "spatial")
    assert main(["make", str(again), "--data", "spatial", "--set", "workers=2"]) == 0
    assert (again / "spatial" / "rows.jsonl").read_bytes() == (run / "spatial" / "rows.jsonl").read_bytes()


def test_the_report_has_a_section(run: Path):
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "Spatial questions" in page
    assert "others were not asked" in page


@pytest.fixture(scope="module")
def asked_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made run with rows: one view of three things."""
    folder = tmp_path_factory.mktemp("asked")
    blocks = (
        Block("chair", (4.0, 1.0, 0.45), (0.5, 0.5, 0.9)),
        Block("lamp", (5.5, -1.0, 0.9), (0.4, 0.4, 1.8)),
        Block("table", (5.0, 0.2, 0.4), (0.9, 0.9, 0.8)),
    )
    room = make_room(blocks)
    rows = write_questions(room.scene, room.objects, room.observations, exact=True).rows
    frames = frames_on_disk(folder / "frames", 1, 640, 480)
    data = RunData(room.scene, (), room.objects, room.observations, (), {"spatial": rows}, frames, {})
    write_run(folder, data, stages=[*STAGES_RUN, "spatial"])
    return folder


def test_explain_draws_rows(asked_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rows = Run(asked_run).rows("spatial")
    assert len(rows) > 3
    assert main(["explain", str(asked_run), rows[0].id, "--out", str(tmp_path / "one")]) == 0
    picture = cv2.imread(str(tmp_path / "one" / f"{rows[0].id}.png"))
    assert picture is not None
    assert main(["explain", str(asked_run), "--data", "spatial", "--sample", "3", "--out", str(tmp_path / "some")]) == 0
    assert len(list((tmp_path / "some").glob("*.png"))) == 3
    assert main(["explain", str(asked_run), "nobody"]) == 1
    assert "no row nobody" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [[], ["row", "--data", "spatial"], ["--data", "navigation"], ["--data", "spatial", "--sample", "0"]]
)
def test_explain_refuses_what_makes_no_sense(run: Path, words: list[str], capsys: pytest.CaptureFixture[str]):
    assert main(["explain", str(run), *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_picture_has_the_boxes_and_the_text():
    image = np.zeros((120, 160, 3), np.uint8)
    boxes = (("A", (10.0, 10.0, 60.0, 60.0)), ("B", (70.0, 20.0, 150.0, 100.0)))
    plain, told = draw([(image, ())], ("one",)), draw([(image, boxes)], ("one", "two"))
    assert plain.shape[1] == told.shape[1] == 960
    assert told.shape[0] > plain.shape[0]
    assert not (plain[:720] != 0).any()
    assert (told[:720] != 0).any()
