"""What one may say to walk towards or to face: judged by where the way leads and by what stands before it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from instructions.facts.along import ThingAlongWalk
from instructions.facts.walk import Walk
from instructions.records import Claim, SceneObject
from instructions.truth.bars import ClaimBars
from instructions.truth.claims import check_claims
from instructions.truth.goals import find_before, measure_past_deg
from instructions.truth.naming import doubt_name
from tests.support.worlds.boxworld import World, make_world, true_objects

TOWARDS_BLUE = Claim("approach", "towards it", "", None, None, 36, 51)


@cache
def corridor() -> tuple[World, SceneObject]:
    """The walk ends with 3.6 m along +y, towards the blue box at (7, 5.6)."""
    world = make_world()
    return world, next(one for one in true_objects(world)[0] if one.color == "blue")


def put(thing: SceneObject, name: str, x: float, y: float, half: tuple[float, float, float]) -> SceneObject:
    obb = replace(thing.obb, center=(x, y, half[2]), half_extents=half)
    return replace(thing, id=name, category="sofa", alias="sofa", obb=obb)


def judge(claim: Claim, thing: SceneObject, *others: SceneObject) -> bool:
    world, _ = corridor()
    return check_claims(world.scene, world.trajectory, [thing, *others], [replace(claim, object=thing.id)])[0].true


def test_one_walks_towards_the_nearer_of_two_things_on_the_line():
    _, blue = corridor()
    before = put(blue, "sofa", 7.0, 4.3, (0.8, 0.2, 0.4))
    beside = put(blue, "sofa", 9.0, 4.3, (0.8, 0.2, 0.4))
    flat = put(blue, "rug", 7.0, 4.3, (0.8, 0.2, 0.01))
    assert judge(TOWARDS_BLUE, blue)
    assert judge(TOWARDS_BLUE, blue, beside)
    assert judge(TOWARDS_BLUE, blue, flat), "a rug is walked over"
    assert not judge(TOWARDS_BLUE, blue, before)
    assert judge(TOWARDS_BLUE, blue, replace(before, category=None)), "it may be a piece of wall"


def test_what_is_lower_hides_nothing_from_who_faces_it():
    _, blue = corridor()
    tall = replace(blue, obb=replace(blue.obb, center=(*blue.obb.center[:2], 1.4), half_extents=(0.6, 0.25, 0.6)))
    facing = Claim("see", "facing it", "", None, None, 51, 51)
    low, high = (put(blue, "sofa", 7.0, 4.3, (0.8, 0.2, half)) for half in (0.3, 0.9))
    assert judge(facing, tall, low)
    assert not judge(facing, tall, high)


def test_one_walks_towards_what_hangs_on_a_wall_over_what_is_lower():
    _, blue = corridor()
    tall = replace(blue, obb=replace(blue.obb, center=(*blue.obb.center[:2], 1.4), half_extents=(0.6, 0.25, 0.6)))
    window = replace(tall, category="window", alias="window")
    low, high = (put(blue, "sofa", 7.0, 4.3, (0.8, 0.2, half)) for half in (0.3, 0.9))
    assert judge(TOWARDS_BLUE, window, low)
    assert not judge(TOWARDS_BLUE, window, high)
    assert not judge(TOWARDS_BLUE, tall, low), "what stands on the floor is behind it"


def test_what_comes_into_view_on_arriving_is_not_walked_towards():
    _, blue = corridor()
    assert not judge(TOWARDS_BLUE, replace(blue, frames=(51,)))


def test_a_way_that_leads_past_a_thing_does_not_lead_to_it():
    world, blue = corridor()
    walk = Walk.of(world.trajectory)
    first, last = walk.index_of[36], walk.index_of[51]
    ahead = ThingAlongWalk(walk, blue, 1.0)
    aside = ThingAlongWalk(walk, put(blue, "sofa", 9.4, 2.0, (0.2, 0.2, 0.4)), 1.0)
    assert measure_past_deg(ahead, first, last) == pytest.approx(0.0, abs=1e-9)
    assert measure_past_deg(aside, first, last) > 40.0
    assert measure_past_deg(aside, first, first) == 0.0, "who stands goes nowhere else"


def test_before_means_on_the_line_and_nearer_wherever_the_world_is_turned():
    world, blue = corridor()
    walk = Walk.of(world.trajectory)
    index = walk.index_of[36]
    thing = ThingAlongWalk(walk, blue, 1.0)
    for x, is_before in ((7.0, True), (7.9, False), (6.1, False)):
        other = put(blue, "sofa", x, 4.0, (0.5, 0.1, 0.4))
        yaw = np.radians(90.0)
        turned = ((np.cos(yaw), -np.sin(yaw), 0.0), (np.sin(yaw), np.cos(yaw), 0.0), (0.0, 0.0, 1.0))
        alike = replace(other, obb=replace(other.obb, half_extents=(0.1, 0.5, 0.4), rotation=turned))
        for one in (other, alike):
            found = find_before(thing, [ThingAlongWalk(walk, one, 1.0)], index, ClaimBars())
            assert (found is not None) == is_before


def times_of(world) -> dict[int, float]:
    return {frame.index: frame.time_s for frame in world.scene.frames}


@pytest.mark.parametrize(
    ("changed", "doubt"),
    [
        ({}, None),
        ({"categories": (("bed", 0.45), ("sofa", 0.55))}, "45%"),
        ({"frames": (40, 41)}, "0.3 s"),
        ({"category": None}, None),
    ],
)
def test_the_judge_doubts_names_by_itself(changed: dict, doubt: str | None):
    world, blue = corridor()
    bed = replace(blue, category="bed", obb=replace(blue.obb, half_extents=(1.0, 0.6, 0.3)))
    said = doubt_name(replace(bed, **changed), 1.0, times_of(world))
    assert said is None if doubt is None else doubt in (said or "")


def test_an_edge_of_something_is_no_bed():
    world, blue = corridor()
    edge = replace(blue, category="bed", obb=replace(blue.obb, half_extents=(1.3, 0.2, 0.3)))
    whole = replace(edge, obb=replace(blue.obb, half_extents=(1.3, 0.4, 0.3)))
    assert "m across" in (doubt_name(edge, 1.0, times_of(world)) or "")
    assert doubt_name(whole, 1.0, times_of(world)) is None
    assert "m across" in (doubt_name(whole, 2.0, times_of(world)) or ""), "half the size in metres"


def test_a_flat_thing_on_a_wall_is_no_shelf():
    world, blue = corridor()
    board = replace(blue, category="shelf", obb=replace(blue.obb, half_extents=(0.8, 0.03, 0.5)))
    assert "m across" in (doubt_name(board, 1.0, times_of(world)) or "")
    assert doubt_name(replace(board, obb=blue.obb), 1.0, times_of(world)) is None
