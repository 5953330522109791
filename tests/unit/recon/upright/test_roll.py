"""How the camera was held: sideways is told from upright, and nothing but the pictures changes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from recon.geometry import Pose, angle_between_deg
from recon.upright.gravity import estimate_up
from recon.upright.roll import quarter_turns, turn_picture
from tests.support.recon.made_models import centers, scene_from_poses

UP = np.array([0.0, 0.0, 1.0])


def make_looking_around(frames=40, turn_deg=200.0, nod_deg=0.0):
    """A walk whose camera turns by `turn_deg` and nods by up to `nod_deg`."""
    poses = []
    for k in range(frames):
        along = k / (frames - 1)
        heading, pitch = np.radians(turn_deg * along), np.radians(nod_deg) * np.sin(9.0 * along)
        forward = np.array([np.cos(heading) * np.cos(pitch), np.sin(heading) * np.cos(pitch), np.sin(pitch)])
        right = np.array([np.sin(heading), -np.cos(heading), 0.0])
        poses.append(
            Pose(np.column_stack([right, np.cross(forward, right), forward]), np.array([3 * along, along**2, 1.5]))
        )
    return poses


def room(seed=0):
    """Points of a room; most lie below the camera's 1.5 m."""
    return np.random.default_rng(seed).uniform([-3.0, -4.0, 0.0], [6.0, 4.0, 2.5], (400, 3))


def test_a_quarter_turn_is_found_whichever_way(subtests):
    for quarters in [0, 1, -1]:
        with subtests.test(quarters=quarters):
            lying = [turn_picture(pose, -quarters) for pose in make_looking_around(nod_deg=15)]
            assert quarter_turns(lying, room()) == quarters


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, -1]), st.floats(0.1, 10.0))
@settings(max_examples=30, deadline=None)
def test_it_does_not_depend_on_the_models_frame_and_unit(seed, quarters, scale):
    turn = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    poses = [turn_picture(pose, -quarters) for pose in make_looking_around(nod_deg=10)]
    moved = [Pose(turn @ pose.rotation, scale * turn @ pose.center + 1.0) for pose in poses]
    assert quarter_turns(moved, scale * room() @ turn.T + 1.0) == quarters


def test_a_tour_that_tells_nothing_is_taken_as_it_is(subtests):
    for turn_deg, nod_deg in [(20.0, 5.0), (20.0, 40.0), (200.0, 60.0)]:
        with subtests.test(turn_deg=turn_deg, nod_deg=nod_deg):
            assert quarter_turns(make_looking_around(turn_deg=turn_deg, nod_deg=nod_deg), room()) == 0
    assert quarter_turns(make_looking_around()[:2], room()) == 0
    assert quarter_turns([turn_picture(pose, 1) for pose in make_looking_around()], np.zeros((0, 3))) == 0


def test_turning_a_picture_clockwise_puts_its_top_to_the_right():
    pose = make_looking_around()[0]
    assert np.allclose(turn_picture(pose, 1).right, -pose.rotation[:, 1])
    assert np.allclose(turn_picture(pose, 1).forward, pose.forward)
    assert np.allclose(turn_picture(turn_picture(pose, 1), -1).matrix(), pose.matrix())


def test_the_vertical_does_not_depend_on_how_the_camera_was_held(subtests):
    for quarters in [0, 1, -1]:
        with subtests.test(quarters=quarters):
            poses = [turn_picture(pose, -quarters) for pose in make_looking_around(nod_deg=10)]
            vertical = estimate_up(poses, room())
            assert angle_between_deg(vertical.up, UP) < 2.0
            assert ("held sideways" in vertical.source) == (quarters != 0)


def test_looking_at_the_ceiling_for_a_third_of_the_tour_leaves_the_vertical_alone():
    poses = make_looking_around(60, turn_deg=150.0)
    for k in range(20, 40):
        tilt = Rotation.from_rotvec(np.radians(75) * poses[k].right).as_matrix()
        poses[k] = Pose(tilt @ poses[k].rotation, poses[k].center)
    scene = scene_from_poses(poses, 600, 0.3, 0)
    points = np.array([point.xyz for point in scene.points3D.values()])
    assert angle_between_deg(estimate_up(list(centers(scene).values()), points).up, UP) < 3.0
