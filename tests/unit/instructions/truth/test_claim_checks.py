from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from instructions.navigation.grammar_writer import write_instructions
from instructions.records import Claim, SceneObject, Side
from instructions.truth.claims import check_claims, untold_turn_deg
from tests.support.cases import each_case
from tests.support.worlds.boxworld import World, make_world, true_objects
from tests.support.worlds.made_walks import random_world

OPPOSITE: dict[Side, Side] = {"left": "right", "right": "left"}


@cache
def corridor() -> tuple[World, dict[str, SceneObject]]:
    world = make_world()
    objects, _ = true_objects(world)
    return world, {thing.color or "": thing for thing in objects}


def check(kind, color=None, side=None, angle=None, first=1, last=51):
    world, things = corridor()
    thing = things[color].id if color else None
    claim = Claim(kind, "words", thing, side, angle, first, last)
    return check_claims(world.scene, world.trajectory, list(things.values()), [claim])[0]


# The walk: frames 1 to 30 along +x for 6.8 m, 30 to 36 turn left by 90 degrees, 36 to 51 along +y for 3.6 m.
TRUE = [
    ("walk", None, None, 0.0, 1, 30),
    ("turn", None, "left", 90.0, 30, 36),
    ("pass", "red", "left", None, 1, 30),
    ("pass", "green", "right", None, 1, 30),
    ("pass", "yellow", "right", None, 36, 51),
    ("approach", "blue", None, None, 36, 51),
    ("stop_at", "blue", None, None, 51, 51),
]
FALSE = [
    ("walk", None, None, 180.0, 1, 30),  # backwards
    ("walk", None, None, 0.0, 30, 36),  # turned on the spot
    ("turn", None, "right", -90.0, 30, 36),
    ("turn", None, "left", 90.0, 1, 30),  # went straight
    ("turn", None, "left", 30.0, 30, 36),  # wrong size
    ("turn", None, None, 180.0, 30, 36),
    ("pass", "red", "right", None, 1, 30),
    ("pass", "green", "left", None, 1, 30),
    ("pass", "blue", "left", None, 1, 30),  # stays ahead
    ("pass", "red", "left", None, 20, 30),  # was behind already
    ("pass", "red", "left", None, 1, 8),  # not yet passed
    ("approach", "red", None, None, 20, 30),
    ("approach", "green", None, None, 36, 51),
    ("stop_at", "red", None, None, 51, 51),
    ("stop_at", "blue", None, None, 36, 36),  # still far away
    ("leave", "blue", None, None, 36, 51),
]


@pytest.mark.parametrize("told", TRUE, ids=str)
def test_what_happened_is_true(told):
    assert check(*told).true, check(*told).reason


@each_case("told", FALSE, ids=str)
def test_what_did_not_happen_is_false(told):
    assert not check(*told).true, check(*told).reason


def test_what_is_left_behind():
    world = make_world(legs=(("turn", 180.0), ("walk", 3.0)), start=(3.0, -1.0, 0.0))
    objects, _ = true_objects(world)
    green = next(thing for thing in objects if thing.color == "green")
    claim = Claim("leave", "words", green.id, None, None, world.model.frames[0], world.model.frames[-1])
    assert check_claims(world.scene, world.trajectory, objects, [claim])[0].true


def test_an_object_nobody_knows_or_a_frame_outside_the_walk_is_false():
    world, things = corridor()
    claims = [Claim("pass", "words", "0_99", "left", None, 1, 30), Claim("walk", "words", None, None, 0.0, 1, 999)]
    assert [one.true for one in check_claims(world.scene, world.trajectory, list(things.values()), claims)] == [
        False,
        False,
    ]


def test_an_object_that_was_never_in_view_is_not_passed():
    world, things = corridor()
    blind = replace(things["red"], frames=())
    claim = Claim("pass", "words", blind.id, "left", None, 1, 30)
    assert not check_claims(world.scene, world.trajectory, [blind], [claim])[0].true


def test_claims_out_of_order_are_false():
    world, things = corridor()
    turn = Claim("turn", "turn left", None, "left", 90.0, 30, 36)
    walk = Claim("walk", "walk forward", None, None, 0.0, 1, 30)
    red = Claim("pass", "red", things["red"].id, "left", None, 1, 30)
    green = Claim("pass", "green", things["green"].id, "right", None, 1, 30)
    objects = list(things.values())

    def verdicts(*claims):
        return [one.true for one in check_claims(world.scene, world.trajectory, objects, claims)]

    assert verdicts(walk, red, green, turn) == [True] * 4
    assert verdicts(turn, walk) == [True, False]
    assert verdicts(walk, green, red) == [True, True, False]


def test_a_turn_that_no_claim_tells_is_measured():
    world, _ = corridor()
    turn = Claim("turn", "turn left", None, "left", 90.0, 30, 36)
    assert untold_turn_deg(world.trajectory, [turn], 1, 51) == pytest.approx(0.0, abs=1e-6)
    assert untold_turn_deg(world.trajectory, [], 1, 51) == pytest.approx(90.0, abs=1e-6)


def corrupt(claim: Claim, others: list[SceneObject]) -> list[Claim]:
    """Claims that differ in one thing a reader would rely on: side, or an object that is somewhere else."""
    out = []
    if claim.side in OPPOSITE:
        angle = -claim.angle_deg if claim.angle_deg is not None else None
        out.append(replace(claim, side=OPPOSITE[claim.side], angle_deg=angle))
    if claim.object is not None:
        out.append(replace(claim, object="0_99"))
        out += [replace(claim, object=other.id) for other in others if other.id != claim.object]
    return out


def test_true_claims_are_kept_and_corrupted_ones_are_caught():
    kept = told = caught = spoiled = 0
    for seed in range(25):
        world = random_world(seed)
        objects, observations = true_objects(world)
        rows = write_instructions(world.scene, [world.trajectory], objects, observations)
        for row in rows:
            told += len(row.claims) + len(row.dropped)
            kept += sum(one.true for one in row.claims)
            # An invented landmark: one that is nowhere near this way.
            ids = {one.claim.object for one in row.claims}
            far = [thing for thing in objects if thing.id not in ids]
            for one in row.claims:
                wrong = corrupt(one.claim, far)
                verdicts = check_claims(world.scene, world.trajectory, objects, wrong)
                for verdict in verdicts:
                    alone = check_claims(world.scene, world.trajectory, objects, [verdict.claim])[0]
                    caught += not alone.true
                    spoiled += 1
    assert told > 200
    assert kept >= 0.98 * told
    assert spoiled > 300
    assert caught >= 0.95 * spoiled, (caught, spoiled)
