from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from roomtour.export import export_runs, validate_export
from tests.support.export.made_run import make_run


def test_models_are_in_order_of_size_also_past_ten(tmp_path: Path) -> None:
    run = make_run(models=11)
    export_runs([run], "tum", tmp_path / "out")
    assert [file.name for file in sorted((tmp_path / "out").glob("*.txt"))] == [f"{k:02d}.txt" for k in range(11)]


def test_unit_is_told_and_never_metres_for_a_relative_scale(tmp_path: Path) -> None:
    export_runs([make_run(status="relative")], "tum", tmp_path / "out")
    assert "unit unit (scale relative)" in (tmp_path / "out" / "0.txt").read_text().splitlines()[0]
    assert "have no scale" in (tmp_path / "out" / "README.md").read_text()


def test_frames_of_a_folder_of_pictures_name_the_pictures(tmp_path: Path, subtests: pytest.Subtests) -> None:
    run = make_run()
    named = [replace(frame, source=f'IMG "{frame.index}", a.jpg') for frame in run.scene.frames]
    of_folder = replace(run, scene=replace(run.scene, frames=tuple(named)))
    for format in ("tum", "colmap"):
        with subtests.test(format):
            export_runs([of_folder], format, tmp_path / format)
            with (tmp_path / format / "pictures.csv").open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            assert [(int(row["frame"]), row["source"]) for row in rows] == [(one.index, one.source) for one in named]
            assert validate_export(tmp_path / format) == []
    export_runs([run], "tum", tmp_path / "of a video")
    assert not (tmp_path / "of a video" / "pictures.csv").exists()
