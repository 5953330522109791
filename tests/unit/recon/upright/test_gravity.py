import numpy as np
import pytest

from recon.errors import ReconError
from recon.geometry import angle_between_deg
from recon.upright.gravity import estimate_up, level_rotation
from tests.support.recon.made_house import (
    House,
    look,
    make_house,
    move_house,
    random_sim3,
    room_points,
    walk_around,
    walk_straight,
)

UP = np.array([0.0, 0.0, 1.0])


def error_deg(house: House, seed: int) -> float:
    model_from_world = random_sim3(seed)
    there = move_house(house, model_from_world)
    vertical = estimate_up(list(there.world_from_cam.values()), there.points)
    return angle_between_deg(vertical.up, model_from_world.rotation @ UP)


def test_up_is_found_in_any_frame_and_scale_even_by_cameras_alone(subtests):
    for seed in range(2):
        with subtests.test(seed=seed):
            assert error_deg(make_house(), seed) < 0.5
    house = make_house(points=np.zeros((0, 3)))
    assert error_deg(house, 0) < 2.0
    with pytest.raises(ReconError, match="no registered frame"):
        estimate_up([], np.zeros((0, 3)))
    house = make_house()
    source = estimate_up(list(house.world_from_cam.values()), house.points).source
    assert "cameras (40 frames)" in source
    assert "level walk" in source
    assert "4 walls" in source


def test_a_straight_walk_that_looks_down_is_put_right_by_the_room():
    blind = make_house(walk_straight(), np.zeros((0, 3)))
    assert error_deg(make_house(walk_straight()), 0) < 1.0
    assert error_deg(blind, 0) < 16.0


def test_a_ramp_does_not_tilt_the_world():
    rng = np.random.default_rng(5)
    along, across = rng.uniform(-2, 2, 500), rng.uniform(-1.5, 1.5, 500)
    ramp = np.column_stack([along, across, 0.3 + 0.2 * along]) + rng.normal(0, 0.01, (500, 3))
    assert error_deg(make_house(points=np.vstack([room_points(), ramp])), 0) < 1.0


def test_clutter_is_no_plane():
    clutter = np.random.default_rng(0).uniform((-3, -2, 0), (3, 2, 2.5), (1500, 3))
    vertical = estimate_up(list(walk_around().values()), clutter)
    assert angle_between_deg(vertical.up, UP) < 2.0
    assert "plane" not in vertical.source


def test_level_rotation_puts_the_heading_on_x(subtests):
    for pitch_deg in [0.0, -40.0, -90.0]:
        with subtests.test(pitch_deg=pitch_deg):
            rotation = level_rotation(UP, look((0, 0, 0), 130.0, pitch_deg))
            np.testing.assert_allclose(rotation @ UP, UP, atol=1e-12)
            heading = np.array([np.cos(np.radians(130)), np.sin(np.radians(130)), 0.0])
            np.testing.assert_allclose(rotation @ heading, [1, 0, 0], atol=1e-9)
            assert np.linalg.det(rotation) == pytest.approx(1.0)
