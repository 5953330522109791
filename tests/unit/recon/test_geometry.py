import numpy as np
import pycolmap
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from recon.geometry import Camera, Pose, Sim3, angle_between_deg, path_length

SEEDS = st.integers(0, 10_000)


def random_pose(seed: int) -> Pose:
    rng = np.random.default_rng(seed)
    return Pose(Rotation.random(rng=rng).as_matrix(), rng.uniform(-5, 5, 3))


def random_sim3(seed: int) -> Sim3:
    pose = random_pose(seed)
    return Sim3(float(np.exp(np.random.default_rng(seed).uniform(-3, 3))), pose.rotation, pose.translation)


POINTS = np.random.default_rng(1).uniform(-3, 3, (12, 3))


@given(SEEDS, SEEDS)
def test_inner_names_cancel(seed_a, seed_b):
    a_from_b, b_from_c = random_pose(seed_a), random_pose(seed_b)
    np.testing.assert_allclose((a_from_b @ b_from_c) @ POINTS, a_from_b @ (b_from_c @ POINTS), atol=1e-9)
    np.testing.assert_allclose((a_from_b @ a_from_b.inverse()).matrix(), np.eye(4), atol=1e-9)


@given(SEEDS)
def test_poses_go_to_colmap_and_back(seed):
    pose = random_pose(seed)
    np.testing.assert_allclose(Pose.from_rigid3d(pose.to_rigid3d()).matrix(), pose.matrix(), atol=1e-12)
    np.testing.assert_allclose(pose.to_rigid3d() * POINTS[0], pose @ POINTS[0], atol=1e-12)
    back = Pose.from_quat_wxyz(pose.quat_wxyz, pose.translation)
    np.testing.assert_allclose(back.matrix(), pose.matrix(), atol=1e-12)
    assert pose.quat_wxyz[0] >= 0


def test_camera_axes_of_a_pose():
    # 90 degrees to the left about the camera's own y axis (down): forward goes to -x, right to +z.
    world_from_cam = Pose(Rotation.from_euler("y", -90, degrees=True).as_matrix(), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(world_from_cam.forward, [-1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(world_from_cam.right, [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(world_from_cam @ np.array([0.0, 0.0, 2.0]), [-1, 2, 3], atol=1e-12)
    np.testing.assert_array_equal(world_from_cam.center, [1, 2, 3])


def test_what_is_no_rotation_is_refused(subtests):
    for number, rotation in enumerate([2 * np.eye(3), np.diag([1.0, 1.0, -1.0]), np.zeros((3, 3))]):
        with subtests.test(number=number), pytest.raises(ValueError, match="not a rotation"):
            Pose(rotation, np.zeros(3))
    with pytest.raises(ValueError, match="shape"):
        Pose(np.eye(3), np.zeros((3, 1)))
    with pytest.raises(ValueError, match="not finite"):
        Pose(np.eye(3), np.array([0, np.nan, 0]))
    with pytest.raises(ValueError, match="positive"):
        Sim3(-1.0, np.eye(3), np.zeros(3))


@given(SEEDS, SEEDS)
def test_similarities_compose_and_invert(seed_a, seed_b):
    a_from_b, b_from_c = random_sim3(seed_a), random_sim3(seed_b)
    np.testing.assert_allclose((a_from_b @ b_from_c) @ POINTS, a_from_b @ (b_from_c @ POINTS), atol=1e-6)
    np.testing.assert_allclose(a_from_b.inverse() @ (a_from_b @ POINTS), POINTS, atol=1e-9)
    matrix = a_from_b.to_sim3d().matrix()
    np.testing.assert_allclose(POINTS @ matrix[:, :3].T + matrix[:, 3], a_from_b @ POINTS, atol=1e-9)


@given(SEEDS)
def test_fit_finds_the_similarity(seed):
    a_from_b = random_sim3(seed)
    fitted = Sim3.fit(a_from_b @ POINTS, POINTS)
    assert fitted.scale == pytest.approx(a_from_b.scale, rel=1e-9)
    np.testing.assert_allclose(fitted.rotation, a_from_b.rotation, atol=1e-9)
    np.testing.assert_allclose(fitted.translation, a_from_b.translation, atol=1e-7)


def test_fit_never_mirrors_and_refuses_too_little():
    mirrored = POINTS * [1, 1, -1]
    assert np.linalg.det(Sim3.fit(mirrored, POINTS).rotation) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="N >= 3"):
        Sim3.fit(POINTS[:2], POINTS[:2])
    with pytest.raises(ValueError, match="coincide"):
        Sim3.fit(POINTS[:3], np.ones((3, 3)))


@given(SEEDS, SEEDS)
def test_a_moved_camera_sees_the_moved_points_in_the_same_place(seed_a, seed_b):
    a_from_b, b_from_cam = random_sim3(seed_a), random_pose(seed_b)
    before = b_from_cam.inverse() @ POINTS
    after = a_from_b.move_camera(b_from_cam).inverse() @ (a_from_b @ POINTS)
    np.testing.assert_allclose(after, a_from_b.scale * before, atol=1e-6)


def test_cameras_project_and_lift_like_colmap(subtests):
    for model, params in [
        ("SIMPLE_PINHOLE", (400.0, 320.0, 180.0)),
        ("PINHOLE", (400.0, 410.0, 320.0, 180.0)),
        ("SIMPLE_RADIAL", (400.0, 320.0, 180.0, -0.05)),
        ("OPENCV", (400.0, 410.0, 320.0, 180.0, -0.05, 0.01, 0.001, 0.0)),
    ]:
        with subtests.test(model=model, params=params):
            camera = Camera(model, 640, 360, params)
            points = POINTS * [0.3, 0.2, 0.1] + [0, 0, 2]
            pixels = camera.project(points)
            np.testing.assert_allclose(
                pixels, np.asarray(camera.to_colmap().img_from_cam(points), dtype=float), atol=1e-9
            )
            rays = camera.rays(pixels)
            np.testing.assert_allclose(rays, points / points[:, 2:], atol=1e-6)
            assert Camera.from_colmap(camera.to_colmap()) == camera
            assert (camera.fx, camera.cx, camera.cy) == (400.0, 320.0, 180.0)
            assert camera.distortion == params[-len(camera.distortion) :] if camera.distortion else True


def test_the_axis_hits_the_principal_point_and_what_is_behind_is_nowhere():
    camera = Camera("SIMPLE_PINHOLE", 640, 360, (400.0, 320.0, 180.0))
    pixels = camera.project([[0, 0, 3], [0, 0, -3], [1, 0, 1]])
    np.testing.assert_array_equal(pixels[0], [320, 180])
    assert np.isnan(pixels[1]).all()
    assert camera.is_inside(pixels).tolist() == [True, False, False]


def test_unknown_cameras_are_refused():
    with pytest.raises(ValueError, match="knows no camera model"):
        Camera("FISHBOWL", 10, 10, (1.0,))
    with pytest.raises(ValueError, match="does not take 2 parameters"):
        Camera("PINHOLE", 10, 10, (1.0, 2.0))
    assert "PINHOLE" in pycolmap.CameraModelId.__members__


def test_angles_and_lengths():
    assert angle_between_deg([1, 0, 0], [0, 2, 0]) == pytest.approx(90)
    assert angle_between_deg([1, 0, 0], [-1, 1e-9, 0]) == pytest.approx(180)
    assert path_length([[0, 0, 0], [3, 4, 0], [3, 4, 2]]) == pytest.approx(7)
    assert path_length([[1, 2, 3]]) == 0.0
