"""Turns that bearings tell."""

import numpy as np
from scipy.spatial.transform import Rotation

from recon.geometry import Array
from recon.matching.pair_filter import fit_turn, share_bearings


def turn_by(deg: float) -> Array:
    return Rotation.from_euler("y", deg, degrees=True).as_matrix()


def bearings(count: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(-0.6, 0.6, count), rng.uniform(-0.4, 0.4, count), np.ones(count)])


def test_a_turn_is_told_by_most_bearings(subtests):
    for deg in [0.0, 3.0, -12.0, 25.0]:
        with subtests.test(deg=deg):
            first = bearings(200, seed=1)
            second = first @ turn_by(deg)
            second[:40] = bearings(40, seed=2)  # a fifth belongs to something else
            turn = fit_turn(share_bearings(first, second))
            assert turn is not None
            off = Rotation.from_matrix(turn.first_from_second.T @ turn_by(deg)).magnitude()
            assert np.degrees(off) < 0.3
            assert np.degrees(turn.left_rad) < 0.3
            assert fit_turn(share_bearings(first[:14], second[:14])) is None
