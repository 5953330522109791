"""Marks in space: three places before a camera 1.5 m up, with distances and heights worked out by hand."""

from __future__ import annotations

from itertools import permutations
from math import sqrt

import pytest

from instructions.questions.marks.space import TYPES
from tests.support.worlds.marked import Marked, look, make_marked

KINDS = {one.name: one for one in TYPES}
PLACES = {"low": (3.0, 0.0, 0.5), "left": (3.0, 1.4, 1.0), "high": (3.0, -1.5, 2.0)}
LOW_LEFT, LOW_HIGH, LEFT_HIGH = sqrt(1.4**2 + 0.5**2), sqrt(1.5**2 + 1.5**2), sqrt(2.9**2 + 1.0**2)
"""1.49, 2.12 and 3.07 m."""
LENGTHS = {
    frozenset(("low", "left")): LOW_LEFT,
    frozenset(("low", "high")): LOW_HIGH,
    frozenset(("left", "high")): LEFT_HIGH,
}
CAMERAS = [look(0.0, 0.0, 0.0)]


@pytest.fixture(scope="module")
def world() -> Marked:
    return make_marked(PLACES, CAMERAS)


def numbers(world: Marked, name: str) -> dict[tuple[str, ...], float]:
    return {marks: float(one.truth) for marks, one in world.find(KINDS[name]).items()}


def words(world: Marked, name: str) -> dict[tuple[str, ...], str]:
    return {marks: one.truth for marks, one in world.find(KINDS[name]).items()}


def test_distances_and_heights_are_those_of_the_world(world):
    told = numbers(world, "mark_pair_distance")
    assert told == pytest.approx({pair: LENGTHS[frozenset(pair)] for pair in permutations(PLACES, 2)}, abs=0.08)
    assert numbers(world, "mark_height") == pytest.approx({(n,): p[2] for n, p in PLACES.items()}, abs=0.03)
    told = numbers(world, "mark_height_difference")
    assert told == pytest.approx({(a, b): abs(PLACES[a][2] - PLACES[b][2]) for a, b in told}, abs=0.06)
    assert {frozenset(pair) for pair in told} == set(LENGTHS)


def test_the_closer_of_two_is_so_in_space(world):
    nearer = {"low": "left", "left": "low", "high": "low"}
    told = words(world, "mark_closer_choice")
    assert len(told) == 6
    assert told == {marks: "mark 2" if nearer[marks[0]] == marks[1] else "mark 3" for marks in told}


def test_pairs_that_are_farthest_and_closest(world):
    for name, pair in (("mark_farthest_pair", {"left", "high"}), ("mark_closest_pair", {"low", "left"})):
        told = words(world, name)
        hand = {}
        for marks in permutations(PLACES):
            first, second = (number for number, place in enumerate(marks, start=1) if place in pair)
            hand[marks] = f"marks {first} and {second}"
        assert told == hand


def test_heights_are_compared_along_the_vertical(world):
    height = {name: place[2] for name, place in PLACES.items()}
    told = words(world, "mark_higher_choice")
    assert told == {(a, b): "mark 1" if height[a] > height[b] else "mark 2" for a, b in permutations(PLACES, 2)}
    told = words(world, "mark_lower_predicate")
    assert told == {(a, b): "yes" if height[a] < height[b] else "no" for a, b in permutations(PLACES, 2)}
    assert words(world, "mark_above_eye") == {("low",): "no", ("left",): "no", ("high",): "yes"}


def test_what_is_alike_is_not_asked():
    same = {"a": (3.0, 0.0, 1.45), "b": (3.0, 1.4, 1.5), "c": (3.0, -1.4, 1.5)}
    world = make_marked(same, CAMERAS)
    for name in ("mark_higher_choice", "mark_lower_predicate", "mark_above_eye"):
        assert not world.find(KINDS[name])
    assert all(marks[0] != "a" for marks in world.find(KINDS["mark_closer_choice"]))
    assert not world.find(KINDS["mark_closest_pair"])


def test_no_height_where_the_camera_stands_on_another_floor():
    raised = {name: (x, y, z + 2.0) for name, (x, y, z) in PLACES.items()}
    world = make_marked(raised, [look(0.0, 0.0, 0.0, z=3.5)])
    assert not world.find(KINDS["mark_height"])
    assert world.find(KINDS["mark_height_difference"])


@pytest.mark.parametrize("name", KINDS)
def test_turning_and_moving_the_world_changes_nothing(world, name):
    moved = make_marked(PLACES, CAMERAS, turn_deg=130.0)
    still, turned = world.find(KINDS[name]), moved.find(KINDS[name])
    assert still.keys() == turned.keys()
    for marks, one in still.items():
        if one.measured is None:
            assert one.truth == turned[marks].truth
        else:
            assert float(one.truth) == pytest.approx(float(turned[marks].truth))


@pytest.mark.parametrize("name", KINDS)
def test_a_larger_world_has_the_same_words_and_larger_lengths(world, name):
    kind = KINDS[name]
    if kind.metric:
        small, large = world.find(kind), make_marked(PLACES, CAMERAS, times=1.3).find(kind)
        assert small.keys() & large.keys()
        for marks in small.keys() & large.keys():
            assert float(large[marks].truth) == pytest.approx(1.3 * float(small[marks].truth))
        return
    small, large = (make_marked(PLACES, CAMERAS, scale="relative", times=times).find(kind) for times in (1.0, 7.0))
    assert small
    assert small.keys() == large.keys()
    for marks, one in small.items():
        truth = large[marks].truth
        assert one.truth == truth if one.measured is None else float(one.truth) == pytest.approx(float(truth))
