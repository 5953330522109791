"""Texts against a walk whose truth is known by construction, and laws that hold in every world."""

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.navigation.grammar import compose
from instructions.navigation.way_plans import plan_ways
from instructions.records import RoomSpan
from instructions.tour import Tour
from instructions.truth.check import check_text
from instructions.truth.motion import WalkMotion
from tests.support.cases import each_case
from tests.support.worlds.boxworld import World, make_world, mirror, move_scene, true_objects
from tests.support.worlds.made_walks import random_world

ROOMS = (RoomSpan("s0", "hall", 1, 33, 0.9, None), RoomSpan("s1", "living room", 34, 51, 0.9, "hall"))


def way_of(world: World, rooms: tuple[RoomSpan, ...] = (), metre: float = 1.0) -> WayGeometry:
    objects, _ = true_objects(world)
    walk = Walk.of(world.trajectory)
    return WayGeometry(walk, 0, len(walk.frames) - 1, metre, {thing.id: thing for thing in objects}, rooms)


@cache
def corridor(rooms: tuple[RoomSpan, ...] = ()) -> WayGeometry:
    """6.8 m ahead past red (left) and green (right), a left turn, 3.6 m past yellow (right) to blue."""
    return way_of(make_world(), rooms)


TRUE = [
    "Walk past the large red object on your left and the tall green object on your right, then turn left and stop in "
    "front of the large blue object.",
    "Pass the large red object, turn left, and approach the large blue object.",
    "Turn left after passing the tall green object on your right.",
    "Before turning left, go by the large red object on your left.",
    "With the large red object on your left, walk on and turn left towards the large blue object.",
    "The camera passes a large red object on its left, pans left and leaves a tall green object behind.",
    "Turn left, pass the large yellow object on the right, and end facing the large blue object.",
    "After the large red object slides by on the left, the camera swings round to the left.",
    "First the large red object on your left, then the tall green object on your right. Turn left.",
    "Once the tall green object is behind you, turn left.",
    "Turn left, walk to the large blue object and stop there.",
    "Walk with the large red object on your left, then turn left.",
]
FALSE = {
    "order of a list": "First the tall green object on your right, then the large red object on your left. Turn left.",
    "side of a pass": "Walk past the large red object on your right, then turn left.",
    "side of a turn": "Walk past the large red object on your left, then turn right.",
    "order of passes": "Pass the tall green object on your right, then the large red object on the left. Turn left.",
    "order of turn and pass": "Turn left, then pass the large red object on your left.",
    "order by before": "Before passing the large red object on your left, turn left.",
    "thing ahead": "Walk to the large red object on the right, turn left and stop in front of the tall green object.",
    "end": "Turn left and stop in front of the large yellow object.",
    "approach": "Turn left and walk away from the large blue object.",
    "no turn told": "Walk past the large red object on your left and go straight on to the end.",
    "two turns": "Turn left, walk on and turn left again, then turn left.",
    "slight turn": "Pass the large red object, then turn left through three quarters of a circle.",
    "invented": "Walk past the large red object and the wardrobe, then turn left.",
    "colour": "Walk past the small purple object on your left, then turn left.",
    "count": "Walk past three red objects on your left, then turn left.",
    "relation": "Walk to the left of the large red object, then turn left.",
    "behind before the turn": "Once the large yellow object is behind you, turn left.",
    "sides of a list": "Large red object right, tall green object left, left at the corner.",
}


@each_case("text", TRUE)
def test_true_texts_hold(text):
    assert check_text(text, corridor()).false_because is None


@each_case("text", FALSE.values(), ids=FALSE)
def test_false_texts_are_rejected(text):
    assert check_text(text, corridor()).false_because is not None


@each_case(
    ("text", "is_true"),
    [
        ("Leave the hall and enter the living room, then turn left.", True),
        ("Walk through two rooms and turn left.", True),
        ("Leave the living room and enter the hall, then turn left.", False),
        ("Enter the kitchen and turn left.", False),
        ("Turn left and walk through three rooms.", False),
    ],
)
def test_rooms_are_checked_where_they_are_known(text, is_true):
    assert (check_text(text, corridor(ROOMS)).false_because is None) == is_true


