from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from recon.audit.pose_uncertainty import assess
from recon.geometry import Pose
from recon.records import PoseSigma, SceneModel, SubModel
from recon.upright.checks import check_precision, check_precisions
from recon.upright.scene import build_scene
from tests.support.recon.made_house import SOURCE, frames_of, look, make_house, sub_model_of, walk_around


def build(sub_model: SubModel) -> SceneModel:
    """As the pipeline does, with the covariance of the model's own adjustment."""
    assessments = {sub_model.name: assess(sub_model, sub_model.frames, None)}
    frames = frames_of(max(sub_model.frames))
    (model,) = build_scene("tour", SOURCE, frames, (), [sub_model], assessments=assessments).models
    return model


def model_of(poses: dict[int, Pose], noise_px: float, drop: float = 0.0) -> SceneModel:
    """A walk whose keypoints are that far off; `drop` of the points are seen by nobody."""
    sub_model = sub_model_of(make_house(poses))
    model, rng = sub_model.reconstruction, np.random.default_rng(1)
    for point in list(model.point3D_ids()):
        if rng.random() < drop:
            model.delete_point3D(point)
    for frame in model.reg_image_ids():
        for point in model.image(frame).points2D:
            point.xy = point.xy + rng.normal(0.0, noise_px, 2)
    model.update_point_3d_errors()
    return build(sub_model)


@pytest.fixture(scope="module")
def good() -> SceneModel:
    return model_of(walk_around(), 0.5)


def with_sigma(model: SceneModel, share: float, frames: slice = slice(None)) -> SceneModel:
    """As if those frames were known to that share of the path, the others exactly."""
    wanted = set(model.frames[frames])
    position = share * model.path_length
    sigmas = {frame: PoseSigma(position if frame in wanted else 0.0, 0.1) for frame in model.frames}
    return replace(model, pose_sigma=sigmas)


def test_few_blurred_points_are_told_and_many_sharp_ones_are_not(good):
    assert check_precision(good) == []
    (finding,) = check_precision(model_of(walk_around(), 4.0, drop=0.9))
    assert (finding.severity, finding.code, finding.where) == ("error", "scene.imprecise", "model 0")


def test_half_a_per_cent_of_the_path_is_the_bar_and_a_warning_where_the_floor_held(subtests, good):
    for share, is_told in [(0.004, False), (0.006, True)]:
        with subtests.test(share=share, is_told=is_told):
            assert [finding.code for finding in check_precision(with_sigma(good, share))] == [
                "scene.imprecise"
            ] * is_told
    for share, severity in [(0.012, "warning"), (0.029, "warning"), (0.031, "error")]:
        with subtests.test(share=share, severity=severity):
            (finding,) = check_precision(with_sigma(good, share), held_by_floor=True)
            assert finding.severity == severity
            assert f"{share:.2%} of the path" in finding.message
    turning = {frame: look([0.01 * frame, 0.0, 1.5], 8.0 * frame, -12.0) for frame in range(1, 41)}
    assert check_precision(with_sigma(build(sub_model_of(make_house(turning))), 0.02)) == []


def test_a_floor_excuses_a_model_only_where_the_scene_has_one(subtests, good):
    held = replace(sub_model_of(make_house()), held_by_floor=True)
    for floor_z, severity in [(0.0, "warning"), (None, "error")]:
        with subtests.test(floor_z=floor_z):
            scene: Any = SimpleNamespace(models=[replace(with_sigma(good, 0.012), floor_z=floor_z)])
            assert [finding.severity for finding in check_precisions(scene, [held])] == [severity]


def test_one_bad_window_of_a_long_walk_is_told():
    model = build(sub_model_of(make_house(walk_around(300))))
    assert check_precision(with_sigma(model, 0.0012)) == []
    assert check_precision(with_sigma(model, 0.003, slice(100, 180)))
    assert check_precision(with_sigma(model, 0.003, slice(100, 120))) == []


def test_so_are_more_frames_in_a_row_than_a_turn_may_place(subtests):
    for without, is_told in [(20, False), (21, True), (40, True)]:
        with subtests.test(without=without, is_told=is_told):
            model = model_of(walk_around(40), 0.5)
            known = {frame: sigma for frame, sigma in model.pose_sigma.items() if frame > without}

            told = check_precision(replace(model, pose_sigma=known))

            assert [(finding.severity, finding.code) for finding in told] == [("error", "scene.imprecise")] * is_told
            assert all(f"{without} frames in a row" in finding.message for finding in told)
    for without, is_told in [(24, False), (25, True)]:
        with subtests.test(without=without, is_told=is_told):
            model = model_of(walk_around(100), 0.5)
            some = {*range(30, 30 + without), *range(60, 100, 2)}
            known = {frame: sigma for frame, sigma in model.pose_sigma.items() if frame not in some}

            assert bool(check_precision(replace(model, pose_sigma=known))) == is_told
            assert [one.severity for one in check_precision(replace(model, pose_sigma=known), True)] == [
                "warning"
            ] * is_told
