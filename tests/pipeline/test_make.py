"""`roomtour make`, and what a run says of kinds of data that it does not have."""

import json
import shutil
from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.pipeline import make_data, process_tour, run_config
from roomtour.run import Run
from roomtour.sources import plan_tours


def manifest(run: Path) -> dict:
    return json.loads((run / "manifest.json").read_text())


def change(run: Path, **facts: object) -> None:
    (run / "manifest.json").write_text(json.dumps(manifest(run) | facts))


def without(run: Path, *stages: str) -> None:
    change(run, stages={name: entry for name, entry in manifest(run)["stages"].items() if name not in stages})


def complaint(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([str(word) for word in words]) != 0
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_rows_are_made_again_without_the_video_and_are_the_same(copy: Path) -> None:
    before = manifest(copy)
    rows = (copy / "navigation" / "rows.jsonl").read_bytes()
    shutil.rmtree(copy / "navigation")
    without(copy, "navigation", "report")
    change(copy, source="/nowhere/tour.mp4")
    assert main(["make", str(copy), "--data", "navigation"]) == 0
    assert (copy / "navigation" / "rows.jsonl").read_bytes() == rows
    after = manifest(copy)
    assert sorted(after["stages"]) == sorted(before["stages"])
    same = set(before["stages"]) - {"navigation", "report"}
    assert {name: after["stages"][name] for name in same} == {name: before["stages"][name] for name in same}
    assert after["versions"] == before["versions"]
    assert after["made_by"] == {"navigation": before["versions"]["roomtour"]}
    assert after["options"]["data"] == ["navigation", "spatial"]


def named(run: Path) -> list[str]:
    return [thing for row in Run(run).instructions for thing in row.objects]


def test_options_can_differ_from_those_of_the_run(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "nameless.yaml").write_text("navigation: {min_image_share: 0.9}")
    before = named(copy)
    assert before
    assert main(["make", str(copy), "--data", "navigation", "--config", str(tmp_path / "nameless.yaml")]) == 0
    assert not named(copy)
    assert main(["make", str(copy), "--data", "navigation", "--set", "navigation.min_image_share=0.004"]) == 0
    assert named(copy) == before
    assert main(["make", str(copy), "--data", "navigation", "--set", "navigation.wordings=1"]) == 0
    assert run_config(Run(copy)).navigation.wordings == 1


def test_nothing_is_built_on_a_stage_that_is_missing_or_stale(copy: Path, capsys) -> None:
    options = manifest(copy)["options"]
    change(copy, options=options | {"landmarks": options["landmarks"] | {"max_error_px": 1.0}})
    line = complaint(capsys, "make", copy, "--data", "navigation")
    assert "stage perception is of another version or of other options" in line
    assert "roomtour process" in line
    without(copy, "perception")
    assert "stage perception is not done" in complaint(capsys, "make", copy, "--data", "navigation")


def test_options_of_an_older_version_are_named_with_what_to_do(copy: Path, capsys) -> None:
    change(copy, options=manifest(copy)["options"] | {"text": {"wordings": 2}})
    line = complaint(capsys, "make", copy, "--data", "navigation")
    assert "unknown key 'text'" in line
    assert "Bring it up to date first: roomtour process" in line


def test_a_run_that_lacks_what_it_was_asked_for_never_counts_as_one_without_texts(copy: Path, capsys) -> None:
    """A run killed before its texts."""
    without(copy, "navigation", "spatial", "report")
    assert main(["show", str(copy)]) == 0
    said = capsys.readouterr().out
    assert "stages done" in said
    assert "written" not in said
    with pytest.raises(RoomtourError, match="stage navigation is not done"):
        _ = Run(copy).instructions
    assert "needs stage navigation" in complaint(
        capsys, "export", copy, "--format", "r2r", "--out", copy.parent / "out"
    )
    assert main(["export", str(copy), "--format", "jsonl", "--out", str(copy.parent / "out")]) == 0
    assert "left out: navigation" in capsys.readouterr().out
    assert "rows.jsonl" not in str(Run(copy).files)
    assert Run(copy).view_descriptions == ()


def test_stages_that_this_version_does_not_have_are_forgotten(copy: Path, short_walk: Path) -> None:
    old = manifest(copy)["stages"]
    finding = {"severity": "warning", "code": "old.finding", "where": "x", "message": "of an older version"}
    change(copy, stages={"instructions": old["plan"] | {"findings": [finding]}} | old)
    assert main(["process", str(short_walk), "--out", str(copy), "--workers", "1"]) == 0
    assert list(manifest(copy)["stages"]) == list(old)
    assert "old.finding" not in {found.code for found in Run(copy).findings}


def test_a_kind_that_is_forced_or_ended_with_is_asked_for(copy: Path, short_walk: Path) -> None:
    (tour,) = plan_tours([short_walk], copy)
    before = manifest(copy)["stages"]["navigation"]
    config = Config(workers=1, data=())
    assert "navigation" in process_tour(tour, config, force="navigation").stages
    assert manifest(copy)["stages"]["navigation"]["finished"] >= before["finished"]
    assert manifest(copy)["options"]["data"] == ["navigation"]
    without(copy, "navigation", "report")
    assert "navigation" in process_tour(tour, config, until="navigation").stages


def test_a_run_that_is_asked_for_no_kind_is_whole_without(copy: Path, short_walk: Path, capsys) -> None:
    without(copy, "navigation", "spatial", "report")
    (tour,) = plan_tours([short_walk], copy)
    run = process_tour(tour, Config(workers=1, data=()))
    assert run.kinds == ()
    assert run.data.instructions == ()
    assert main(["show", str(copy)]) == 0
    assert "walked" in capsys.readouterr().out
    line = complaint(capsys, "export", copy, "--format", "r2r", "--out", copy.parent / "out")
    assert f"roomtour make {copy} --data navigation" in line
    assert make_data(copy, ["navigation"]).instructions