def test_without_rooms_no_room_may_be_named():
    assert "no rooms are known" in (check_text("Leave the hall and turn left.", corridor()).false_because or "")


def test_a_text_of_very_many_turns_is_refused_and_not_searched():
    assert "more than" in (check_text("Turn left. " * 30, corridor()).false_because or "")


@pytest.mark.parametrize(
    ("text", "is_true"),
    [
        ("Start facing the tall green object in the far distance, then turn left.", True),
        ("Start facing the tall green object in the near distance, then turn left.", False),
        ("With the large red object on your left in closer distance, walk on and turn left.", True),
        ("Turn left and stop in front of the large blue object in the near distance.", True),  # by the floor plan
    ],
)
def test_ranges_are_checked_against_what_frames_measured(text, is_true):
    things = {thing.color: thing.id for thing in corridor().objects.values()}
    ranges = {things["green"]: {frame: ("further",) for frame in range(1, 9)}}
    ranges[things["red"]] = {frame: ("closer",) for frame in range(1, 12)}
    assert (check_text(text, replace(corridor(), ranges=ranges)).false_because is None) == is_true


# ---- laws


def texts(seed: int):
    """A random world with texts of the grammar about it, and the way each is about."""
    world = random_world(seed)
    objects, observations = true_objects(world)
    names = {thing.id: thing.alias for thing in objects}
    by_id = {thing.id: thing for thing in objects}
    for plan in plan_ways(Tour(world.scene, objects, observations), world.trajectory):
        way = WayGeometry(plan.walk, plan.way.first, plan.way.last, plan.metre, by_id)
        for kind in ("description", "instruction"):
            text = compose(plan.events, names, kind, random.Random(seed)).text
            if text:
                yield text, way


def swap_sides(text: str) -> str:
    return text.replace("left", "\0").replace("right", "left").replace("\0", "right")


def test_texts_of_the_grammar_hold_and_their_mirror_images_do_not():
    true = false = told = sided = 0
    for seed in range(20):
        for text, way in texts(seed):
            told += 1
            true += check_text(text, way).false_because is None
            if swap_sides(text) != text:
                sided += 1
                false += check_text(swap_sides(text), way).false_because is not None
    assert told >= 40
    assert true >= 0.98 * told
    assert false >= 0.98 * sided


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_do_not_depend_on_where_the_world_lies(seed):
    world = random_world(seed)
    turned = move_scene(world, turn_deg=137.0, shift=(4.0, -9.0))
    for text, way in texts(seed):
        other = replace(way_of(turned), first=way.first, last=way.last, metre=way.metre)
        for said in (text, swap_sides(text)):
            assert check_text(said, other).false_because == check_text(said, way).false_because


def test_the_mirrored_walk_makes_the_mirrored_text_true():
    world = make_world(mirror(make_world().boxes), legs=(("walk", 6.8), ("turn", -90.0), ("walk", 3.6)), walls=())
    way = way_of(world)
    for text in TRUE[:6]:
        assert check_text(swap_sides(text), way).false_because is None
        assert check_text(text, way).false_because is not None


def test_a_heading_that_trembles_makes_no_turns():
    rng = np.random.default_rng(0)
    way = corridor()
    shaken = replace(way.walk, heading_deg=way.walk.heading_deg + rng.uniform(-4.0, 4.0, len(way.walk.frames)))
    calm = replace(way, walk=shaken)
    swings = WalkMotion(calm.walk, calm.metre).find_swings(calm.first, calm.last)
    assert [round(swing.angle_deg / 90) for swing in swings if abs(swing.angle_deg) > 30] == [1]
    assert check_text(TRUE[0], calm).false_because is None
    assert check_text(FALSE["two turns"], calm).false_because is not None
