import numpy as np
import pycolmap
import pytest
from scipy.spatial.transform import Rotation

from recon.adjust.refine import RefineOptions, adjustment
from recon.audit.pose_uncertainty import pose_uncertainty
from recon.evaluate import pose_error
from recon.geometry import Pose
from tests.support.recon.made_models import (
    centers,
    cut,
    long_walk_scene,
    random_similarity,
    scene_from_poses,
    walk_poses,
)

FRAMES, TRIALS, NOISE_PX = 12, 24, 0.5


def adjust_noisy(seed):
    """A walk with known noise after bundle adjustment of its poses, points and camera."""
    model = scene_from_poses(walk_poses(FRAMES), 400, 0.0, seed=3)
    rng = np.random.default_rng(seed)
    for frame in model.reg_image_ids():
        for point in model.image(frame).points2D:
            point.xy = point.xy + rng.normal(0.0, NOISE_PX, 2)
    config = pycolmap.BundleAdjustmentConfig()
    for frame in model.reg_image_ids():
        config.add_image(frame)
    config.fix_gauge(pycolmap.BundleAdjustmentGauge.TWO_CAMS_FROM_WORLD)
    # To the end: after 25 steps the focal length, and turns with it, had not gone as far as the noise takes them.
    setup = adjustment(FRAMES, RefineOptions(max_iterations=300, loss_scale_px=50.0, least_gain=0.0))
    pycolmap.create_default_bundle_adjuster(setup, config, model).solve()
    model.update_point_3d_errors()
    return model


def differ(poses, others, extent):
    """Rotation vector and shift over the extent by which the poses of a walk differ, one frame after the other."""
    return np.concatenate(
        [
            np.concatenate(
                [
                    Rotation.from_matrix(poses[f].rotation @ others[f].rotation.T).as_rotvec(),
                    (poses[f].center - others[f].center) / extent,
                ]
            )
            for f in others
        ]
    )


def without_similarity(truth, extent):
    """What takes turns, shifts and growth of the whole world out of such differences, by trying each a little."""
    steps = []
    for axis in np.eye(7):
        turn = Rotation.from_rotvec(1e-6 * axis[:3])
        grown = {
            frame: Pose(
                turn.as_matrix() @ pose.rotation,
                (1 + 1e-6 * axis[6]) * turn.apply(pose.center) + 1e-6 * axis[3:6],
            )
            for frame, pose in truth.items()
        }
        steps.append(differ(grown, truth, extent))
    moved = np.array(steps).T
    return np.eye(len(moved)) - moved @ np.linalg.pinv(moved)


def test_predicted_sigmas_are_the_spread_of_repeated_reconstructions():
    truth = {frame: pose for frame, pose in enumerate(walk_poses(FRAMES), start=1)}
    places = np.array([pose.center for pose in truth.values()])
    extent = np.sqrt(((places - places.mean(axis=0)) ** 2).sum(axis=1).mean())
    keep, off = without_similarity(truth, extent), []
    for seed in range(TRIALS):
        poses = centers(adjust_noisy(seed))
        fit = pose_error(poses, truth).reference_from_estimate
        placed = {f: Pose(fit.rotation @ poses[f].rotation, fit @ poses[f].center) for f in truth}
        off.append(keep @ differ(placed, truth, extent))
    covariance = np.cov(np.array(off).T)

    def spread(first):
        blocks = [slice(6 * k + first, 6 * k + first + 3) for k in range(FRAMES)]
        return np.array([np.sqrt(np.linalg.eigvalsh(covariance[block, block])[-1]) for block in blocks])

    predicted = pose_uncertainty(adjust_noisy(0)).values()
    positions = np.array([sigma.position for sigma in predicted]) / (extent * spread(3))
    turns_deg = np.array([sigma.rotation_deg for sigma in predicted]) / np.degrees(spread(0))
    for ratio in (positions, turns_deg):
        assert np.median(ratio) == pytest.approx(1.0, abs=0.2)
        assert 0.6 < ratio.min() < ratio.max() < 1.7


