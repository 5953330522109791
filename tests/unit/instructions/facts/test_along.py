"""Walks, and things along them, worked out by hand: how one goes and turns, and where a thing then is."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.facts.walk import Passing, ThingAlongWalk, Walk, find_swings, find_turning_points, measure_passing
from instructions.records import Obb, SceneObject

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def make_walk(xs, *, ys=None, headings=None, times=None) -> Walk:
    """One position a second, looking ahead along +x, unless told otherwise; frames count from 1."""
    count = len(xs)
    xy = np.column_stack([xs, np.zeros(count) if ys is None else ys]).astype(float)
    times = np.arange(count) if times is None else times
    headings = np.zeros(count) if headings is None else headings
    return Walk(tuple(range(1, count + 1)), np.array(times, float), xy, np.array(headings, float))


WALK = make_walk(range(5))


def thing(metre: float = 1.0, center=(2.0, 2.0, 0.5), half=0.5, frames=(2, 4), walk: Walk = WALK) -> ThingAlongWalk:
    """A box of 1 m x 1 m whose centre is 2 m to the left of the third position, seen by frames 2 and 4."""
    made = SceneObject(
        "a", "0", None, "a", None, None, Obb(center, (half, half, half), AXES), (), frames, False, "made"
    )
    return ThingAlongWalk(walk, made, metre)


def test_distance_and_bearing_are_those_of_the_plan():
    for metre in (1.0, 0.5):
        assert thing(metre).distance[2] == pytest.approx(1.5 / metre)
        assert thing(metre).bearing_deg[[0, 2, 4]] == pytest.approx([45.0, 90.0, 135.0])
    behind = thing(2.0, (-1.0, -1.0, 0.0), 0.1, (), make_walk([0.0], headings=[170.0]))
    assert behind.bearing_deg == pytest.approx([55.0]), "from the view, and wraps"
    assert behind.away.tolist() == [[-0.5, -0.5]]
    assert behind.unseen_s.tolist() == [np.inf]


def test_when_it_was_in_view():
    assert thing().seen_since_s.tolist() == [np.inf, 0.0, 1.0, 0.0, 1.0]
    assert thing().seen_until_s.tolist() == [1.0, 0.0, 1.0, 0.0, np.inf]
    assert thing().unseen_s.tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]
    assert [thing().count_sightings(4, within_s) for within_s in (0.5, 1.0, 3.0)] == [0, 1, 2]


def test_passing_tells_side_distance_and_what_is_ahead():
    assert thing().closest(0, 4) == 2
    by = measure_passing(thing(), 2, np.array([1.0, 0.0]), slice(0, 5))
    assert (by.side, by.lateral, by.distance) == ("left", pytest.approx(2.0), pytest.approx(1.5))
    assert by.along == pytest.approx([2.0, 1.0, 0.0, -1.0, -2.0])
    assert measure_passing(thing(), 2, np.array([-1.0, 0.0]), slice(0, 5)).side == "right"
    in_line = [Passing(lateral, 1.0, np.zeros(1)).side for lateral in (0.0, 0.01)]
    assert in_line == ["right", "left"], "by convention"


def test_a_walk_knows_its_way():
    walk = make_walk([0, 1, 2, 2, 2], ys=[0, 0, 0, 1, 2], headings=[0, 0, 45, 90, 90])
    assert walk.travelled.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert walk.index_of[3] == 2
    for index, expected in ((1, [1.0, 0.0]), (2, [np.sqrt(0.5)] * 2), (4, [0.0, 1.0])):
        assert walk.direction(index, 1.0) == pytest.approx(np.array(expected))
    assert walk.chord(2, 2.0, 0, 4) == pytest.approx(np.array([np.sqrt(0.5)] * 2))
    assert walk.chord(2, 5.0, 0, 4) is None
    assert WALK.chord(2, 1.0, 2, 2) is None
    assert walk.measure_turn_deg(1, 3) == 90.0
    assert make_walk([0.0] * 3).direction(1, 1.0) is None


def test_velocity_is_that_over_a_step_one_sided_at_the_ends_and_does_not_reach_over_a_rest():
    times = np.arange(11) / 10
    assert np.allclose(make_walk(0.8 * times, times=times).measure_velocity(0.4), [0.8, 0.0])
    stopped = make_walk(np.minimum(times, 0.5), times=times).measure_velocity(0.2)
    assert np.allclose(stopped[[0, 2, 5, 8, 10], 0], [1.0, 1.0, 0.5, 0.0, 0.0])
    slow = make_walk([0.0, 1.0, 3.0, 3.0], times=[0.0, 1.0, 2.0, 4.0]).measure_velocity(0.4)
    assert np.allclose(slow[:, 0], [1.0, 1.5, 2.0 / 3.0, 0.0]), "between neighbours"
    xs = np.concatenate([np.linspace(0.0, 1.0, 4), np.full(9, 1.0)])
    assert np.allclose(make_walk(xs, times=np.arange(13) / 3).measure_velocity(0.4)[5:], 0.0)


# Swings of the view


def test_a_pause_ends_a_swing():
    for pause_s, swings in ((0.5, [(10, 15, 80.0)]), (0.7, [(10, 12, 40.0), (13, 15, 39.5)])):
        times = np.array([0.0, 1.0, 2.0, 2.0 + pause_s, 3.0 + pause_s, 4.0 + pause_s])
        found = find_swings(np.array([0.0, 20.0, 40.0, 40.5, 60.0, 80.0]), times, 10)
        assert [(one.first, one.last, one.angle_deg) for one in found] == swings
    for rate_deg_s, count in ((7.5, 2), (8.5, 1)):  # slow turning is a pause
        heading = np.cumsum([0.0, 20.0, 20.0, rate_deg_s, 20.0, 20.0])
        assert len(find_swings(heading, np.arange(6.0), 0)) == count


def test_a_swing_has_five_degrees_and_a_reversal_of_twelve_ends_it():
    for angle_deg, count in ((4.5, 0), (5.5, 1), (-5.5, 1)):
        assert len(find_swings(np.array([0.0, angle_deg]), np.array([0.0, 0.5]), 0)) == count
    for back_deg, swings in ((11.5, [45.0 - 11.5 + 15.0]), (12.5, [45.0, -12.5, 15.0])):
        heading = np.array([0.0, 45.0, 45.0 - back_deg, 45.0 - back_deg + 15.0])
        found = find_swings(heading, np.arange(4.0) / 2, 0)
        assert [swing.angle_deg for swing in found] == pytest.approx(swings)


def test_turning_points_are_extremes_that_the_values_come_back_from():
    assert find_turning_points(np.array([0.0, 5, 3, 9, 2, 8]), 4.0) == [0, 3, 4, 5]
    assert find_turning_points(np.array([0.0, -5, -3, -9, -2]), 4.0) == [0, 3, 4]
    assert find_turning_points(np.array([1.0, 1, 1]), 4.0) == [0, 2]
    assert find_turning_points(np.array([1.0]), 4.0) == [0]
