from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recon.errors import ReconError
from recon.geometry import Camera, Pose
from recon.pose_sources.nerfstudio import read_nerfstudio
from recon.pose_sources.records import PoseSource
from roomtour.export import export_runs
from roomtour.export.core.ledger import CopyOptions
from tests.support.export.breaking import break_file, set_to, without
from tests.support.export.made_run import make_run

BARE = CopyOptions(copy_images=False)
PIXELS = np.array([[320.0, 180.0], [10.0, 20.0], [600.5, 300.25]])


def camera_of(source: PoseSource) -> Camera:
    assert source.lens is not None
    assert source.lens.size is not None
    return Camera(source.lens.model, *source.lens.size, source.lens.params)


def lens(kind: str, params: tuple[float, ...]) -> Camera:
    return Camera(kind, 640, 360, params)


def test_every_lens_keeps_its_rays(tmp_path: Path, subtests: pytest.Subtests) -> None:
    run = make_run()
    for kind, *params in (
        ("SIMPLE_PINHOLE", 500, 320, 180),
        ("PINHOLE", 500, 510, 320, 180),
        ("SIMPLE_RADIAL", 500, 320, 180, 0.05),
        ("RADIAL", 500, 320, 180, 0.05, -0.01),
        ("OPENCV", 500, 510, 320, 180, 0.05, -0.01, 0.001, -0.002),
        ("FULL_OPENCV", 500, 510, 320, 180, 0.05, -0.01, 0.001, -0.002, 0.02, 0, 0, 0),
        ("SIMPLE_RADIAL_FISHEYE", 400, 320, 180, 0.03),
        ("RADIAL_FISHEYE", 400, 320, 180, 0.03, -0.004),
        ("OPENCV_FISHEYE", 400, 405, 320, 180, 0.03, -0.004, 0.001, 0.0002),
    ):
        with subtests.test(kind):
            camera = lens(kind, tuple(params))
            model = replace(run.scene.models[0], camera=camera)
            out = tmp_path / kind
            export_runs([replace(run, scene=replace(run.scene, models=(model,)))], "nerfstudio", out, BARE)
            back = camera_of(read_nerfstudio(out / "0"))
            points = np.array([[0.1, -0.2, 1.0], [-0.4, 0.25, 1.0], [0.0, 0.0, 2.0]])
            assert back.project(points) == pytest.approx(camera.project(points), abs=1e-6)


def test_lens_nerfstudio_does_not_know_is_dropped_and_counted(tmp_path: Path) -> None:
    run = make_run()
    model = replace(run.scene.models[0], camera=lens("FOV", (500, 500, 320, 180, 0.9)))
    report = export_runs(
        [replace(run, scene=replace(run.scene, models=(model,)))], "nerfstudio", tmp_path / "out", BARE
    )
    assert list(report.dropped) == ["model with camera FOV, which nerfstudio does not know"]


def test_camera_axes_are_opengl_and_the_direction_is_camera_to_world(tmp_path: Path) -> None:
    """A point one metre ahead of the first camera, which looks along +x from (0, 0, 1.5), lies at -z of OpenGL axes."""
    export_runs([make_run()], "nerfstudio", tmp_path / "out", BARE)
    frame = json.loads((tmp_path / "out" / "0" / "transforms.json").read_text())["frames"][0]
    assert np.array(frame["transform_matrix"]) @ [0, 0, -1, 1] == pytest.approx([1, 0, 1.5, 1])
    assert np.array(frame["transform_matrix"]) @ [0, 1, 0, 1] == pytest.approx([0, 0, 2.5, 1])
    assert (frame["file_path"], frame["colmap_im_id"]) == ("images/000001.jpg", 1)


def test_points_start_a_splat(tmp_path: Path) -> None:
    run = make_run()
    export_runs([run], "nerfstudio", tmp_path / "out", BARE)
    header, _, body = (tmp_path / "out" / "0" / "sparse_pc.ply").read_bytes().partition(b"end_header\n")
    assert b"element vertex 40" in header
    rows = np.frombuffer(body, dtype=[("xyz", "<f4", 3), ("rgb", "u1", 3)])
    assert rows["xyz"] == pytest.approx(run.scene.models[0].tracks.xyz, abs=1e-5)
    assert rows["rgb"].tolist() == run.scene.models[0].tracks.rgb.tolist()


def test_turn_of_another_tool_is_undone(tmp_path: Path) -> None:
    export_runs([make_run()], "nerfstudio", tmp_path / "out", BARE)
    file = tmp_path / "out" / "0" / "transforms.json"
    before = read_nerfstudio(file).pictures
    turn = Pose(np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1.0]]), np.array([1.0, 2.0, 3.0]))
    facts = json.loads(file.read_text())
    facts["applied_transform"] = turn.matrix()[:3].tolist()
    for frame in facts["frames"]:
        frame["transform_matrix"] = (turn.matrix() @ np.array(frame["transform_matrix"])).tolist()
    file.write_text(json.dumps(facts))
    for after, want in zip(read_nerfstudio(file).pictures, before, strict=True):
        assert np.abs(after.world_from_cam.matrix() - want.world_from_cam.matrix()).max() < 1e-9


def test_file_that_cannot_be_read_is_one_line(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for change, words in (
        (without("fl_x"), "lacks the field 'fl_x'"),
        (set_to("camera_model", value="EQUIRECTANGULAR"), "is not one of"),
        (set_to("frames", 0, "transform_matrix", value=[[1, 2]]), r"shape \(1, 2\), need \(4, 4\)"),
    ):
        with subtests.test(words):
            shutil.rmtree(tmp_path / "out", ignore_errors=True)
            export_runs([make_run()], "nerfstudio", tmp_path / "out", BARE)
            break_file(tmp_path / "out" / "0" / "transforms.json", change)
            with pytest.raises(ReconError, match=words):
                read_nerfstudio(tmp_path / "out" / "0" / "transforms.json")
    with pytest.raises(ReconError, match="cannot be read"):
        read_nerfstudio(tmp_path)
