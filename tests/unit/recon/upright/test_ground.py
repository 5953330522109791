import numpy as np
import pytest

from recon.geometry import Sim3
from recon.records import FLOOR, UNNAMED
from recon.upright.ground import find_floor
from tests.support.recon.made_house import make_house, room_points

CENTERS = np.array([pose.center for pose in make_house().world_from_cam.values()])


def test_the_floor_is_found_below_a_table_whatever_the_unit(subtests):
    floor_z = find_floor(room_points(), CENTERS)
    assert floor_z is not None
    assert floor_z == pytest.approx(0.0, abs=0.01)
    for scale in [0.05, 20.0]:
        with subtests.test(scale=scale):
            motion = Sim3(scale, np.eye(3), np.array([3.0, -2.0, 7.0]))
            floor_z = find_floor(motion @ room_points(), motion @ CENTERS)
            assert floor_z is not None
            assert (floor_z - 7.0) / scale == pytest.approx(0.0, abs=0.01)
    stray = np.random.default_rng(1).uniform((-3, -2, -3), (3, 2, -0.1), (80, 3))
    floor_z = find_floor(np.vstack([room_points(), stray]), CENTERS)
    assert floor_z is not None
    assert floor_z == pytest.approx(0.0, abs=0.02)


def test_no_floor_where_nothing_level_is_seen():
    clutter = np.random.default_rng(0).uniform((-3, -2, 0), (3, 2, 2.5), (1000, 3))
    assert find_floor(clutter, CENTERS) is None
    assert find_floor(np.zeros((0, 3)), CENTERS) is None
    assert find_floor(room_points() + np.array([0, 0, 10]), CENTERS) is None


def test_a_level_with_much_below_it_is_no_floor():
    rng = np.random.default_rng(0)
    top = np.column_stack([rng.uniform((0, 0), (2, 1.2), (400, 2)), np.full(400, 0.75)])
    scattered = rng.uniform((-3, -2, -0.4), (3, 2, 0.4), (300, 3))
    assert find_floor(np.vstack([top, scattered]), CENTERS) is None
    assert find_floor(np.vstack([top, scattered[:40]]), CENTERS) == pytest.approx(0.75, abs=0.02)


def test_a_counter_below_which_most_of_the_named_floor_lies_is_no_floor():
    rng = np.random.default_rng(0)
    top = np.column_stack([rng.uniform((0, 0), (2, 1.2), (400, 2)), np.full(400, 0.75)])
    mirrored = rng.uniform((-3, -2, -0.4), (3, 2, 0.4), (40, 3))  # what shines has no level of its own
    points, names = np.vstack([top, mirrored]), np.full(440, UNNAMED, np.uint8)
    assert find_floor(points, CENTERS, names) == pytest.approx(0.75, abs=0.02)
    names[400:] = FLOOR
    assert find_floor(points, CENTERS, names) is None
    names[:60] = FLOOR  # most of what is called floor lies on the level itself
    assert find_floor(points, CENTERS, names) == pytest.approx(0.75, abs=0.02)
