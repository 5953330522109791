from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from instructions.navigation.grammar_writer import write_instructions
from instructions.records import Claim, SceneObject, Side
from instructions.tour import Tour
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


@each_case("told", [*TRUE, *FALSE], ids=str)
def test_what_happened_is_true_and_what_did_not_is_false(told):
    assert check(*told).true is (told in TRUE), check(*told).reason


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
        out += [replace(claim, object=name) for name in ("0_99", *(other.id for other in others))]
    return out


def test_true_claims_are_kept_and_corrupted_ones_are_caught():
    kept = told = 0
    caught: list[bool] = []
    for seed in range(10):
        world = random_world(seed)
        objects, observations = true_objects(world)
        for row in write_instructions(Tour(world.scene, objects, observations), [world.trajectory]):
            told += len(row.claims) + len(row.dropped)
            kept += sum(one.true for one in row.claims)
            named = {one.claim.object for one in row.claims}
            far = [thing for thing in objects if thing.id not in named]  # landmarks that are nowhere near this way
            for wrong in (wrong for one in row.claims for wrong in corrupt(one.claim, far)):
                caught.append(not check_claims(world.scene, world.trajectory, objects, [wrong])[0].true)
    assert told > 80
    assert kept >= 0.98 * told
    assert len(caught) > 120
    assert sum(caught) >= 0.95 * len(caught)
