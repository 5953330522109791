from dataclasses import replace

import numpy as np
import pycolmap
import pytest

from recon.audit.pose_uncertainty import Assessment
from recon.conventions import heading_deg
from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Sim3
from recon.records import ModelHealth, PoseSigma, Scale, Scene, SubModel
from recon.upright.gravity import find_roll_deg, turn_picture
from recon.upright.scene import SceneOptions, build_scene
from tests.support.recon.made_house import CAMERA, SOURCE, frames_of, make_house, room_points, sub_model_of, walk_around


def codes(scene):
    return [finding.code for finding in scene.findings]


def test_the_world_starts_below_the_first_camera_upright_and_metric(subtests):
    for seed in range(1):
        with subtests.test(seed=seed):
            house = make_house()
            (model,) = build_scene("tour", SOURCE, frames_of(40), (), [sub_model_of(house, seed=seed)]).models
            truth = np.array([pose.center for pose in house.world_from_cam.values()])
            assert model.scale.status == "assumed"
            assert model.floor_z == 0.0
            np.testing.assert_allclose(model.centers[:, 2], truth[:, 2], atol=0.04)
            world_from_truth = Sim3.fit(model.centers, truth)
            assert world_from_truth.scale == pytest.approx(1.0, abs=0.02)
            assert world_from_truth.rotation[2, 2] > np.cos(np.radians(0.7))
            assert model.camera == CAMERA
    (model,) = build_scene("tour", SOURCE, frames_of(40), (), [sub_model_of(make_house(), seed=3)]).models
    first = model.world_from_cam[1]
    np.testing.assert_allclose(first.center[:2], 0.0, atol=1e-9)
    assert heading_deg(first) == pytest.approx(0.0, abs=1e-6)
    (model,) = build_scene("tour", SOURCE, frames_of(40), (), [sub_model_of(make_house(), seed=4)]).models
    tracks = model.tracks
    assert np.all(np.diff(tracks.obs_frame * len(tracks.xyz) + tracks.obs_point) > 0)
    for frame, pose in model.world_from_cam.items():
        rows = tracks.rows_of_frame(frame)
        pixels = model.camera.project(pose.inverse() @ tracks.xyz[tracks.obs_point[rows]])
        np.testing.assert_allclose(pixels, tracks.obs_xy[rows], atol=1e-5)


def test_camera_height_is_an_option():
    sub_model = sub_model_of(make_house())
    options = SceneOptions(camera_height_m=1.2)
    (model,) = build_scene("tour", SOURCE, frames_of(40), (), [sub_model], options=options).models
    assert np.median(model.centers[:, 2]) == pytest.approx(1.2)


def test_without_a_floor_the_scale_stays_relative():
    points = room_points(floor=False)
    points = points[points[:, 2] > 1.0]
    scene = build_scene("tour", SOURCE, frames_of(40), (), [sub_model_of(make_house(points=points), seed=1)])
    (model,) = scene.models
    assert model.scale.status == "relative"
    assert model.floor_z is None
    assert "scene.no_floor" in codes(scene)
    assert "scene.scale_assumed" not in codes(scene)
    assert np.median(model.centers[:, 2]) == pytest.approx(0.0, abs=1e-9)


def build_with_scale(factor: float, options: SceneOptions = SceneOptions(), *, are_stated: bool = False) -> Scene:
    """The house, whose camera is carried at 1.5 m, with a measured scale."""
    sub_model = sub_model_of(make_house())
    measured = {sub_model.name: Scale("metric", factor, 0.05, "depth model")}
    return build_scene(
        "tour", SOURCE, frames_of(40), (), [sub_model], options=options, measured_scales=measured, are_stated=are_stated
    )


