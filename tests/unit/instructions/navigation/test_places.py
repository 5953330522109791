"""Starts, ends and targets of turns: told by what stands there, and true by the judge's own bars."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from instructions.navigation.grammar_writer import write_instructions
from instructions.navigation.records import Instruction
from instructions.records import Claim, Observation, Range, RoomSpan, SceneObject
from instructions.truth.claims import check_claims
from tests.support.worlds.boxworld import make_world, true_objects

ROOMS = (RoomSpan("s0", "hall", 1, 33, 0.9, None), RoomSpan("s1", "living room", 34, 51, 0.9, "hall"))
NAMES = {"red": "sofa", "green": "lamp", "blue": "cabinet", "yellow": "chair"}


@cache
def corridor() -> tuple[list[SceneObject], list[Observation]]:
    """The corridor with furniture of known category."""
    objects, observations = true_objects(make_world())
    return [replace(one, category=NAMES[one.color or ""], alias=NAMES[one.color or ""]) for one in objects], list(
        observations
    )


def write(objects, observations, rooms=()) -> list[Instruction]:
    world = make_world()
    return write_instructions(world.scene, [world.trajectory], objects, observations, rooms=rooms)


def test_a_text_says_where_it_starts_what_a_turn_leads_to_and_where_it_ends():
    texts = [row.text for row in write(*corridor()) if row.kind == "instruction"]
    assert len(texts) == 2
    assert texts[0].startswith("Start facing the lamp")
    assert texts[1].startswith("Start facing the lamp, with the sofa on your left")
    assert all(re.search(r"towards the cabinet,? and stop in front of it\.$", text) for text in texts)


def test_one_stops_in_front_of_the_nearest_thing_not_of_what_stands_behind_it():
    objects, observations = corridor()
    cabinet = next(one for one in objects if one.category == "cabinet")
    end = np.array(make_world().trajectory.points[-1].position)
    x, y, z = (0.5 * (end + np.array(cabinet.obb.center))).tolist()
    table = replace(cabinet, id="table", category="table", alias="table", obb=replace(cabinet.obb, center=(x, y, z)))
    seen = [
        replace(one, object="table", box_xyxy=(x0, y0, x0 + 0.3 * (x1 - x0), y1))  # stands out less
        for one in observations
        if one.object == cabinet.id
        for x0, y0, x1, y1 in (one.box_xyxy,)
    ]
    rows = write([*objects, table], [*observations, *seen])
    stops = {check.claim.object for row in rows for check in row.claims if check.claim.kind == "stop_at"}
    assert stops == {"table"}


def test_one_walks_towards_what_the_way_leads_to_and_nothing_hides():
    """The cabinet at the end of the corridor is walked up to, unless something stands before it."""
    objects, observations = corridor()
    cabinet = next(one for one in objects if one.category == "cabinet")

    def approached(*others: SceneObject) -> set[str | None]:
        rows = write([*objects, *others], observations)
        return {check.claim.object for row in rows for check in row.claims if check.claim.kind == "approach"}

    x, y, z = cabinet.obb.center
    before = replace(cabinet, id="sofa", category="sofa", obb=replace(cabinet.obb, center=(x, y - 0.9, z)))
    assert cabinet.id in approached()
    assert cabinet.id in approached(replace(before, obb=replace(before.obb, center=(x + 2.5, y - 0.9, z))))
    assert cabinet.id not in approached(before)
    assert cabinet.id not in approached_in_a_glimpse(objects, observations, cabinet.id)


def approached_in_a_glimpse(objects, observations, name: str) -> set[str | None]:
    """What is walked up to if a thing comes into view in the last two frames only."""
    last = make_world().trajectory.frames[-2:]
    brief = [replace(one, frames=tuple(last)) if one.id == name else one for one in objects]
    kept = [one for one in observations if one.object != name or one.frame in last]
    rows = write(brief, kept)
    return {check.claim.object for row in rows for check in row.claims if check.claim.kind == "approach"}


def test_a_second_thing_of_a_name_is_another_one():
    objects, observations = corridor()
    alike = {"lamp", "sofa"}
    same = [replace(one, category="chair", color="black") if one.category in alike else one for one in objects]
    texts = [
        row.text for row in write([one for one in same if one.category], observations) if row.kind == "instruction"
    ]
    assert texts
    assert not any(text.count(" a chair") > 1 for text in texts)


def test_rooms_are_named_where_they_are_known():
    rows = write(*corridor(), ROOMS)
    for row in rows:
        assert row.accepted
        assert re.match(r"(Start in the hall|In the hall), ", row.text)
        assert re.search(r"enters? the living room", row.text)
        kinds = [(check.claim.kind, check.claim.room) for check in row.claims if check.claim.room is not None]
        assert kinds == [("room", "hall"), ("enter", "living room")]


def test_a_room_where_nobody_was_leaves_the_text():
    """The judge asks the rooms, not the writer."""
    world, objects = make_world(), corridor()[0]
    claims = [Claim("room", "in", first_frame=5, last_frame=5, room=room) for room in ("hall", "kitchen")]
    claims += [Claim("enter", "in", first_frame=at, last_frame=at, room="living room") for at in (34, 36, 45)]
    checks = check_claims(world.scene, world.trajectory, objects, claims, rooms=ROOMS)
    assert [one.true for one in checks] == [True, False, True, True, False]
    assert not any(one.true for one in check_claims(world.scene, world.trajectory, objects, claims))


def test_things_without_category_are_named_only_where_nothing_has_one():
    objects, observations = corridor()
    mixed = [replace(one, category=None, alias="blue object") if one.color == "blue" else one for one in objects]
    assert not any("object" in row.text for row in write(mixed, observations))
    bare = [replace(one, category=None, alias=f"{one.color} object") for one in objects]
    assert all("object" in row.text for row in write(bare, observations))


@pytest.mark.parametrize(("share", "is_told"), [(0.55, False), (0.65, True)])
def test_a_thing_that_may_well_be_something_else_is_not_named(share: float, is_told: bool):
    objects, observations = corridor()
    unsure = (("cabinet", share), ("sofa", 1.0 - share))
    doubted = [replace(one, categories=unsure) if one.category == "cabinet" else one for one in objects]
    assert any("cabinet" in row.text for row in write(doubted, observations)) == is_told


@pytest.mark.parametrize(("told", "words"), [("further", "the lamp in the far distance."), ("near", "the lamp.")])
def test_how_far_it_is_is_told_where_it_is_far(told: Range, words: str):
    objects, observations = corridor()
    rows = write(objects, [replace(one, ranges=(told,)) for one in observations])
    assert any(row.text.startswith(f"Start facing {words}") for row in rows)
    assert all(check.true for row in rows for check in row.claims)


def test_a_range_that_no_frame_measured_is_false():
    world, objects = make_world(), corridor()[0]
    lamp = next(one for one in objects if one.category == "lamp")
    claims = [Claim("see", "facing", lamp.id, first_frame=3, last_frame=3, range=told) for told in ("near", "further")]
    ranges = {lamp.id: {2: ("further",), 3: ("closer", "further")}}
    checks = check_claims(world.scene, world.trajectory, objects, claims, ranges=ranges)
    assert [one.true for one in checks] == [False, True]
    assert not any(one.true for one in check_claims(world.scene, world.trajectory, objects, claims))


@pytest.mark.parametrize(
    ("color", "side", "frame", "is_true"),
    [("red", "left", 4, True), ("red", "right", 4, False), ("green", "right", 10, True), ("blue", "left", 2, False)],
)
def test_sides_are_judged_where_they_are_told(color, side, frame, is_true):
    world, objects = make_world(), corridor()[0]
    one = next(thing for thing in objects if thing.color == color)
    claim = Claim("side", "with", one.id, side, first_frame=frame, last_frame=frame)
    assert check_claims(world.scene, world.trajectory, objects, [claim])[0].true == is_true


def test_two_things_at_one_place_on_two_sides_are_walked_between():
    objects, observations = corridor()
    sofa, lamp = (next(one for one in objects if one.category == name) for name in ("sofa", "lamp"))
    x, y, _ = sofa.obb.center
    opposite = (x, 2.0 * make_world().trajectory.points[0].position[1] - y, lamp.obb.center[2])
    moved = [
        replace(one, obb=replace(one.obb, center=opposite), frames=sofa.frames) if one.id == lamp.id else one
        for one in objects
    ]
    seen = [one for one in observations if one.object != lamp.id]
    seen += [replace(one, object=lamp.id) for one in observations if one.object == sofa.id]
    rows = write(moved, seen)
    told = {row.text for row in rows if " between the " in row.text}
    assert any(re.search(r"between the (sofa and the lamp|lamp and the sofa)", text) for text in told), rows[0].text
    assert all(row.accepted for row in rows if row.text in told)


def test_a_leg_without_a_goal_ends_where_a_thing_is_on_a_side():
    """The only thing with a name stands ahead and to the right where the first leg ends: it is not passed."""
    objects, observations = corridor()
    chair = next(one for one in objects if one.category == "chair")
    end = make_world().trajectory.points[33].position
    beside = replace(
        chair, obb=replace(chair.obb, center=(end[0] + 1.2, end[1] - 0.8, 0.4)), frames=tuple(range(20, 35))
    )
    seen = [replace(one, object=chair.id, frame=frame) for one in observations[:1] for frame in beside.frames]
    width = make_world().scene.models[0].camera.width
    seen = [replace(one, box_xyxy=(0.6 * width, 20.0, 0.95 * width, 120.0)) for one in seen]
    texts = [row.text for row in write([beside], seen) if row.kind == "instruction"]
    assert any("until the chair is on your right" in text for text in texts), texts
