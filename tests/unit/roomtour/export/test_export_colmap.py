from __future__ import annotations

from pathlib import Path

import numpy as np
import pycolmap
import pytest

from recon.records import SceneModel
from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.colmap import write as colmap
from roomtour.export.formats.colmap.write import ColmapOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_run


def assert_same(model: SceneModel, run: RunData, back: pycolmap.Reconstruction) -> None:
    poses = colmap.read_poses(back)
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


def test_points_reproject_where_they_were_seen(tmp_path: Path) -> None:
    export_runs([make_run()], "colmap", tmp_path / "out")
    back = pycolmap.Reconstruction(tmp_path / "out" / "0")
    back.update_point_3d_errors()
    assert back.num_points3D() == 40
    assert back.compute_mean_reprojection_error() < 1e-6


def test_images_are_copied_when_asked(tmp_path: Path) -> None:
    frames = frames_on_disk(tmp_path / "frames")
    export_runs([make_run(frames_dir=frames)], "colmap", tmp_path / "out", ColmapOptions(copy_images=True))
    assert (tmp_path / "out" / "images" / "000030.jpg").read_bytes() == (frames / "000030.jpg").read_bytes()
    assert validate_export(tmp_path / "out") == []


@pytest.mark.posix
def test_files_that_a_full_disk_cuts_short_are_noticed(tmp_path: Path) -> None:
    """Stands in for a full disk: no file may grow beyond 6000 bytes, and pycolmap keeps silent about it."""
    import resource  # not there on Windows

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, before[1]))
    try:
        with pytest.raises(RoomtourError, match="was not written whole"):
            export_runs([make_run()], "colmap", tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def made(tmp_path: Path) -> Path:
    export_runs([make_run()], "colmap", tmp_path / "made")
    return tmp_path / "made"


def rewrite(folder: Path, change) -> None:
    model = pycolmap.Reconstruction()
    model.read_text(folder / "0")
    change(model)
    model.write_text(folder / "0")


def rename(model: pycolmap.Reconstruction, name: str) -> None:
    model.image(3).name = name


class TestRules:
    @pytest.mark.parametrize("name", ["cameras.bin", "images.txt", "points3D.txt"])
    def test_missing_file(self, made: Path, name: str) -> None:
        (made / "0" / name).unlink()
        assert [problem.file for problem in validate_export(made)] == [f"0/{name}"]

    def test_damaged_file(self, made: Path) -> None:
        (made / "0" / "points3D.bin").write_bytes((made / "0" / "points3D.bin").read_bytes()[:100])
        assert [(problem.file, problem.field) for problem in validate_export(made)] == [("0/*.bin", "model")]

    @pytest.mark.parametrize("name", ["/abs/000003.jpg", "../000003.jpg", "000004.jpg"])
    def test_image_name(self, made: Path, name: str) -> None:
        rewrite(made, lambda model: rename(model, name))
        assert "name" in {problem.field for problem in validate_export(made)}

    def test_forms_that_differ(self, made: Path) -> None:
        rewrite(made, lambda model: model.transform(pycolmap.Sim3d(1.0, pycolmap.Rotation3d(), [0.1, 0, 0])))
        assert {problem.field for problem in validate_export(made)} == {"pose", "xyz"}

    def test_point_that_is_gone_from_one_form(self, made: Path) -> None:
        rewrite(made, lambda model: model.delete_point3D(1))
        assert [problem.field for problem in validate_export(made)] == ["points"]

    def test_camera(self, made: Path) -> None:
        cameras = made / "0" / "cameras.txt"
        cameras.write_text(cameras.read_text().replace(" 500 ", " -500 "))
        assert "params" in {problem.field for problem in validate_export(made)}


def _exchange_poses(model: pycolmap.Reconstruction) -> None:
    first, last = (model.frame(model.image(number).frame_id) for number in (3, 20))
    first.rig_from_world, last.rig_from_world = last.rig_from_world, first.rig_from_world


def _lengthen_focal_length(model: pycolmap.Reconstruction) -> None:
    model.camera(1).focal_length *= 10


@pytest.mark.parametrize("change", [_exchange_poses, _lengthen_focal_length])
def test_what_both_forms_tell_alike_must_still_show_the_points_where_they_were_seen(tmp_path: Path, change) -> None:
    export_runs([make_run()], "colmap", tmp_path)
    model = pycolmap.Reconstruction(tmp_path / "0")
    change(model)
    model.write_binary(tmp_path / "0")
    model.write_text(tmp_path / "0")
    (tmp_path / "SHA256SUMS").unlink()
    assert {problem.field for problem in validate_export(tmp_path)} == {"points2D"}
