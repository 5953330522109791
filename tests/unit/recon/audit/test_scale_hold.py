import numpy as np
import pycolmap
import pytest

from recon.audit.scale_hold import ScaleHoldOptions, find_weak_scale, scale_sigmas
from recon.geometry import Pose
from recon.merging.regrow import MergeBars
from recon.records import SubModel
from tests.support.recon.made_models import (
    begin_at_another_scale,
    cut,
    random_similarity,
    scene_from_poses,
    walk_poses,
    walk_scene,
)


@pytest.fixture(scope="module")
def scene():
    return walk_scene()


def remove_depth_across(scene, before, kept=1):
    """The same model, where points across a step are seen `kept` times from behind; the rest is another point."""
    model = pycolmap.Reconstruction(scene)
    for point in list(scene.points3D.values()):
        seen = sorted(point.track.elements, key=lambda element: element.image_id)
        behind = [element for element in seen if element.image_id > before]
        if seen[0].image_id <= before:
            own = pycolmap.Track()
            for element in behind[kept:]:
                model.delete_observation(element.image_id, element.point2D_idx)
                own.add_element(element)
            if own.length() > 1:
                model.add_point3D(point.xyz, own, point.color)
    return model


def test_a_sound_walk_holds_its_scale_everywhere(scene):
    sigmas = scale_sigmas(scene)
    assert len(sigmas) == 23
    assert sigmas[3:-3].max() < 0.02
    assert np.isinf(sigmas[[0, -1]]).all()  # one frame has no scale
    assert find_weak_scale(scene) == ()
    assert find_weak_scale(cut(scene, [4, 5], "000/0").reconstruction) == ()
    assert len(scale_sigmas(pycolmap.Reconstruction())) == 0


def test_points_seen_once_from_behind_a_step_hold_no_scale(scene):
    model = remove_depth_across(scene, 12)
    assert np.isinf(scale_sigmas(model)[11])
    found = [(stretch.first, stretch.last) for stretch in find_weak_scale(model)]
    assert found[0] == (12, 13)
    assert found[-1][1] <= 16  # the points that begin behind the step need two views before they hold anything


def test_the_frame_and_unit_do_not_matter(scene):
    moved = pycolmap.Reconstruction(scene)
    moved.transform(random_similarity(np.random.default_rng(2)).to_sim3d())
    assert scale_sigmas(moved)[2:-2] == pytest.approx(scale_sigmas(scene)[2:-2], rel=1e-6)


def test_a_camera_that_stands_still_has_no_scale_and_is_not_cut_off():
    poses = walk_poses(20)
    standing = [Pose(poses[-1].rotation, poses[-1].translation + np.array([1e-4 * k, 0, 0])) for k in range(8)]
    model = scene_from_poses([*poses, *standing], 900, 0.0, 0)
    assert scale_sigmas(model)[20:].max() > 0.1
    assert find_weak_scale(model) == ()


def test_a_side_that_has_shrunk_to_a_point_is_not_taken_for_one_that_stands_still(subtests, scene):
    """As behind a turn on a walk that came out so at 0.4 px. It is the shorter side, before or behind."""
    for step, factor in [(10, 1 / 300), (15, 300)]:
        with subtests.test(step=step, factor=factor):
            model = begin_at_another_scale(SubModel("000/0", ("000",), scene), step, factor).reconstruction
            assert (step - 1, step) not in [doubt.frames for doubt in find_weak_scale(model)]
            assert (step - 1, step) in [doubt.frames for doubt in find_weak_scale(model, MergeBars().hold)]


def test_a_frame_that_is_cut_off_anyway_does_not_make_what_is_before_it_matter():
    poses = walk_poses(20)
    standing = [Pose(poses[-1].rotation, poses[-1].translation + np.array([1e-4 * k, 0, 0])) for k in range(8)]
    flung = Pose(poses[-1].rotation, poses[-1].translation + np.array([1.0, 0.0, 0.0]))
    model = remove_depth_across(scene_from_poses([*poses, *standing, flung], 900, 0.0, 0), 20)
    assert (20, 21) in [doubt.frames for doubt in find_weak_scale(model)]
    assert find_weak_scale(model, cuts=[(28, 29)]) == ()
    assert find_weak_scale(model, cuts=[(26, 27), (28, 29)]) == ()


def test_both_sides_of_a_cut_are_judged_by_themselves(scene):
    model = remove_depth_across(remove_depth_across(scene, 6), 18)
    loose = {doubt.first for doubt in find_weak_scale(model)}
    assert {6, 18} <= loose
    assert {doubt.first for doubt in find_weak_scale(model, cuts=[(6, 7)])} == loose - {6, 7}  # 7 is alone now


def test_the_noise_is_taken_from_the_residuals_between_its_bounds():
    exact, usual, wild = (scale_sigmas(walk_scene(noise_px=noise_px))[5:-5] for noise_px in (0.01, 0.2, 3.0))
    known = ScaleHoldOptions(point_sigma=0.0)
    assert np.median(exact) < np.median(usual) < np.median(wild)
    least, most = (scale_sigmas(walk_scene(noise_px=n), known)[5:-5] for n in (0.01, 3.0))
    assert np.median(most / least) == pytest.approx(1.0 / 0.3, rel=0.2)
