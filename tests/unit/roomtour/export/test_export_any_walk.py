"""Any walk, with any decisions and texts, is a valid dataset in every format of walks, and reads back as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycolmap
import pytest
from hypothesis import given, settings

from recon.geometry import Camera, Pose
from recon.pose_sources.nerfstudio import read_nerfstudio
from recon.pose_sources.read import read_tum
from recon.records import SceneModel
from roomtour.export import ExportReport, RunData, export_runs, validate_export
from roomtour.export.core.pickles import load_pickle
from roomtour.export.formats.walks.roomtour3d.write import GEOMETRY_FILE
from roomtour.export.formats.walks.timed import ALONE, BETWEEN
from roomtour.export.registry import get_format, parse_options
from tests.support.export.breaking import frames_on_disk, read_content
from tests.support.export.jsonl_reader import read_export
from tests.support.export.random_runs import runs
from tests.support.export.scan_graph import load_graph
from tests.support.export.teacher import STOP, episodes
from tests.support.export.trainer_readers import read_internnav, read_navila, read_streamvln

PIXELS = np.array([[320.0, 180.0], [10.0, 20.0], [600.5, 300.25]])
ReadBack = Callable[[RunData, Path, ExportReport], None]


def accepted(run: RunData) -> dict[str, str]:
    return {text.id: " ".join(text.text.split()) for text in run.instructions if text.accepted}


def read_tum_back(run: RunData, out: Path, report: ExportReport) -> None:
    for model in run.scene.models:
        back = read_tum(out / f"{model.name}.txt").pictures
        assert [picture.time_s for picture in back] == [run.scene.frame_by_index[f].time_s for f in model.frames]
        for picture, want in zip(back, model.world_from_cam.values(), strict=True):
            assert picture.world_from_cam.center.tolist() == want.center.tolist()
            assert np.abs(picture.world_from_cam.rotation - want.rotation).max() < 1e-12


def read_colmap_back(run: RunData, out: Path, report: ExportReport) -> None:
    for model in run.scene.models:
        for form in ("bin", "txt"):
            back = pycolmap.Reconstruction()
            (back.read_binary if form == "bin" else back.read_text)(out / model.name)
            require_model(model, run, back)


def require_model(model: SceneModel, run: RunData, back: pycolmap.Reconstruction) -> None:
    poses = {
        image_id: Pose.from_rigid3d(back.image(image_id).cam_from_world().inverse())
        for image_id in sorted(back.reg_image_ids())
    }
    assert tuple(poses) == model.frames
    for frame, want in model.world_from_cam.items():
        assert np.abs(poses[frame].matrix() - want.matrix()).max() < 1e-9
        assert back.image(frame).name == run.scene.frame_by_index[frame].image
    assert list(back.camera(1).params) == list(model.camera.params)
    tracks = model.tracks
    assert sorted(back.points3D) == [row + 1 for row in range(len(tracks.xyz))]
    for row in range(len(tracks.xyz)):
        point = back.point3D(row + 1)
        assert point.xyz == pytest.approx(tracks.xyz[row])
        assert point.color.tolist() == tracks.rgb[row].tolist()
        seen = {element.image_id for element in point.track.elements}
        assert seen == set(tracks.obs_frame[tracks.obs_point == row].tolist())
        for element in point.track.elements:
            xy = back.image(element.image_id).point2D(element.point2D_idx).xy
            at = (tracks.obs_point == row) & (tracks.obs_frame == element.image_id)
            assert xy == pytest.approx(tracks.obs_xy[at][0])


def read_nerfstudio_back(run: RunData, out: Path, report: ExportReport) -> None:
    for model in run.scene.models:
        source = read_nerfstudio(out / model.name)
        want = {f"images/{run.scene.frame_by_index[f].image}": pose for f, pose in model.world_from_cam.items()}
        got = {str(picture.name): picture.world_from_cam for picture in source.pictures}
        assert got.keys() == want.keys()
        for name, pose in want.items():
            assert np.abs(got[name].matrix() - pose.matrix()).max() < 1e-6
        assert source.lens is not None
        assert source.lens.size is not None
        back = Camera(source.lens.model, *source.lens.size, source.lens.params)
        assert back.project(model.camera.rays(PIXELS)) == pytest.approx(PIXELS, abs=1e-6)


def read_jsonl_back(run: RunData, out: Path, report: ExportReport) -> None:
    back = read_export(out)
    for kind in ("trajectories", "training", "objects", "observations", "instructions"):
        assert getattr(back, kind) == getattr(run, kind)
    (scene,) = back.scenes
    assert (scene.floor_plans, scene.rooms, scene.doorways) == (run.floor_plans, run.rooms, run.doorways)
    assert (scene.frames, scene.clips, scene.findings) == (run.scene.frames, run.scene.clips, run.scene.findings)
    assert scene.video == run.scene.source
    for got, want in zip(scene.models, run.scene.models, strict=True):
        assert (got.name, got.camera, got.scale, got.floor_z) == (want.name, want.camera, want.scale, want.floor_z)
        assert tuple(pose.frame for pose in got.poses) == want.frames
        for pose, world_from_cam in zip(got.poses, want.world_from_cam.values(), strict=True):
            assert pose.translation == tuple(world_from_cam.center)
            assert pose.quat_wxyz == tuple(world_from_cam.quat_wxyz)


def read_hf_back(run: RunData, out: Path, report: ExportReport) -> None:
    def rows(config: str) -> list[dict]:
        return [row for file in sorted(out.glob(f"{config}/*.parquet")) for row in read_content(file)]

    views = {(row["model"], row["frame"]): row for row in rows("views")}
    assert len(views) == sum(len(model.frames) for model in run.scene.models)
    for model in run.scene.models:
        for frame, pose in model.world_from_cam.items():
            row = views[model.name, frame]
            assert row["translation"] == pose.center.tolist()
            assert row["quat_wxyz"] == pose.quat_wxyz.tolist()
            assert row["camera_params"] == list(model.camera.params)
            assert row["time_s"] == run.scene.frame_by_index[frame].time_s
    told = {text.id: text for text in run.instructions if text.accepted}
    for row in rows("instructions"):
        assert row["text"] == " ".join(told[row["id"]].text.split())
        assert row["views"] == list(told[row["id"]].views)


def read_llava_back(run: RunData, out: Path, report: ExportReport) -> None:
    items, told = read_content(out / "ways_train.json"), accepted(run)
    assert all(item["conversations"][1]["value"] == told[item["id"]] for item in items)
    left_out = sum(count for reason, count in report.dropped.items() if reason != "rejected text")
    assert len(items) + left_out == len(told)


def read_streamvln_back(run: RunData, out: Path, report: ExportReport) -> None:
    assert sum(len(item["actions"]) for item in read_streamvln(out / "train")) >= report.counts["steps"]


def read_navila_back(run: RunData, out: Path, report: ExportReport) -> None:
    assert len(read_navila(out / "train")) == report.counts["rows"]


def read_internnav_back(run: RunData, out: Path, report: ExportReport) -> None:
    read = read_internnav(out / "train")
    assert len({(item["scene"], item["episode"]) for item in read}) == report.counts["ways"]


def read_gnm_back(run: RunData, out: Path, report: ExportReport) -> None:
    walked = sum(len(trajectory.points) for trajectory in run.trajectories)
    assert report.counts["frames"] + sum(report.dropped.get(reason, 0) for reason in (ALONE, BETWEEN)) == walked


def read_lerobot_back(run: RunData, out: Path, report: ExportReport) -> None:
    assert sum(len(read_content(file)) for file in out.glob("data/*/*.parquet")) == report.counts["frames"]


def read_r2r_back(run: RunData, out: Path, report: ExportReport) -> None:
    paths = read_content(out / "R2R_train.json")
    assert report.counts["instructions"] == sum(len(path["instructions"]) for path in paths)
    for path in paths:
        graph = load_graph(out, path["scan"])
        assert all(graph.has_edge(a, b) for a, b in pairwise(path["path"]))


def read_vlnce_back(run: RunData, out: Path, report: ExportReport) -> None:
    assert len(read_content(out / "train.json.gz")["episodes"]) == report.counts["episodes"]


def teach_roomtour3d(run: RunData, out: Path, report: ExportReport) -> None:
    records = json.loads((out / "p1_train_colmap_trajectory_tour3d.json").read_text())
    assert report.counts["records"] == len(records)
    for episode in episodes(records, load_pickle(out / GEOMETRY_FILE)):
        assert [step.action == STOP for step in episode.steps] == [False] * (len(episode.steps) - 1) + [True]
    decisions = sum(len(trajectory.decisions) for trajectory in run.trajectories)
    left_out = sum(count for reason, count in report.dropped.items() if reason.startswith("decision"))
    assert len(records) + left_out == decisions


READ_BACK: dict[str, tuple[ReadBack, int]] = {
    "tum": (read_tum_back, 5),
    "colmap": (read_colmap_back, 4),
    "nerfstudio": (read_nerfstudio_back, 5),
    "jsonl": (read_jsonl_back, 5),
    "hf": (read_hf_back, 5),
    "llava": (read_llava_back, 5),
    "streamvln": (read_streamvln_back, 2),
    "navila": (read_navila_back, 1),
    "internnav": (read_internnav_back, 1),
    "gnm": (read_gnm_back, 4),
    "lerobot": (read_lerobot_back, 4),
    "r2r": (read_r2r_back, 5),
    "vlnce": (read_vlnce_back, 5),
    "roomtour3d": (teach_roomtour3d, 12),
}
"""What is read back, and of how many examples."""
BARE = {**dict.fromkeys(("nerfstudio", "llava"), "copy_images=false"), "hf": "images=false"}


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return frames_on_disk(tmp_path_factory.mktemp("many"), count=90)


@pytest.mark.parametrize("format", READ_BACK)
def test_any_walk_is_valid_and_reads_back(tmp_path_factory: pytest.TempPathFactory, frames: Path, format: str) -> None:
    read_back, examples = READ_BACK[format]
    options = parse_options(get_format(format), [BARE[format]] if format in BARE else [])

    @settings(max_examples=examples)
    @given(run=runs(scaled=get_format(format).needs_scale or format == "roomtour3d"))
    def law(run: RunData) -> None:
        out = tmp_path_factory.mktemp(format) / "out"
        run = replace(run, frames_dir=frames)
        report = export_runs([run], format, out, options)
        assert validate_export(out, format) == []
        read_back(run, out, report)

    law()
