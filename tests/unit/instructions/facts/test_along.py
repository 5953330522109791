"""A thing along a straight walk, worked out by hand: one position a second, one metre apart, looking ahead along +x."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.facts.along import ThingAlongWalk
from instructions.facts.passing import measure_passing
from instructions.facts.walk import Walk
from instructions.records import Obb, SceneObject

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WALK = Walk((1, 2, 3, 4, 5), np.arange(5.0), np.column_stack([np.arange(5.0), np.zeros(5)]), np.zeros(5))


def thing(metre: float = 1.0) -> ThingAlongWalk:
    """A box of 1 m x 1 m whose centre is 2 m to the left of the third position, seen by frames 2 and 4."""
    box = Obb((2.0, 2.0, 0.5), (0.5, 0.5, 0.5), AXES)
    return ThingAlongWalk(WALK, SceneObject("0_0", "0", None, "box", None, None, box, (), (2, 4), False, "made"), metre)


def test_distance_and_bearing_are_those_of_the_plan():
    assert thing().distance[2] == pytest.approx(1.5)
    assert thing().bearing_deg[[0, 2, 4]] == pytest.approx([45.0, 90.0, 135.0])
    assert thing(0.5).distance[2] == pytest.approx(3.0)
    assert thing(0.5).bearing_deg == pytest.approx(thing().bearing_deg)


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


def test_turn_and_chord_of_a_walk():
    turning = Walk(WALK.frames, WALK.time_s, WALK.xy, np.array([0.0, 30.0, 60.0, 90.0, 120.0]))
    assert turning.measure_turn_deg(1, 4) == pytest.approx(90.0)
    assert WALK.chord(2, 1.0, 0, 4) == pytest.approx([1.0, 0.0])
    assert WALK.chord(2, 1.0, 2, 2) is None