def test_a_measured_scale_is_taken_where_somebody_carries_a_camera(subtests):
    for factor in [0.55, 1.0, 1.45]:
        with subtests.test(factor=factor):
            scene = build_with_scale(factor)
            assert scene.scale_status == "metric"
            assert np.median(scene.models[0].centers[:, 2]) == pytest.approx(1.5 * factor, abs=0.05)
            assert "scene.camera_height_odd" not in codes(scene)
    for factor in [0.5, 1.5, 3.0]:
        with subtests.test(factor=factor):
            scene = build_with_scale(factor)
            assert scene.scale_status == "assumed"
            assert np.median(scene.models[0].centers[:, 2]) == pytest.approx(1.5, abs=0.05)
            assert "scene.camera_height_odd" in codes(scene)
    scene = build_with_scale(3.0, are_stated=True)
    assert scene.scale_status == "assumed"
    assert np.median(scene.models[0].centers[:, 2]) == pytest.approx(4.5, abs=0.1)
    scene = build_with_scale(0.3, SceneOptions(camera_height_m=0.4))
    assert scene.scale_status == "metric"
    assert "scene.camera_height_odd" not in codes(scene)


def test_models_are_ordered_by_size_and_earlier_findings_come_first():
    poses = walk_around()
    small = make_house({frame: poses[frame] for frame in range(1, 13)})
    large = make_house({frame: poses[frame] for frame in range(13, 41)})
    earlier = Finding("info", "decode.note", "frame 1", "something")
    subs = [sub_model_of(small, "000/0", seed=1), sub_model_of(large, "001/0", seed=2)]
    scene = build_scene("tour", SOURCE, frames_of(40), (), subs, [earlier])
    assert [model.name for model in scene.models] == ["0", "1"]
    assert [len(model.frames) for model in scene.models] == [28, 12]
    assert scene.findings[0] is earlier
    assert scene.registered == 40


def test_the_largest_model_says_how_the_camera_was_held():
    poses = walk_around()
    turned = {frame + 40: turn_picture(poses[frame], 180.0) for frame in range(1, 31)}
    assert abs(find_roll_deg(list(turned.values()), room_points())) == pytest.approx(180.0, abs=3.0)
    subs = [sub_model_of(make_house(turned), "001/0", seed=2), sub_model_of(make_house(poses), "000/0", seed=1)]
    for model in build_scene("tour", SOURCE, frames_of(70), (), subs).models:
        tops = [-pose.rotation[2, 1] for pose in model.world_from_cam.values()]
        assert min(tops) > 0.0, f"model {model.name} of {len(tops)} frames stands on its head"


def test_no_model_or_a_lone_frame_is_a_finding_and_a_foreign_frame_an_error():
    empty = build_scene("tour", SOURCE, frames_of(3), (), [])
    assert empty.models == ()
    assert codes(empty) == ["scene.no_model"]
    with pytest.raises(ReconError, match="not a frame of the tour"):
        build_scene("tour", SOURCE, frames_of(30), (), [sub_model_of(make_house())])
    lone = sub_model_of(make_house({1: walk_around()[1]}), "000/1")
    scene = build_scene("tour", SOURCE, frames_of(40), (), [sub_model_of(make_house()), lone])
    assert len(scene.models) == 1
    assert "scene.model_too_small" in codes(scene)


def test_a_second_camera_is_a_finding():
    sub_model = sub_model_of(make_house())
    reconstruction = pycolmap.Reconstruction(sub_model.reconstruction)
    other = replace(CAMERA, width=320).to_colmap(2)
    reconstruction.add_camera_with_trivial_rig(other)
    image = pycolmap.Image(name="x.jpg", keypoints=np.zeros((0, 2)), camera_id=2, image_id=41)
    reconstruction.add_image_with_trivial_frame(image, reconstruction.images[40].cam_from_world())
    scene = build_scene("tour", SOURCE, frames_of(41), (), [SubModel("m", (), reconstruction)])
    assert scene.models[0].camera == CAMERA
    assert "scene.several_cameras" in codes(scene)


def test_pose_uncertainty_is_in_the_unit_of_the_scene():
    sub_model = sub_model_of(make_house())
    health = ModelHealth(40, 1.0, 5.0, 0, 0, 0, None, 0, None, None, 0)
    assessments = {sub_model.name: Assessment(health, {1: PoseSigma(0.01, 0.2)})}
    measured = {sub_model.name: Scale("metric", 1.4, 0.05, "depth model")}
    scene = build_scene(
        "tour", SOURCE, frames_of(40), (), [sub_model], measured_scales=measured, assessments=assessments
    )
    assert scene.models[0].health == health
    assert scene.models[0].pose_sigma[1].position == pytest.approx(0.014)
    assert scene.models[0].pose_sigma[1].rotation_deg == 0.2
