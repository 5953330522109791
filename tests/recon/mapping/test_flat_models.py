"""A walk past planes is kept, a turn on the spot is not, nor the turn at the end of such a walk."""

import numpy as np
import pytest
from made_models import scene_from_poses, walk_poses, write_matches

from recon.geometry import Pose
from recon.mapping.flat_models import is_standing, keep_moving_part

WALK, TURN = 18, 12
WALL = np.array([[7.99, -9.0, -2.0], [8.0, 9.0, 5.0]])


def turn_on(pose, frames):
    """Frames from where the walk ends, to the left by 5 deg each."""
    poses = []
    for angle in np.radians(5.0 * np.arange(1, frames + 1)):
        cosine, sine = np.cos(angle), np.sin(angle)
        poses.append(Pose(np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]]) @ pose.rotation, pose.center))
    return poses


@pytest.fixture(scope="module")
def walk_and_turn(tmp_path_factory):
    """A walk straight to a bare wall, then a turn on the spot."""
    walk = [Pose(pose.rotation, pose.center * [0.5, 1, 1]) for pose in walk_poses(WALK, straight=True)]
    model = scene_from_poses([*walk, *turn_on(walk[-1], TURN)], 2500, 0.4, 0, WALL)
    database = tmp_path_factory.mktemp("flat") / "database.db"
    write_matches(model, database)
    return model, database


def test_the_turn_at_the_end_of_a_walk_to_a_wall_is_left_out(walk_and_turn):
    model, database = walk_and_turn

    part = keep_moving_part(model, database, 0.2, 8, "clip 000")

    assert part.model is not None
    kept = sorted(part.model.reg_image_ids())
    assert kept[0] == 1
    assert abs(kept[-1] - WALK) <= 6  # as far as pairs reach
    assert part.finding is not None
    assert f"{WALK + TURN - len(kept)} frames" in part.finding.message


def test_without_the_rule_a_walk_to_a_wall_is_dropped_like_a_turn(walk_and_turn):
    model, database = walk_and_turn

    part = keep_moving_part(model, database, 0.2, 0, "clip 000")

    assert part.model is None
    assert part.finding is not None
    assert part.finding.severity == "warning"
    assert is_standing(sorted(model.reg_image_ids()), database, 0.2, 0, was_dropped=True)


def test_a_turn_alone_is_dropped(tmp_path):
    poses = turn_on(walk_poses(1)[0], TURN + 8)
    model = scene_from_poses(poses, 2500, 0.4, 0, np.array([[4.0, -9.0, -2.0], [8.0, 9.0, 5.0]]))
    write_matches(model, tmp_path / "database.db")
    frames = sorted(model.reg_image_ids())

    part = keep_moving_part(model, tmp_path / "database.db", 0.2, 8, "clip 000")

    assert part.model is None
    assert part.finding is not None
    assert part.finding.severity == "warning"
    assert is_standing(frames, tmp_path / "database.db", 0.2, 8, was_dropped=False)


def test_a_walk_with_depth_stays_as_it_is(tmp_path):
    model = scene_from_poses(walk_poses(WALK), 900, 0.4, 0)
    write_matches(model, tmp_path / "database.db")

    part = keep_moving_part(model, tmp_path / "database.db", 0.2, 8, "clip 000")

    assert part.model is model
    assert part.finding is None
    assert not is_standing(sorted(model.reg_image_ids()), tmp_path / "database.db", 0.2, 8, was_dropped=True)
