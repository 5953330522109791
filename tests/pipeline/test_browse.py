"""`roomtour browse` on the shared run and on datasets of it."""

import json
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

from roomtour.cli import main
from roomtour.kinds import KIND_NAMES
from roomtour.run import Run
from tests.support.page_rows import read_page


def test_every_row_of_a_run_is_there_with_frames_and_reasons(whole_run: Path, tmp_path: Path) -> None:
    page = tmp_path / "rows.html"
    assert main(["browse", str(whole_run), "--out", str(page)]) == 0
    rows, _ = read_page(page)
    run = Run(whole_run)
    by_id = {row["id"]: row for row in rows}
    for kind in KIND_NAMES:
        for kept in run.rows(kind):
            assert (by_id[kept.id]["kind"], by_id[kept.id]["state"]) == (kind, "kept")
        for rejected in run.rejected_rows(kind):
            told = by_id[rejected.id]
            assert (told["state"], told["reason"]) == ("rejected", rejected.rejected_because)
            assert any(rejected.rejection in line for line in told["lines"])
    shown = [picture for row in rows for picture in row["pictures"]]
    assert all((tmp_path / unquote(picture["address"])).is_file() for picture in shown)
    frames = {(page.parent / unquote(picture["address"])).resolve().parent for picture in shown}
    assert whole_run.resolve() / "frames" in frames
    question = next(row for row in run.rows("spatial") if all(one.mark for one in row.references) and row.references)
    here = [one for one in question.references if one.frame == question.views[0]]
    boxes = by_id[question.id]["pictures"][0]["boxes"]
    assert [box[0] for box in boxes] == [str(one.mark.number) for one in here if one.mark]
    region = next(iter(run.rows("regions")))
    boxes = by_id[region.id]["pictures"][0]["boxes"]
    assert boxes[0][1:5] == pytest.approx(region.regions[0].box_xyxy, abs=0.05)


def test_a_dataset_that_was_looked_at_is_valid_and_is_exported_again(whole_run: Path, tmp_path: Path) -> None:
    for format in ("messages", "hf"):
        out = tmp_path / format
        assert main(["export", str(whole_run), "--format", format, "--out", str(out)]) == 0
        assert main(["browse", str(out)]) == 0
        assert main(["validate", str(out)]) == 0
        assert main(["export", str(whole_run), "--format", format, "--out", str(out)]) == 0
    rows, _ = read_page(tmp_path / "messages.browse.html")
    lines = [json.loads(line) for line in (tmp_path / "messages" / "train.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [line["id"] for line in lines]
    assert Counter(row["type"] for row in rows) == Counter(line["type"].replace("_", " ") for line in lines)
    rows, _ = read_page(tmp_path / "hf.browse.html")
    assert {row["kind"] for row in rows} >= {"views", "instructions", "questions", "qars"}
    assert all(picture["address"].startswith("hf.browse/") for row in rows for picture in row["pictures"])
