from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.jsonl.write import ROW_TYPES, read_export
from tests.support.export.made_run import make_run
from tests.support.export.random_runs import runs


def assert_same(run: RunData, out: Path) -> None:
    back = read_export(out)
    assert back.trajectories == run.trajectories
    assert back.training == run.training
    assert back.objects == run.objects
    assert back.observations == run.observations
    assert back.instructions == run.instructions
    (scene,) = back.scenes
    assert (scene.floor_plans, scene.rooms, scene.doorways) == (run.floor_plans, run.rooms, run.doorways)
    assert scene.frames == run.scene.frames
    assert scene.clips == run.scene.clips
    assert scene.findings == run.scene.findings
    assert scene.video == run.scene.source
    for got, want in zip(scene.models, run.scene.models, strict=True):
        assert (got.name, got.camera, got.scale, got.floor_z) == (want.name, want.camera, want.scale, want.floor_z)
        assert tuple(pose.frame for pose in got.poses) == want.frames
        for pose, world_from_cam in zip(got.poses, want.world_from_cam.values(), strict=True):
            assert pose.translation == tuple(world_from_cam.center)
            assert pose.quat_wxyz == tuple(world_from_cam.quat_wxyz)


def test_round_trip_gives_the_same_records(tmp_path: Path) -> None:
    run = make_run(models=2)
    export_runs([run], "jsonl", tmp_path / "out")
    assert_same(run, tmp_path / "out")


@given(run=runs())
@settings(max_examples=30, deadline=None)
def test_any_run_round_trips(tmp_path_factory, run: RunData) -> None:
    out = tmp_path_factory.mktemp("jsonl") / "out"
    export_runs([run], "jsonl", out)
    assert validate_export(out) == []
    assert_same(run, out)


def test_classes_of_a_row_share_no_field() -> None:
    for kinds in ROW_TYPES.values():
        names = [field.name for kind in kinds for field in fields(kind)]
        twice = {name for name in names if names.count(name) > 1}
        assert twice <= {"tour"}  # a row of a kind of data names its tour itself, and so does its source


def test_every_row_says_where_it_comes_from(tmp_path: Path) -> None:
    export_runs([make_run()], "jsonl", tmp_path / "out")
    for name in ("scenes", "trajectories", "training", "objects", "instructions"):
        for line in (tmp_path / "out" / f"{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            assert list(row)[:6] == ["tour", "split", "source_file", "source_sha256", "licence", "software"]
            assert (row["tour"], row["licence"], row["software"]) == ("flat", "CC-BY-4.0", "roomtour 0.1.0")
            assert row["scale_status"] == "assumed"
    first = json.loads((tmp_path / "out" / "instructions.jsonl").read_text().splitlines()[0])
    assert first["frame_times_s"] == [f / 3 for f in first["views"]]
    assert (first["writer"], first["perception"], first["seed"]) == ("embedded", "embedded", 7)
    assert first["images"][0] == "000009.jpg"


def test_rejected_texts_are_kept_with_the_reason(tmp_path: Path) -> None:
    report = export_runs([make_run()], "jsonl", tmp_path / "out")
    rejected = [text for text in read_export(tmp_path / "out").instructions if not text.accepted]
    assert [(text.rejected_because, text.rejection) for text in rejected] == [("false_claim", "turned 90 degrees left")]
    assert (report.counts["instructions"], report.counts["rejected instructions"]) == (5, 1)


@pytest.mark.parametrize("change", [{"rejected_because": "no"}, {"accepted": False}], ids=["a reason", "none"])
def test_verdict_and_reason_that_do_not_go_together_are_named(tmp_path: Path, change: dict[str, object]) -> None:
    export_runs([make_run()], "jsonl", tmp_path / "out")
    path = tmp_path / "out" / "instructions.jsonl"
    first, *others = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(first) | change), *others]) + "\n")
    (problem,) = validate_export(tmp_path / "out")
    assert (problem.row, "rejected_because" in problem.expected) == (1, True), problem


def test_rows_of_another_tour_are_refused(tmp_path: Path) -> None:
    run = make_run()
    strange = [replace(text, tour="other") for text in run.instructions]
    with pytest.raises(ValueError, match="other"):
        run.with_rows("navigation", strange)


