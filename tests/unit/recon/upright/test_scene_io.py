import json
from dataclasses import replace

import numpy as np
import pycolmap
import pytest

from recon.errors import ReconError
from recon.findings import Finding
from recon.records import Clip, ModelHealth, PoseSigma, Scene
from recon.upright.scene import build_scene
from recon.upright.scene_io import read_scene, write_scene
from tests.support.recon.made_house import SOURCE, frames_of, make_house, name_of, sub_model_of, walk_around


@pytest.fixture(scope="module")
def scene() -> Scene:
    poses = walk_around()
    subs = [
        sub_model_of(make_house({frame: poses[frame] for frame in rows}), f"000/{n}", seed=n)
        for n, rows in enumerate([range(1, 11), range(10, 41)])
    ]
    clips = (Clip("000", 0, tuple(range(1, 41))),)
    return build_scene("tour-1", SOURCE, frames_of(40), clips, subs, [Finding("info", "x.y", "frame 1", "ä – 1")])


@pytest.fixture(scope="module")
def folder(scene, tmp_path_factory):
    target = tmp_path_factory.mktemp("run") / "scene"
    write_scene(scene, target)
    return target


def test_everything_comes_back(scene, folder):
    back = read_scene(folder)
    for name in ("id", "source", "frames", "clips", "findings"):
        assert getattr(back, name) == getattr(scene, name), name
    for ours, theirs in zip(scene.models, back.models, strict=True):
        for name in (
            "name",
            "camera",
            "scale",
            "floor_z",
            "up_source",
            "mean_reprojection_error_px",
            "clips",
            "frames",
        ):
            assert getattr(ours, name) == getattr(theirs, name), name
        assert ours.mean_reprojection_error_px == theirs.mean_reprojection_error_px
        for frame, pose in ours.world_from_cam.items():
            np.testing.assert_allclose(pose.matrix(), theirs.world_from_cam[frame].matrix(), atol=1e-9, rtol=0)
        for name in ("xyz", "rgb", "error_px", "obs_point", "obs_frame", "obs_xy"):
            np.testing.assert_array_equal(getattr(ours.tracks, name), getattr(theirs.tracks, name))


def test_colmap_reads_the_models(scene, folder):
    model = scene.models[0]
    reconstruction = pycolmap.Reconstruction(str(folder / "models" / "0"))
    assert sorted(reconstruction.reg_image_ids()) == list(model.frames)
    image = reconstruction.images[model.frames[0]]
    assert image.name == name_of(model.frames[0])
    np.testing.assert_allclose(image.projection_center(), model.centers[0], atol=1e-9)
    assert reconstruction.compute_num_observations() == len(model.tracks.obs_point)
    assert reconstruction.is_valid()


def test_a_scene_without_models_is_a_scene(tmp_path):
    empty = build_scene("tour", SOURCE, frames_of(2), (), [])
    write_scene(empty, tmp_path / "scene")
    back = read_scene(tmp_path / "scene")
    assert (back.id, back.models, back.findings) == (empty.id, (), empty.findings)


def test_errors_name_file_and_field(folder, tmp_path):
    with pytest.raises(ReconError, match=r"scene\.json.*No such file"):
        read_scene(tmp_path)
    plain = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    for change, field in [({"format": 2}, "format"), ({"source": 3}, "source")]:
        (tmp_path / "scene.json").write_text(json.dumps(plain | change), encoding="utf-8")
        with pytest.raises(ReconError, match=f"field {field}"):
            read_scene(tmp_path)
    (tmp_path / "scene.json").write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(ReconError, match="no COLMAP model"):
        read_scene(tmp_path)
    (tmp_path / "scene.json").write_text("{", encoding="utf-8")
    with pytest.raises(ReconError, match="whole file"):
        read_scene(tmp_path)


def test_what_does_not_fit_together_is_an_error(scene, folder, tmp_path):
    write_scene(scene, tmp_path)
    plain = json.loads((tmp_path / "scene.json").read_text(encoding="utf-8"))
    plain["models"][0]["frames"] = plain["models"][0]["frames"][:-1]
    (tmp_path / "scene.json").write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(ReconError, match="31 registered images"):
        read_scene(tmp_path)
    with pytest.raises(ReconError, match="not among the 5"):
        write_scene(replace(scene, frames=scene.frames[:5]), tmp_path)


def test_health_and_uncertainty_come_back(scene, tmp_path):
    health = ModelHealth(31, 1.0, 5.5, 90, 2, 0, None, 0, 0.012, None, 0)
    sigmas = {frame: PoseSigma(0.004, 0.03) for frame in scene.models[0].frames[:3]}
    assessed = replace(scene, models=(replace(scene.models[0], health=health, pose_sigma=sigmas), scene.models[1]))
    write_scene(assessed, tmp_path)
    first, second = read_scene(tmp_path).models
    assert (first.health, first.pose_sigma) == (health, sigmas)
    assert (second.health, second.pose_sigma) == (None, {})
