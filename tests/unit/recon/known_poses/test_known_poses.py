"""Models from given poses: exact where the poses are, honest where they do not fit."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from recon.conventions import opengl_pose
from recon.evaluate import pose_error
from recon.geometry import Camera, Pose
from recon.known_poses import pose_fit, triangulate_known
from tests.support.recon.made_models import CAMERA, centers, walk_scene, write_matches


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """A walk, its matches and its true poses. The database's own camera is 10 % off."""
    scene = walk_scene(frames=20, points=500)
    folder = tmp_path_factory.mktemp("walk")
    write_matches(scene, folder / "database.db")
    return scene, folder, centers(scene)


def place(walk, poses, camera=CAMERA, **keywords):
    _, folder, _ = walk
    return triangulate_known(folder / "database.db", poses, camera, label="poses", **keywords)


def shake(poses, deg, m, seed=0):
    rng = np.random.default_rng(seed)
    return {
        frame: Pose(
            pose.rotation @ Rotation.from_rotvec(rng.normal(0, np.radians(deg), 3)).as_matrix(),
            pose.center + rng.normal(0, m, 3),
        )
        for frame, pose in poses.items()
    }


def test_poses_are_kept_and_points_are_true(walk):
    scene, _, poses = walk
    some = {frame: pose for frame, pose in poses.items() if frame != 7}
    made = place(walk, some)
    assert made.findings == ()
    got = centers(made.reconstruction)
    assert got.keys() == some.keys()
    assert all(np.abs(got[frame].matrix() - some[frame].matrix()).max() < 1e-12 for frame in some)
    true = np.array([point.xyz for point in scene.points3D.values()])
    found = np.array([point.xyz for point in made.reconstruction.points3D.values()])
    off = np.array([np.linalg.norm(true - point, axis=1).min() for point in found])
    assert len(found) > 150
    assert np.median(off) < 0.05  # 0.3 px at some 5 m, little parallax
    assert made.reconstruction.camera(1).params == pytest.approx(CAMERA.params)
    assert made.fit is not None
    assert made.fit > 0.99


def test_a_lens_is_taken_as_given_or_found(walk):
    lens = Camera("OPENCV", 640, 360, (500.0, 500.0, 320.0, 180.0, 0.0, 0.0, 0.0, 0.0))
    made = place(walk, walk[2], lens)
    assert made.reconstruction.camera(1).model.name == "OPENCV"
    assert made.reconstruction.num_points3D() > 150
    guess = Camera("SIMPLE_RADIAL", 640, 360, (600.0, 320.0, 180.0, 0.0))
    made = place(walk, walk[2], guess, refine_camera=True)
    assert made.reconstruction.camera(1).mean_focal_length() == pytest.approx(500.0, rel=0.005)
    got = centers(made.reconstruction)
    assert all(np.abs(got[frame].matrix() - pose.matrix()).max() < 1e-12 for frame, pose in walk[2].items())


def test_refinement_brings_noisy_poses_back_and_keeps_place_and_unit(walk):
    noisy = shake(walk[2], 0.5, 0.01)
    before = pose_error(noisy, walk[2])
    kept, refined = place(walk, noisy), place(walk, noisy, refine_poses=True)
    assert kept.moved == 0.0
    assert pose_error(centers(kept.reconstruction), walk[2]).rmse == pytest.approx(before.rmse)
    after = pose_error(centers(refined.reconstruction), walk[2])
    assert after.rmse < 0.5 * before.rmse
    assert after.rotation_median_deg < 0.5 * before.rotation_median_deg
    assert after.reference_from_estimate.scale == pytest.approx(1.0, abs=0.01)
    assert np.linalg.norm(after.reference_from_estimate.translation) < 0.05
    assert 0 < refined.moved < 0.05


def turn_axes(poses):
    return {frame: opengl_pose(pose) for frame, pose in poses.items()}


def turn_direction(poses):
    return {frame: pose.inverse() for frame, pose in poses.items()}


def of_other_frames(poses):
    return dict(zip(poses, list(poses.values())[5:] + list(poses.values())[:5], strict=True))


def test_wrong_poses_or_lenses_are_an_error_and_none_that_share_are_told(subtests, walk):
    for number, spoil in enumerate([turn_axes, turn_direction, of_other_frames]):
        with subtests.test(number=number):
            made = place(walk, spoil(walk[2]))
            assert [(finding.severity, finding.code) for finding in made.findings] == [("error", "poses.do_not_fit")]
    lens = Camera("PINHOLE", 640, 360, (330.0, 330.0, 320.0, 180.0))
    assert [finding.code for finding in place(walk, walk[2], lens).findings] == ["poses.do_not_fit"]
    made = place(walk, {frame: pose for frame, pose in walk[2].items() if frame in (1, 10, 20)})
    assert [finding.code for finding in made.findings] == ["poses.unchecked"]
    assert made.reconstruction.num_reg_images() == 3


def test_the_fit_does_not_depend_on_the_unit_or_the_world(walk):
    _, folder, poses = walk
    turn = Rotation.from_euler("xyz", [20, 40, -70], degrees=True).as_matrix()
    noisy = shake(poses, 1.0, 0.02)
    moved = {
        frame: Pose(turn @ pose.rotation, 7.0 * turn @ pose.center + [3.0, 2.0, 1.0]) for frame, pose in noisy.items()
    }
    first, second = (pose_fit(folder / "database.db", given, CAMERA) for given in (noisy, moved))
    assert first is not None
    assert 0.1 < first < 0.99
    assert second == pytest.approx(first, abs=0.005)
