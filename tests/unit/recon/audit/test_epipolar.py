import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from recon.audit.epipolar import MatchedRays, apart_deg, best_pose, fit_of
from recon.geometry import Pose

TURN = Rotation.from_euler("yxz", [8.0, 2.0, -1.0], degrees=True).as_matrix()
TRUE = Pose(TURN, np.array([0.3, 0.02, 0.1]))
FOCAL_PX = 500.0


def cross(vector):
    x, y, z = vector
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def pair_of(second_from_first, points, noise_px=0.0, seed=0):
    """Matches of points (N, 3), given in the axes of the first camera."""
    rng = np.random.default_rng(seed)
    rays = []
    for seen in (points, second_from_first @ points):
        flat = seen[:, :2] / seen[:, 2:] + rng.normal(0, noise_px / FOCAL_PX, (len(points), 2))
        rays.append(np.column_stack([flat, np.ones(len(points))]))
    essential = cross(second_from_first.translation) @ second_from_first.rotation
    return MatchedRays(1, 2, rays[0], rays[1], essential, FOCAL_PX)


@pytest.fixture
def points():
    return np.random.default_rng(1).uniform([-2, -1, 2], [2, 1, 6], (120, 3))


def test_poses_are_told_by_lines_and_by_what_lies_behind(points):
    pair = pair_of(TRUE, points)
    for length in (1.0, 7.0):
        fit = fit_of(Pose(TRUE.rotation, length * TRUE.translation), pair)
        assert fit.cost == pytest.approx(0.0, abs=1e-12)
        assert fit.unexplained == 0.0
        assert fit.parallax_deg > 1.0
    fit = fit_of(Pose(TRUE.rotation, -TRUE.translation), pair_of(TRUE, points))
    assert fit.error_px.max() < 1e-6
    assert fit.behind.all()
    assert fit.unexplained == 1.0
    still = Pose(np.eye(3), np.zeros(3))
    assert fit_of(still, pair_of(Pose(np.eye(3), np.array([0, 0, 1e-9])), points)).parallax_deg < 1e-3


def test_the_error_is_in_pixels(points):
    pair = pair_of(TRUE, points, noise_px=1.0)
    # Noise of one pixel in each of four coordinates; the Sampson distance sees it along one direction.
    assert np.sqrt((fit_of(TRUE, pair).error_px ** 2).mean()) == pytest.approx(1.0, rel=0.2)


def test_the_best_pose_is_found_from_a_wrong_guess(points):
    wrong = Pose(Rotation.from_euler("y", 12, degrees=True).as_matrix() @ TURN, np.array([-0.1, 0.0, 0.3]))
    pair = pair_of(TRUE, points, noise_px=0.3)
    found = best_pose(pair, wrong)
    turned_deg, swung_deg = apart_deg(found, TRUE)
    assert turned_deg < 0.5
    assert swung_deg < 5.0
    assert fit_of(found, pair).cost < 0.2 < fit_of(wrong, pair).cost