def test_positions_grow_with_the_unit_and_rotations_do_not():
    model = adjust_noisy(0)
    moved = pycolmap.Reconstruction(model)
    similarity = random_similarity(np.random.default_rng(4))
    moved.transform(similarity.to_sim3d())
    before, after = pose_uncertainty(model), pose_uncertainty(moved)
    for frame in before:
        assert after[frame].position == pytest.approx(similarity.scale * before[frame].position, rel=0.02)
        assert after[frame].rotation_deg == pytest.approx(before[frame].rotation_deg, rel=0.02)


def test_windows_cover_every_frame_and_change_little(monkeypatch):
    model = long_walk_scene(40)
    whole = pose_uncertainty(model)
    monkeypatch.setattr("recon.audit.pose_uncertainty._WINDOW", 20)
    monkeypatch.setattr("recon.audit.pose_uncertainty._MARGIN", 8)
    parts = pose_uncertainty(model)
    assert list(whole) == list(parts) == list(range(1, 41))
    ratio = [parts[frame].rotation_deg / whole[frame].rotation_deg for frame in whole]
    assert 0.3 < np.median(ratio) < 3.0


def test_models_too_small_or_that_see_next_to_nothing_have_no_uncertainty():
    assert pose_uncertainty(cut(adjust_noisy(0), [1, 2], "000/0").reconstruction) == {}
    assert pose_uncertainty(scene_from_poses(walk_poses(14), 12, 0.3, 0)) == {}


def test_a_frame_that_sees_next_to_nothing_leaves_the_others_theirs():
    model = scene_from_poses(walk_poses(14), 900, 0.3, 0)
    whole = pose_uncertainty(model)
    for keypoint in model.image(7).get_observation_point2D_idxs()[2:]:
        model.delete_observation(7, keypoint)
    found = pose_uncertainty(model)
    assert list(found) == [frame for frame in range(1, 15) if frame != 7]
    assert found[3].position == pytest.approx(whole[3].position, rel=0.5)


def put_points(model, points, place):
    """Put points of a model at places (P, 3), and what is seen of them with them, in place."""
    for point, xyz in zip(points, place, strict=True):
        model.point3D(point).xyz = xyz
        for element in model.point3D(point).track.elements:
            image = model.image(element.image_id)
            image.points2D[element.point2D_idx].xy = image.project_point(xyz)
    model.update_point_3d_errors()


def test_points_in_one_place_leave_every_frame_its_uncertainty():
    """Held by its first three points, two of them 2 mm apart, a textured walk had none for its 95 frames."""
    model = scene_from_poses(walk_poses(14), 900, 0.3, 0)
    points = [point for point in sorted(model.point3D_ids()) if model.point3D(point).track.length() >= 3][:200]
    before = pose_uncertainty(model)
    put_points(model, points, model.point3D(points[0]).xyz + 1e-4 * np.random.default_rng(0).normal(size=(200, 3)))
    found = pose_uncertainty(model)
    assert list(found) == list(before)
    assert np.median([found[frame].position / before[frame].position for frame in found]) < 2.0


def test_a_weak_place_is_not_hidden_by_what_holds_the_model():
    """Two halves of a walk share eight points. Held on both sides they came out 2.8 times as open as whole, not 5.0."""
    model = long_walk_scene(40)
    whole = pose_uncertainty(model)
    over = [
        point
        for point in sorted(model.point3D_ids())
        if len({element.image_id <= 20 for element in model.point3D(point).track.elements}) == 2
    ]
    for point in over[8:]:
        model.delete_point3D(point)
    found = pose_uncertainty(model)
    assert np.median([found[frame].position / whole[frame].position for frame in whole]) > 4.0


def test_ten_points_determine_a_frame(subtests):
    for seen, is_known in [(9, False), (10, True)]:
        with subtests.test(seen=seen, is_known=is_known):
            model = scene_from_poses(walk_poses(14), 900, 0.3, 0)
            told = [
                keypoint
                for keypoint in model.image(7).get_observation_point2D_idxs()
                if model.point3D(model.image(7).point2D(keypoint).point3D_id).track.length() > 3
            ]
            for keypoint in set(model.image(7).get_observation_point2D_idxs()) - set(told[:seen]):
                model.delete_observation(7, keypoint)
            assert (7 in pose_uncertainty(model)) == is_known