Break = Callable[[dict[str, Any]], object]
SAME = "split, source_file, licence, software"
RULES: list[tuple[str, str, str, Break]] = [
    ("a missing field", "instructions", "text", lambda r: r.pop("text")),
    ("a field of another type", "instructions", "seed", lambda r: r.update(seed="7")),
    ("a field nobody knows", "instructions", "colour", lambda r: r.update(colour="red")),
    ("a kind nobody knows", "instructions", "kind", lambda r: r.update(kind="poem")),
    ("a licence left out", "instructions", "licence", lambda r: r.update(licence="")),
    (
        "another licence than the tour",
        "objects",
        "split, source_file, licence, software",
        lambda r: r.update(licence="MIT"),
    ),
    (
        "another split than the tour",
        "objects",
        "split, source_file, licence, software",
        lambda r: r.update(split="val"),
    ),
    ("a split nobody knows", "scenes", "split", lambda r: r.update(split="test")),
    ("a tour nobody knows", "instructions", "tour", lambda r: r.update(tour="other")),
    ("a trajectory nobody knows", "instructions", "trajectory", lambda r: r.update(trajectory="x")),
    ("an object nobody knows", "instructions", "objects", lambda r: r.update(objects=["0_99"])),
    ("a frame without pose", "instructions", "views", lambda r: r["views"].append(31)),
    ("times of other frames", "instructions", "frame_times_s", lambda r: r["frame_times_s"].reverse()),
    ("an image too few", "instructions", "images", lambda r: r["images"].pop()),
    ("an accepted text that is empty", "instructions", "text", lambda r: r.update(text=" ")),
    ("an accepted text with a reason", "instructions", "row", lambda r: r.update(rejected_because="no")),
    ("a rejected text without", "instructions", "row", lambda r: r.update(accepted=False)),
    ("another scale than the model's", "instructions", "scale_status", lambda r: r.update(scale_status="relative")),
    ("a model nobody knows", "objects", "model", lambda r: r.update(model="9")),
    ("a box inside out", "objects", "observations.box_xyxy", lambda r: r["observations"][0]["box_xyxy"].reverse()),
    ("an observation of another", "objects", "observations", lambda r: r["observations"][0].update(object="0_2")),
    ("points out of order", "trajectories", "points", lambda r: r["points"].reverse()),
    ("no negative", "trajectories", "decisions", lambda r: r["decisions"][0].update(negative_frames=[])),
    ("a candidate off the walk", "trajectories", "decisions", lambda r: r["decisions"][0].update(positive_frame=99)),
    ("another scale status", "trajectories", "scale_status", lambda r: r.update(scale_status="metric")),
    ("metres without scale", "scenes", "models.unit", lambda r: r["models"][0]["scale"].update(status="relative")),
    ("a pose at another time", "scenes", "models.poses", lambda r: r["models"][0]["poses"][0].update(time_s=9.5)),
    (
        "no unit quaternion",
        "scenes",
        "models.poses.quat_wxyz",
        lambda r: r["models"][0]["poses"][0].update(quat_wxyz=[1, 1, 0, 0]),
    ),
    ("times that go back", "scenes", "frames", lambda r: r["frames"].reverse()),
    ("a line of a frame nobody knows", "scenes", "spatial_lines", lambda r: r["spatial_lines"][0].update(frame=99)),
    ("a plan of no model", "scenes", "floor_plans.model", lambda r: r["floor_plans"][0].update(model="9")),
    ("a room of no model", "scenes", "rooms.model", lambda r: r["rooms"][0].update(model="9")),
    ("a room with a frame of no pose", "scenes", "rooms.frames", lambda r: r["rooms"][0]["frames"].append(99)),
    ("a door to nowhere", "scenes", "doorways.rooms", lambda r: r["doorways"][0].update(rooms=["0_r0", "0_r9"])),
    ("a door into the same room", "scenes", "doorways.rooms", lambda r: r["doorways"][0].update(rooms=["0_r0"] * 2)),
    ("a view without a heading", "training", "views.heading_deg", lambda r: r["views"][0].pop("heading_deg")),
    ("views out of order", "training", "views", lambda r: r["views"].reverse()),
    ("a single view", "training", "views", lambda r: r.update(views=r["views"][:1], choices=[])),
    ("a piece of no walk", "training", "trajectory", lambda r: r.update(trajectory="x")),
    ("a choice that is no view", "training", "choices", lambda r: r["choices"].append(99)),
    ("a choice at the start", "training", "choices", lambda r: r["choices"].append(r["views"][0]["frame"])),
    ("an action nobody knows", "training", "actions", lambda r: r["actions"].insert(0, "jump")),
    ("actions without a stop", "training", "actions", lambda r: r["actions"].pop()),
    ("a stop in the middle", "training", "actions", lambda r: r["actions"].insert(1, "stop")),
    ("actions without metres", "training", "actions", lambda r: r.update(unit="unit")),
    ("a number that is none", "scenes", "json", lambda r: r["models"][0].update(floor_z=float("nan"))),
]


@pytest.mark.parametrize(("name", "file", "field", "breaking"), RULES, ids=[rule[0] for rule in RULES])
def test_every_rule_is_held(tmp_path: Path, name: str, file: str, field: str, breaking: Break) -> None:
    export_runs([make_run()], "jsonl", tmp_path / "out")
    path = tmp_path / "out" / f"{file}.jsonl"
    first, *others = path.read_text().splitlines()
    row = json.loads(first)
    breaking(row)
    path.write_text("\n".join([json.dumps(row), *others]) + "\n")
    problems = validate_export(tmp_path / "out")
    assert (f"{file}.jsonl", 1, field) in {(problem.file, problem.row, problem.field) for problem in problems}, problems


@pytest.mark.parametrize("file", ["scenes", "trajectories", "training", "objects", "instructions"])
def test_row_twice_missing_file_and_no_json(tmp_path: Path, file: str) -> None:
    export_runs([make_run()], "jsonl", tmp_path / "out")
    path = tmp_path / "out" / f"{file}.jsonl"
    text = path.read_text()
    path.write_text(text + text.splitlines()[0] + "\n")
    assert {problem.field for problem in validate_export(tmp_path / "out")} & {"id", "tour"}
    path.write_text(text + "{not json\n")
    assert {problem.field for problem in validate_export(tmp_path / "out")} == {"json"}
    path.unlink()
    assert (f"{file}.jsonl", "file") in {(p.file, p.field) for p in validate_export(tmp_path / "out")}
