"""A view that is not taken back is a turn to one who follows; a glance and the steps within a turn are not told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.navigation.grammar_writer import write_instructions
from instructions.records import Claim
from instructions.truth.check import check_text
from instructions.truth.claims import check_claims
from tests.support.cases import each_case
from tests.support.worlds.boxworld import World
from tests.support.worlds.moved_walks import KINDS, Phase, look, stand, walk_of
from tests.unit.instructions.navigation.test_motion import SWAPPED, TOLD, events_of, write
from tests.unit.instructions.navigation.test_stops import COUNTER, furnish

LATE_FEET = (stand(2.0, 0.0), Phase(2.0, 0.8, 0.0, 90.0, off_view_deg=90.0), Phase(4.0, off_view_deg=0.0))
"""From facing a counter along it: the feet go left at once, the view turns meanwhile."""
U_TURN = (*LATE_FEET[:2], Phase(3.0, course_turn_deg=90.0, off_view_deg=0.0), Phase(3.0))
STAYS = (Phase(4.0), look(1.3, -95.0, 0.4), stand(1.0, 0.0), Phase(2.5, 0.6, 0.0, 0.0, off_view_deg=90.0))
"""Turns to the side while the last steps go on, stands, and goes on sideways: the view never came back."""
BEYOND = (Phase(4.0), look(1.0, 50.0), stand(3.0, -95.0), Phase(4.0, off_view_deg=0.0))
JITTER = (
    Phase(4.0),
    Phase(0.5, 1.5, 0.0, 10.0, off_view_deg=-90.0),
    stand(2.5, 80.0),
    Phase(4.0, off_view_deg=0.0),
)
"""One pose too far to the side, in the middle of a turn on the spot."""

GOES_ON = (Phase(4.0), look(3.0, -125.0, 0.8), Phase(0.3, 0.8, 0.0, -3.0), Phase(2.0, 0.6, 0.0, -75.0), Phase(2.0, 0.6))
"""Turns about to the right while the feet go straight on, in the end backwards."""


def test_what_is_walked_while_the_view_turns_is_told():
    row = write(GOES_ON)
    assert row.accepted, row.rejection
    assert events_of(row) == ["forward", "sharply right", "back", "slightly right"], row.text


@pytest.mark.parametrize(
    ("phases", "told"),
    [
        pytest.param(LATE_FEET, ["left", "forward"], id="feet that turn after the view"),
        pytest.param(U_TURN, ["sharply left", "forward"], id="a turn that the feet go on with"),
        pytest.param(BEYOND, ["forward", "slightly right", "forward"], id="a glance to the other side first"),
        pytest.param(JITTER, ["forward", "left", "forward"], id="a step aside within a turn"),
    ],
)
def test_what_the_view_keeps_is_one_turn(phases: tuple[Phase, ...], told: list[str]):
    row = write(phases)
    assert row.accepted, row.rejection
    assert events_of(row) == told, row.text
    mirrored = [" ".join(SWAPPED.get(word, word) for word in one.split()) for one in told]
    assert events_of(write(phases, mirrored=True)) == mirrored


def test_a_turn_around_of_view_and_feet_says_which_way():
    row = write(U_TURN)
    assert "round to the left" in row.text
    turn = next(check.claim for check in row.claims if check.claim.kind == "turn")
    assert (turn.side, turn.angle_deg) == ("left", 180.0)
    assert type(turn.angle_deg) is float  # rows are written as JSON


def test_a_view_held_aside_while_the_feet_go_on_is_no_turn():
    row = write(STAYS)
    assert row.accepted, row.rejection
    assert events_of(row) == ["forward", "look right", "aside left"], row.text


@pytest.mark.parametrize(
    ("back_deg", "told"), [(40.0, "make a right turn, keep turning right"), (50.0, "make a right turn, and look left.")]
)
def test_a_turn_without_a_walk_between_goes_on_and_a_look_back_is_told(back_deg: float, told: str):
    phases = (Phase(3.0), stand(2.0, -80.0), stand(2.0, 0.0), look(1.5, back_deg), stand(5.0, -130.0 - back_deg))
    row = write(phases)
    assert row.accepted, row.rejection
    assert told in row.text, row.text
    world = walk_of(phases)
    assert _read_back(world, row.text) is None
    other = row.text.replace("look left", "look right")
    assert other == row.text or _read_back(world, other) is not None


@pytest.mark.parametrize(
    ("phases", "angle_deg", "first_s", "last_s", "is_true"),
    [
        pytest.param(LATE_FEET, 90.0, 1.5, 4.5, True, id="the feet follow"),
        pytest.param(U_TURN, 180.0, 1.5, 8.0, True, id="and go on"),
        pytest.param(U_TURN, 90.0, 1.5, 8.0, False, id="by twice as much"),
        pytest.param(LATE_FEET, -90.0, 1.5, 4.5, False, id="the other side"),
        pytest.param(KINDS["glance"], 75.0, 4.5, 6.0, False, id="half of a glance"),
        pytest.param(KINDS["far glance"], 100.0, 5.5, 7.2, False, id="half of a far glance"),
    ],
)
def test_the_judge_takes_a_turn_of_the_view_only_where_the_feet_follow(phases, angle_deg, first_s, last_s, is_true):
    world = walk_of(phases)
    points = world.trajectory.points
    inside = [point.frame for point in points if first_s <= point.time_s <= last_s]
    claim = Claim("turn", "turn left", None, "left" if angle_deg > 0 else "right", angle_deg, inside[0], inside[-1])
    check = check_claims(world.scene, world.trajectory, (), [claim])[0]
    assert check.true == is_true, check.reason


def _read_back(world: World, text: str, objects=()) -> str | None:
    walk = Walk.of(world.trajectory)
    things = {one.id: one for one in objects}
    return check_text(text, WayGeometry(walk, 0, len(walk.frames) - 1, 1.0, things)).false_because


@each_case("phases", [*(KINDS[kind] for kind in TOLD), LATE_FEET, U_TURN, BEYOND, JITTER])
def test_what_the_writer_tells_of_motion_is_true_when_it_is_read(phases: tuple[Phase, ...]):
    row = write(phases)
    assert row.accepted, row.rejection
    assert _read_back(walk_of(phases), row.text) is None, row.text


def test_what_the_writer_tells_of_things_is_true_when_it_is_read():
    world, objects, observations = furnish(COUNTER)
    objects = [one if one.category != "counter" else _call_long(one) for one in objects]
    rows = write_instructions(world.scene, [world.trajectory], objects, observations)
    assert rows
    assert all(row.accepted for row in rows)
    for row in rows:
        assert _read_back(world, row.text, objects) is None, row.text
    assert _read_back(world, "Walk forward, turn left, and stop in front of the long counter.", objects) is None
    assert _read_back(world, "Walk forward, turn left, and stop in front of the small counter.", objects) is not None


def _call_long(counter):
    return replace(counter, size_word="wide")
