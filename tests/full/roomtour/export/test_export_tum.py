from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from evo.tools.file_interface import read_tum_trajectory_file
from hypothesis import given, settings

from recon.pose_sources.tum import read_tum
from roomtour.export import RunData, export_runs, validate_export
from tests.support.export.made_run import make_model, make_run
from tests.support.export.random_runs import runs


def test_evo_loads_world_from_cam_with_seconds(tmp_path: Path) -> None:
    run = make_run(models=2)
    export_runs([run], "tum", tmp_path / "out")
    for model, file in zip(run.scene.models, sorted((tmp_path / "out").glob("*.txt")), strict=True):
        loaded = read_tum_trajectory_file(str(file))
        assert loaded.check()[0]
        assert loaded.timestamps == pytest.approx([run.scene.frame_by_index[f].time_s for f in model.frames])
        assert loaded.positions_xyz == pytest.approx(model.centers)
        matrices = [pose.matrix() for pose in model.world_from_cam.values()]
        assert np.array(loaded.poses_se3) == pytest.approx(np.array(matrices))


@given(run=runs())
@settings(max_examples=30, deadline=None)
def test_round_trip_gives_the_same_poses(tmp_path_factory, run: RunData) -> None:
    out = tmp_path_factory.mktemp("tum") / "out"
    export_runs([run], "tum", out)
    assert validate_export(out, "tum") == []
    for model in run.scene.models:
        back = read_tum(out / f"{model.name}.txt").pictures
        assert [picture.time_s for picture in back] == [run.scene.frame_by_index[f].time_s for f in model.frames]
        for picture, want in zip(back, model.world_from_cam.values(), strict=True):
            assert picture.world_from_cam.center.tolist() == want.center.tolist()
            assert np.abs(picture.world_from_cam.rotation - want.rotation).max() < 1e-12


def test_models_are_in_order_of_size_also_past_ten(tmp_path: Path) -> None:
    run = make_run(models=11)
    export_runs([run], "tum", tmp_path / "out")
    assert [file.name for file in sorted((tmp_path / "out").glob("*.txt"))] == [f"{k:02d}.txt" for k in range(11)]


def test_unit_is_told_and_never_metres_for_a_relative_scale(tmp_path: Path) -> None:
    export_runs([make_run(status="relative")], "tum", tmp_path / "out")
    assert "unit unit (scale relative)" in (tmp_path / "out" / "0.txt").read_text().splitlines()[0]
    assert "have no scale" in (tmp_path / "out" / "README.md").read_text()


def test_several_tours_get_a_folder_each(tmp_path: Path) -> None:
    export_runs([make_run("one"), make_run("two")], "tum", tmp_path / "out")
    assert [str(file.relative_to(tmp_path / "out")) for file in sorted((tmp_path / "out").glob("*/*.txt"))] == [
        "one/0.txt",
        "two/0.txt",
    ]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("1 2 3", "line"),
        ("1 2 3 4 0 0 0 1 ", "line"),
        ("1,2,3,4,0,0,0,1", "line"),
        ("99 0 0 nan 0 0 0 1", "z"),
        ("99 x 0 0 0 0 0 1", "x"),
        ("99 0 0 0 0 0 0 2", "qx qy qz qw"),
        ("0.5 0 0 0 0 0 0 1", "t"),
    ],
)
def test_every_rule_is_held(tmp_path: Path, line: str, field: str) -> None:
    export_runs([make_run()], "tum", tmp_path / "out")
    file = tmp_path / "out" / "0.txt"
    file.write_text(file.read_text() + line + "\n")
    (problem,) = validate_export(tmp_path / "out")
    assert (problem.file, problem.row, problem.field) == ("0.txt", 32, field)


def test_empty_file_is_a_problem(tmp_path: Path) -> None:
    export_runs([make_run()], "tum", tmp_path / "out")
    (tmp_path / "out" / "0.txt").write_text("# nothing\n")
    assert [problem.field for problem in validate_export(tmp_path / "out")] == ["lines"]


def test_model_names_do_not_matter_to_the_order(tmp_path: Path) -> None:
    run = make_run()
    assert make_model([]).frames == ()
    assert export_runs([run], "tum", tmp_path / "out").counts["poses"] == 30
