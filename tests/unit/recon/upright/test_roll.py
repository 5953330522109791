"""How the camera was held: rolled pictures are told from upright ones, and nothing but the pictures changes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from instructions.facts.walk import Walk
from instructions.navigation.moves.motion import find_motion
from instructions.navigation.moves.turns import find_turns
from recon.conventions import wrap_deg
from recon.geometry import Pose, angle_between_deg
from recon.upright.gravity import estimate_up, find_roll_deg, level_rotation, turn_picture
from tests.support.recon.made_house import look, room_points
from tests.support.recon.made_models import centers, scene_from_poses

UP = np.array([0.0, 0.0, 1.0])
ROLLS_DEG = (0.0, 30.0, 90.0, -90.0, 180.0, 150.0)
TURNS_DEG = (90, -60, 90)


def make_walk(turns_deg=TURNS_DEG, pitch_deg=-20.0, nod_deg=3.0, seed=0):
    """A hand-held walk at 3 frames per second: 3 s straight on before, between and after turns of 2 s each."""
    rng = np.random.default_rng(seed)
    heading, xy, poses = 0.0, np.array([-2.0, -1.5]), []
    steps = [0.0] * 9 + [step for turn in turns_deg for step in [turn / 6.0] * 6 + [0.0] * 9]
    for step in steps:
        heading += step
        xy = xy + 0.2 * np.array([np.cos(np.radians(heading)), np.sin(np.radians(heading))])
        nod = rng.normal(0.0, nod_deg)
        poses.append(look((*xy, 1.5 + rng.normal(0.0, 0.02)), heading, pitch_deg + nod, rng.normal(0.0, 1.0)))
    return poses


def roll(poses, roll_deg):
    return [turn_picture(pose, -roll_deg) for pose in poses]


@pytest.mark.parametrize("roll_deg", ROLLS_DEG)
@pytest.mark.parametrize("pitch_deg", [0.0, -25.0])
def test_the_vertical_and_the_turns_do_not_depend_on_how_the_camera_was_held(roll_deg, pitch_deg):
    poses = roll(make_walk(pitch_deg=pitch_deg), roll_deg)
    vertical = estimate_up(poses, room_points())
    assert angle_between_deg(vertical.up, UP) < 1.0
    assert wrap_deg(vertical.roll_deg - roll_deg) == pytest.approx(0.0, abs=3.0)
    level = [level_rotation(vertical.up, poses[0]) @ pose.rotation for pose in poses]
    heading_deg = np.degrees(np.unwrap([np.arctan2(rotation[1, 2], rotation[0, 2]) for rotation in level]))
    xy = np.array([pose.center[:2] for pose in poses]) @ level_rotation(vertical.up, poses[0])[:2, :2].T
    walk = Walk(tuple(range(len(poses))), np.arange(len(poses)) / 3.0, xy, heading_deg)
    told = [round(turn.angle_deg) for turn in find_turns(find_motion(walk, 1.0))]
    assert told == pytest.approx(TURNS_DEG, abs=12)


@given(st.integers(0, 2**32 - 1), st.sampled_from(ROLLS_DEG), st.floats(0.1, 10.0))
@settings(max_examples=20, deadline=None)
def test_it_does_not_depend_on_the_models_frame_and_unit(seed, roll_deg, scale):
    turn = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    poses = roll(make_walk(), roll_deg)
    moved = [Pose(turn @ pose.rotation, scale * turn @ pose.center + 1.0) for pose in poses]
    found = [find_roll_deg(*given) for given in ((moved, scale * room_points() @ turn.T + 1.0), (poses, room_points()))]
    assert wrap_deg(found[0] - found[1]) == pytest.approx(0.0, abs=1e-6)


def test_a_tour_that_tells_nothing_is_taken_as_it_is(subtests):
    walks = {
        "turns little": make_walk((20.0,)),
        "nods in a straight corridor": make_walk((15.0,), nod_deg=25.0),
        "nods as much as it turns": make_walk((60.0,), nod_deg=40.0),
        "two frames": make_walk()[:2],
    }
    for name, poses in walks.items():
        with subtests.test(name):
            assert find_roll_deg(poses, room_points()) == 0.0
    # without points nobody knows which of two sides is the upper one
    assert find_roll_deg(roll(make_walk(), 90.0), np.zeros((0, 3))) == 0.0


def test_turning_a_picture_clockwise_puts_its_top_to_the_right():
    pose = make_walk()[0]
    assert np.allclose(turn_picture(pose, 90.0).right, -pose.rotation[:, 1])
    assert np.allclose(turn_picture(pose, 90.0).forward, pose.forward)
    assert np.allclose(turn_picture(turn_picture(pose, 30.0), -30.0).matrix(), pose.matrix())


def test_looking_at_the_ceiling_for_a_third_of_the_tour_leaves_the_vertical_alone():
    poses = make_walk((50.0, 50.0, 50.0), pitch_deg=0.0, nod_deg=0.0)
    for k in range(18, 36):
        tilt = Rotation.from_rotvec(np.radians(75) * poses[k].right).as_matrix()
        poses[k] = Pose(tilt @ poses[k].rotation, poses[k].center)
    scene = scene_from_poses(poses, 600, 0.3, 0)
    points = np.array([point.xyz for point in scene.points3D.values()])
    assert angle_between_deg(estimate_up(list(centers(scene).values()), points).up, UP) < 3.0
