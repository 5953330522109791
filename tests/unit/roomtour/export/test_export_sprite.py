"""The format sprite: what is imported is exported as it was, and every rule of its folders is held."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from instructions.records import Scan
from recon.geometry import Pose
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.scenes.sprite import SpriteOptions
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_datasets import MadeDatasets
from tests.support.imports.made_sprite import scene_files, write_sprite


@pytest.fixture
def home(made: MadeDatasets) -> RunData:
    return made.program_tours[0]


def read(folder: Path, name: str, number: str) -> Any:
    return json.loads((folder / name / f"{number}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("preset", ["", "thor-sample"])
def test_export_of_an_import_is_what_was_imported(tmp_path: Path, preset: str):
    source = write_sprite(tmp_path / "files")
    run = import_run(source, "sprite", tmp_path / "run", ImportOptions(preset=preset))
    export_runs([run.data], "sprite", tmp_path / "out", SpriteOptions(preset=preset))
    assert validate_export(tmp_path / "out") == []
    want = scene_files()
    poses = read(tmp_path / "out", "camera_pose", "0")
    # Frames are numbered from 1 in a run, in their order.
    frame_of = {int(old): new for new, old in enumerate(sorted(want["camera_pose"], key=int), start=1)}
    assert set(poses) == {str(new) for new in frame_of.values()}
    for old, pose in want["camera_pose"].items():
        back = poses[str(frame_of[int(old)])]
        assert back["position"] == pytest.approx(pose["position"], abs=1e-6)
        assert back["rotation"] == pytest.approx(pose["rotation"], abs=1e-6)
    things = read(tmp_path / "out", "metainfo", "0")
    assert [one["id"] for one in things] == [one["id"] for one in want["metainfo"]]
    for back, one in zip(things, want["metainfo"], strict=True):
        assert back["category"] == one["category"].lower()
        assert back["appear"] == sorted(frame_of[int(frame)] for frame in one["appear"])
        for field in ("center", "sizes", "half_extents", "volume"):
            assert back["obb"][field] == pytest.approx(one["obb"][field], abs=1e-6)
    first = sorted(want["camera_pose"], key=int)[0]
    pictures = [folder / "images" / number / f"frame_{frame}.jpg" for folder, number, frame in
                ((source, "1", first), (tmp_path / "out", "0", 1))]  # fmt: skip
    assert pictures[0].read_bytes() == pictures[1].read_bytes()


@pytest.mark.parametrize("options", [SpriteOptions(), SpriteOptions(turned=True)], ids=["along", "turned"])
def test_import_of_an_export_is_the_scene(home: RunData, tmp_path: Path, options: SpriteOptions):
    change = _straighten if options.turned else _along
    objects = tuple(replace(one, obb=change(one.obb)) for one in home.objects)
    frames = frames_on_disk(tmp_path / "frames", len(home.scene.frames), 66, 48)
    model = home.scene.models[0]
    if not options.turned:
        level = {frame: _level(pose) for frame, pose in model.world_from_cam.items()}
        model = replace(model, world_from_cam=level)
    scene = replace(home.scene, models=(model,))
    export_runs([RunData(scene, (), objects, (), (), {}, frames, {})], "sprite", tmp_path / "out", options)
    assert validate_export(tmp_path / "out") == []
    back = import_run(tmp_path / "out", "sprite", tmp_path / "run")
    for one, other in zip(objects, back.objects, strict=True):
        assert other.frames == one.frames
        assert (other.alias, other.category) == (one.alias, one.category)
        assert other.obb.center == pytest.approx(one.obb.center, abs=1e-6)
        assert _corners(other.obb) == pytest.approx(_corners(one.obb), abs=1e-6)
    for frame, pose in model.world_from_cam.items():
        assert back.scene.models[0].world_from_cam[frame].matrix() == pytest.approx(pose.matrix(), abs=1e-6)


def _along(box: Any) -> Any:
    return replace(box, rotation=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def _straighten(box: Any) -> Any:
    """The truth has its rotations rounded, so they are none to 1e-5."""
    rotation = Rotation.from_matrix(np.array(box.rotation)).as_matrix()
    return replace(box, rotation=tuple(tuple(row) for row in rotation.tolist()))


def _level(pose: Pose) -> Pose:
    ahead = pose.forward * (1.0, 1.0, 0.0)
    ahead /= np.linalg.norm(ahead)
    right = np.array([ahead[1], -ahead[0], 0.0])
    return Pose(np.column_stack([right, np.cross(ahead, right), ahead]), pose.center)


def _corners(box: Any) -> np.ndarray:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    corners = np.array(box.center) + (signs * np.array(box.half_extents)) @ np.array(box.rotation).T
    return corners[np.lexsort(np.round(corners, 5).T)]


def test_a_turned_box_is_written_as_the_box_around_it_and_told(home: RunData, tmp_path: Path):
    frames = frames_on_disk(tmp_path / "frames", len(home.scene.frames), 66, 48)
    report = export_runs([RunData(home.scene, (), home.objects, (), (), {}, frames, {})], "sprite", tmp_path / "out")
    assert sum(report.dropped.values()) > 0
    for told, one in zip(read(tmp_path / "out", "metainfo", "0"), home.objects, strict=True):
        x, y, z = np.ptp(_corners(one.obb), axis=0)
        assert told["obb"]["sizes"] == pytest.approx([x, z, y], abs=1e-9)


@pytest.mark.parametrize("scans", [(), (Scan("0", "scan 7"),)], ids=["lost its cameras", "is a scan"])
def test_a_model_without_cameras_is_written_only_if_it_is_a_scan(
    home: RunData, tmp_path: Path, scans: tuple[Scan, ...]
):
    model = replace(home.scene.models[0], name="0", world_from_cam={})
    objects = tuple(replace(one, model="0") for one in home.objects)
    run = RunData(replace(home.scene, models=(model,)), (), objects, (), (), {}, tmp_path, {}, scans=scans)
    report = export_runs([run], "sprite", tmp_path / "out")
    assert report.counts["scenes"] == len(scans)
    assert report.dropped.get("model without poses", 0) == 1 - len(scans)
    assert not list((tmp_path / "out" / "camera_pose").iterdir())
    assert validate_export(tmp_path / "out") == []
