"""SPRITE's and VSI-Bench's files by their measured conventions: boxes, cameras and answers those of the files alone."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from instructions.errors import InstructionError
from instructions.questions.core.world import Given, ProgramCamera, ProgramScene, ProgramThing
from instructions.questions.sets.judging import analyse
from recon.conventions import heading_deg
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from roomtour.run import Run
from tests.support.imports.made_sprite import PLAN, WALK, scene_files, write_sprite


def load(tmp_path: Path, files: dict[str, Any] | None = None, **options: Any) -> Run:
    write_sprite(tmp_path / "sprite", files)
    return import_run(tmp_path / "sprite", "sprite", tmp_path / "run", ImportOptions(**options))


def test_boxes_lie_where_they_are_and_are_not_turned(tmp_path):
    run = load(tmp_path)
    for one, (name, category, center, sizes) in zip(run.objects, PLAN, strict=True):
        assert (one.alias, one.category) == (name, category)
        assert one.obb.center == pytest.approx(center, abs=1e-9)
        assert 2 * np.array(one.obb.half_extents) == pytest.approx(sizes, abs=1e-9)
        assert one.obb.rotation == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def test_cameras_stand_and_look_as_in_the_file(tmp_path):
    model = load(tmp_path).scene.models[0]
    for (x, y, heading), pose in zip(WALK, model.world_from_cam.values(), strict=True):
        assert pose.center == pytest.approx((x, y, 0.9))
        assert heading_deg(pose) == pytest.approx(heading)
        assert pose.forward[2] == pytest.approx(0.0, abs=1e-12)
        assert np.linalg.det(pose.rotation) == pytest.approx(1.0)


def test_direction_from_the_camera_is_that_of_the_files_alone(tmp_path):
    """Left-handed: right is (cos yaw, 0, -sin yaw), forward (sin yaw, 0, cos yaw), on every ordered pair."""
    run = load(tmp_path)
    files = scene_files()
    model = run.scene.models[0]
    things = {one.id: ProgramThing(one.id, one.category or "", one.obb, one.frames) for one in run.objects}
    told = 0
    for place, (frame, pose) in enumerate(model.world_from_cam.items()):
        scene = ProgramScene(things, (ProgramCamera.of(frame, pose),))
        raw = files["camera_pose"][str(5 * place)]
        yaw = math.radians(raw["rotation"][1])
        for a, one in enumerate(run.objects):
            for b, other in enumerate(run.objects):
                if a == b:
                    continue
                at = [np.array(files["metainfo"][k]["obb"]["center"]) - np.array(raw["position"]) for k in (a, b)]
                lateral = [p[0] * math.cos(yaw) - p[2] * math.sin(yaw) for p in at]
                ahead = [p[0] * math.sin(yaw) + p[2] * math.cos(yaw) for p in at]
                if abs(lateral[0] - lateral[1]) < 0.01 or abs(ahead[0] - ahead[1]) < 0.01:
                    continue
                found = analyse("camera_direction_complex", (one.id, other.id), scene)
                front = "front" if ahead[0] < ahead[1] else "back"
                assert found == f"{front}-{'right' if lateral[0] > lateral[1] else 'left'}"
                told += 1
    assert told > 40


def test_the_preset_is_stated_and_assumed(tmp_path):
    run = load(tmp_path, preset="thor-sample")
    model = run.scene.models[0]
    pose = next(iter(model.world_from_cam.values()))
    assert pose.center[2] == pytest.approx(0.9 + 0.63)
    assert math.degrees(math.asin(-pose.forward[2])) == pytest.approx(29.0)
    assert model.camera.params[0] == pytest.approx(80 / math.tan(math.radians(44)))
    assert run.scene.scale_status == "assumed"


def spoil(change: str, value: Any) -> dict[str, Any]:
    files = scene_files()
    thing = files["metainfo"][0]
    if change in thing["obb"]:
        thing["obb"][change] = value
    else:
        thing[change] = value
    return files


def test_what_does_not_fit_is_dropped_named_and_counted(tmp_path, subtests: pytest.Subtests):
    for number, (change, value, told) in enumerate(
        (
            ("center", [float("nan"), 0, 0], "finite"),
            ("sizes", [0.5, 1.0, 0.61], "1 mm"),
            ("volume", 0.9, "5 %"),
            ("sizes", [0.5, -1.0, 0.6], "positive"),
            ("category", "", "category"),
            ("object_name", "Chair|2|1", "another thing"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(f"{change}: {told}"):
            run = load(folder, spoil(change, value))
            assert len(run.objects) == len(PLAN) - 1
            assert any(
                told in one.message and "1 times" in one.message for one in run.findings if one.code == "import.dropped"
            )


def test_a_frame_without_pose_and_counts_that_do_not_fit_are_told(tmp_path):
    files = spoil("appear", [5, 999])
    files["objects_num"] = {"chair": 7, "table": 1}
    run = load(tmp_path, files)
    assert run.objects[0].frames == (2,)
    told = " ".join(one.message for one in run.findings)
    assert "in 999" in told
    assert "`objects_num`" in told


def test_broken_files_are_one_line(tmp_path, subtests: pytest.Subtests):
    for number, (name, text, wanted) in enumerate(
        (
            ("metainfo", "[{]", "1.json:1: not valid JSON"),
            ("metainfo", "{}", "need a list"),
            ("camera_pose", "[]", "need an object"),
            ("metainfo", "[" * 100000, "JSON|nested"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(f"{name}: {wanted}"), pytest.raises(InstructionError, match=wanted):
            load(folder, {**scene_files(), name: text})


def test_a_walk_against_its_yaw_is_reported(tmp_path):
    files = scene_files()
    for pose in files["camera_pose"].values():
        pose["rotation"][1] += 180.0
    assert "import.backwards" in {one.code for one in load(tmp_path, files).findings}
    assert "import.backwards" not in {one.code for one in load(tmp_path / "right").findings}


def test_quaternions_are_a_right_handed_world_and_said_to_be_assumed(tmp_path):
    files = scene_files()
    half = math.sqrt(0.5)
    files["metainfo"][0]["obb"]["rotation"] = [0.0, half, 0.0, half]  # a quarter turn about y
    run = load(tmp_path, files)
    box = run.objects[0].obb
    assert box.center == pytest.approx((2.0, -3.0, 0.5))
    corners = np.array(box.rotation) @ np.array(box.half_extents)
    assert np.abs(corners) == pytest.approx((0.3, 0.25, 0.5))
    assert "import.convention" in {one.code for one in run.findings}


AXES = [[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]


def write_vsi(folder: Path, **change: Any) -> Path:
    box = {"centroid": [1.0, 2.0, 0.5], "axesLengths": [2.0, 1.0, 1.0], "normalizedAxes": AXES, **change}
    flat = {**box, "centroid": [4.0, 2.0, 0.5], "normalizedAxes": [part for row in AXES for part in row]}
    scene = {
        "object_counts": {"table": 1, "sofa": 3},
        "object_bbox": {"table": [box], "sofa": [flat]},
        "room_size": 22.5,
        "dataset": "made",
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "meta.json").write_text(json.dumps({"scene0001_00": scene}))
    return folder


def test_vsi_axes_are_rows_and_lengths_are_full(tmp_path):
    run = import_run(write_vsi(tmp_path / "vsi"), "vsi", tmp_path / "run")
    table = run.objects[0]
    assert table.obb.half_extents == (1.0, 0.5, 0.5)
    end = np.array(table.obb.center) + np.array(table.obb.rotation) @ [1.0, 0.0, 0.0]
    assert end == pytest.approx([1.8, 2.6, 0.5])  # one length along row 0
    assert run.objects[1].obb.rotation == table.obb.rotation
    things = {one.id: ProgramThing(one.id, one.category or "", one.obb, ()) for one in run.objects}
    assert analyse("vsi_object_size", (table.id,), ProgramScene(things, ()), Given(side="longest")) == pytest.approx(
        200.0
    )
    assert [one.message for one in run.findings if one.code == "import.counts"] == [
        "sofa: 3 are stated, 1 boxes are listed; no counting question is made of them"
    ]
