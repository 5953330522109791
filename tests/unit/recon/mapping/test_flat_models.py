"""A walk past one plane and a turn on the spot are dropped; a walk past planes that hold it together is kept."""

import numpy as np
import pytest

from recon.audit import parallax
from recon.audit.parallax import is_standing, judge_parallax, measure_off_plane, parallax_share
from recon.geometry import Pose
from tests.support.recon.made_models import scene_from_poses, walk_poses, write_matches

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


def test_a_walk_to_a_wall_is_dropped_and_told_from_a_turn(walk_and_turn):
    model, database = walk_and_turn
    verdict = judge_parallax(model, database)
    assert not verdict.ok
    assert "bare wall" in verdict.words
    assert not is_standing(sorted(model.reg_image_ids()), database, was_dropped=True)


def test_a_turn_alone_is_dropped(tmp_path):
    poses = turn_on(walk_poses(1)[0], TURN + 8)
    model = scene_from_poses(poses, 2500, 0.4, 0, np.array([[4.0, -9.0, -2.0], [8.0, 9.0, 5.0]]))
    write_matches(model, tmp_path / "database.db")
    frames = sorted(model.reg_image_ids())
    assert not judge_parallax(model, tmp_path / "database.db").ok
    assert is_standing(frames, tmp_path / "database.db", was_dropped=False)


def test_a_walk_with_depth_stays_as_it_is(tmp_path):
    model = scene_from_poses(walk_poses(WALK), 900, 0.4, 0)
    write_matches(model, tmp_path / "database.db")
    assert judge_parallax(model, tmp_path / "database.db").ok
    assert not is_standing(sorted(model.reg_image_ids()), tmp_path / "database.db", was_dropped=True)


ROOM = [np.array([[5.0, -9.0, -1.0], [5.01, 3.0, 4.0]]), np.array([[-9.0, 3.0, -1.0], [5.0, 3.01, 4.0]])]


def aim_camera(x, y, heading_deg):
    """A camera at 1.5 m."""
    cosine, sine = np.cos(np.radians(heading_deg)), np.sin(np.radians(heading_deg))
    rotation = np.column_stack([[sine, -cosine, 0.0], [0.0, 0.0, -1.0], [cosine, sine, 0.0]])
    return Pose(rotation, np.array([x, y, 1.5]))


def walk_along_walls():
    """Two metres from one wall, half turned to it, round the corner, and along the next."""
    first = [aim_camera(3.0, 0.3 * k - 3.5, 45.0) for k in range(16)]
    corner = [aim_camera(3.0 - 0.1 * k, 1.0 + 0.02 * k, 45.0 + 18.0 * k) for k in range(1, 5)]
    return [*first, *corner, *(aim_camera(2.6 - 0.3 * k, 1.0, 135.0) for k in range(1, 17))]


@pytest.fixture(scope="module")
def along_walls(tmp_path_factory):
    model = scene_from_poses(walk_along_walls(), 9000, 0.1, 0, ROOM[0], 5.0, ROOM[1:])
    database = tmp_path_factory.mktemp("walls") / "database.db"
    write_matches(model, database)
    return model, database


def test_walls_that_meet_hold_a_walk_that_no_pair_of_frames_does(along_walls, walk_and_turn):
    model, database = along_walls
    assert parallax_share(model, database) < 0.2
    assert judge_parallax(model, database).ok
    assert measure_off_plane(along_walls[0]) == pytest.approx(0.4, abs=0.1)
    assert measure_off_plane(walk_and_turn[0]) < 0.02


def test_each_of_three_facts_is_needed(subtests, monkeypatch):
    for name, sound, doubtful in [
        ("find_moving", list(range(9)), list(range(8))),
        ("measure_off_plane", 0.3, 0.29),
        ("measure_path_sigma", 0.0003, 0.00031),
    ]:
        with subtests.test(name=name):
            model = scene_from_poses(walk_poses(10), 50, 0.3, 0)
            facts = {
                "parallax_share": 0.1,
                "find_moving": list(range(9)),
                "measure_off_plane": 0.3,
                "measure_path_sigma": 0.0003,
            }
            for value in (sound, doubtful):
                for fact, told in (facts | {name: value}).items():
                    monkeypatch.setattr(parallax, fact, lambda *_, told=told: told)
                verdict = judge_parallax(model, database_path=None)  # type: ignore[arg-type]
                assert verdict.ok is (value == sound)
