"""What is up in an image: from the ground alone, whatever the roll; never from a wall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from instructions.perception.single_images.canonical import LEAST_GROUND, canonicalise
from recon.geometry import angle_between_deg
from tests.support.worlds.made_depth import FLOOR, HEIGHT, WALL, WIDTH, Crate, look_at_room

CRATES = (Crate("chest", (2.5, -0.8, 0.0), (3.2, 0.2, 0.9)),)


def find_up(roll_deg: float = 0.0, pitch_deg: float = -20.0, height_m: float = 1.5, noise_m: float = 0.0):
    seen = look_at_room(CRATES, roll_deg=roll_deg, pitch_deg=pitch_deg, height_m=height_m, noise_m=noise_m)
    found = canonicalise(seen.points_cam(), (seen.shows == FLOOR).ravel())
    return seen, found


@hypothesis_settings(max_examples=8)
@given(st.floats(-40, 40), st.floats(-45, -10), st.floats(0.5, 2.5))
def test_roll_pitch_and_height_are_undone(roll_deg: float, pitch_deg: float, height_m: float) -> None:
    seen, found = find_up(roll_deg, pitch_deg, height_m)
    assert found.ok
    floor = found.points[(seen.shows == FLOOR).ravel()]
    assert np.abs(floor[:, 2]).max() < 1e-3
    assert found.world_from_cam.center == pytest.approx([0, 0, height_m], abs=2e-3)
    assert np.allclose(found.world_from_cam.rotation, seen.world_from_cam, atol=2e-3)


def test_a_roll_is_undone_under_the_noise_of_a_sensor_and_changes_no_world() -> None:
    tops = []
    for roll_deg in (-20.0, 0.0, 20.0):
        seen, found = find_up(roll_deg, noise_m=0.02)
        assert angle_between_deg(found.world_from_cam.rotation[2], seen.world_from_cam[2]) < 0.3
        seen, found = find_up(roll_deg)
        tops.append(found.points[(seen.shows == 0).ravel()].max(axis=0))
    assert np.ptp(np.array(tops)[:, 2]) < 0.02
    assert tops[0][2] == pytest.approx(0.9, abs=0.02)


def test_a_wall_that_fills_the_image_is_not_taken_for_the_floor() -> None:
    seen = look_at_room((), pitch_deg=5.0, wall_m=1.2, height_m=1.5)
    assert (seen.shows == WALL).mean() > 0.9
    found = canonicalise(seen.points_cam(), (seen.shows == FLOOR).ravel())
    assert not found.ok
    assert found.world_from_cam.rotation[2] == pytest.approx([0, -1, 0])  # the image's own up


def test_a_wall_beside_the_floor_does_not_tilt_it() -> None:
    seen = look_at_room((), pitch_deg=-20.0, wall_m=2.5)
    assert 0.2 < (seen.shows == FLOOR).mean() < 0.5
    found = canonicalise(seen.points_cam(), (seen.shows == FLOOR).ravel())
    assert angle_between_deg(found.world_from_cam.rotation[2], seen.world_from_cam[2]) < 0.1


def test_five_percent_of_ground_decide() -> None:
    seen = look_at_room(())
    floor = np.flatnonzero((seen.shows == FLOOR).ravel())
    for share, is_up in ((LEAST_GROUND + 0.002, True), (LEAST_GROUND - 0.002, False)):
        count = int(share * HEIGHT * WIDTH)
        ground = np.zeros(HEIGHT * WIDTH, dtype=bool)
        ground[floor[:: max(1, len(floor) // count)][:count]] = True
        assert abs(ground.mean() - share) < 0.001
        assert canonicalise(seen.points_cam(), ground).ok is is_up


def test_stairs_are_no_plane() -> None:
    steps = np.concatenate(
        [np.column_stack([*np.random.default_rng(k).uniform(-1, 1, (2, 200)), np.full(200, 0.0)]) for k in range(4)]
    )
    steps = np.column_stack([steps[:, 0], 0.3 + 0.4 * np.repeat(range(4), 200), 3 + steps[:, 1]])
    assert not canonicalise(steps, np.ones(len(steps), dtype=bool)).ok
