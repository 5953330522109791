from __future__ import annotations

import numpy as np

from instructions.facts.walk import Walk


def walk(times, xs) -> Walk:
    xy = np.column_stack([xs, np.zeros(len(xs))]).astype(float)
    return Walk(tuple(range(len(xs))), np.array(times, dtype=float), xy, np.zeros(len(xs)))


def test_velocity_is_that_over_a_step_and_one_sided_at_the_ends():
    times = np.arange(11) / 10
    even = walk(times, 0.8 * times).measure_velocity(0.4)
    assert np.allclose(even, [0.8, 0.0])
    stopped = walk(times, np.minimum(times, 0.5)).measure_velocity(0.2)
    assert np.allclose(stopped[[0, 2, 5, 8, 10], 0], [1.0, 1.0, 0.5, 0.0, 0.0])


def test_velocity_of_a_slow_clip_is_that_between_neighbours():
    speed = walk([0.0, 1.0, 2.0, 4.0], [0.0, 1.0, 3.0, 3.0]).measure_velocity(0.4)[:, 0]
    assert np.allclose(speed, [1.0, 1.5, 2.0 / 3.0, 0.0])


def test_standing_does_not_reach_over_to_walking():
    """A direction over a stretch of path would, however long the rest."""
    times = np.arange(13) / 3
    xs = np.concatenate([np.linspace(0.0, 1.0, 4), np.full(9, 1.0)])
    assert np.allclose(walk(times, xs).measure_velocity(0.4)[5:], 0.0)
