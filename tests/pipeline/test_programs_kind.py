"""Questions answered by programs on a finished run: made by `make`, counted, reported, drawn."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import pytest

from instructions.programs.explain import explain
from roomtour.cli import main
from roomtour.explain.rows import draw_row
from roomtour.run import Run


@pytest.fixture(scope="module")
def run(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs") / "run"
    shutil.copytree(finished_run, folder)
    assert main(["make", str(folder), "--data", "programs"]) == 0
    return folder


def test_rows_and_counts_add_up_and_say_why_the_rest_was_not_asked(run: Path):
    counts = json.loads((run / "programs" / "counts.json").read_text(encoding="utf-8"))
    rows = Run(run).rows("programs")
    assert rows
    assert counts["written"] == counts["kept"] == len(rows)
    assert sum(sum(types.values()) for types in counts["not_asked"].values()) > 0
    for row in rows:
        assert row.scale_status == "assumed"
        assert set(row.views) <= set(Run(run).scene.models[0].frames)
        assert len(explain(row)) >= 3


def test_the_report_has_a_section(run: Path):
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "Questions answered by programs" in page
    assert "others were not asked" in page


def test_rows_are_drawn_with_their_views(run: Path, tmp_path: Path):
    opened = Run(run)
    for row in opened.rows("programs"):
        assert cv2.imread(str(draw_row(opened, "programs", row, tmp_path))) is not None
