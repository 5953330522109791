"""What a mask took along of the background is dropped; the thing stays whole."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.perception.single_images.clean import clean_points


def surface(count: int = 4000, seed: int = 0) -> np.ndarray:
    """A front of 1.0 x 0.6 m with a side of 0.3 m depth, 2 m away."""
    random = np.random.default_rng(seed)
    front = np.column_stack([random.uniform(0, 1, count), random.uniform(0, 0.6, count), np.full(count, 2.0)])
    side = np.column_stack(
        [np.ones(count // 3), random.uniform(0, 0.6, count // 3), random.uniform(2, 2.3, count // 3)]
    )
    return np.concatenate([front, side])


def test_a_clean_thing_keeps_its_extent() -> None:
    kept = clean_points(surface())
    assert np.ptp(kept, axis=0) == pytest.approx([1.0, 0.6, 0.3], abs=0.05)


def test_background_in_the_mask_and_points_flying_before_it_are_dropped() -> None:
    thing = surface()
    random = np.random.default_rng(1)
    for share in (0.02, 0.10):
        count = int(share * len(thing))
        wall = np.column_stack([random.uniform(0, 1, count), random.uniform(0, 0.6, count), np.full(count, 5.0)])
        kept = clean_points(np.concatenate([thing, wall]))
        assert kept[:, 2].max() < 2.5
        assert np.ptp(kept, axis=0) == pytest.approx([1.0, 0.6, 0.3], abs=0.06)
    flying = np.column_stack([random.uniform(0, 1, 60), random.uniform(0, 0.6, 60), random.uniform(2.6, 5, 60)])
    assert clean_points(np.concatenate([thing, flying]))[:, 2].max() < 2.6


def test_no_point_is_made_up_and_the_order_of_points_changes_nothing() -> None:
    thing = surface()
    kept = clean_points(thing)
    assert {tuple(point) for point in kept} <= {tuple(point) for point in thing}
    shuffled = clean_points(np.random.default_rng(3).permutation(thing))
    assert {tuple(point) for point in shuffled} == {tuple(point) for point in kept}


def test_where_the_thing_stands_changes_nothing() -> None:
    away = np.array([3.0, -2.0, 1.0])
    moved = clean_points(surface() + away) - away
    assert np.ptp(moved, axis=0) == pytest.approx(np.ptp(clean_points(surface()), axis=0), abs=1e-6)
