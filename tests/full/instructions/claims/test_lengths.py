"""How far a walk goes: told where nothing else tells it, and held against the path."""

from dataclasses import replace

import pytest

from instructions.claims.walk_claims import check_claims
from instructions.facts.walk import Walk
from instructions.navigation.moves.legs import Event, add_extents
from instructions.navigation.moves.motion import find_motion
from instructions.records import Claim
from recon.records import Scale
from tests.support.cases import each_case
from tests.support.worlds.boxworld import World, make_world

METRIC = Scale("metric", 1.0, 0.05, "sensor")


def walk_straight(length_m: float, scale: Scale = METRIC) -> World:
    """A world whose walk goes straight on for so long."""
    world = make_world(legs=[("walk", length_m)])
    model = replace(world.model, scale=scale)
    return replace(world, scene=replace(world.scene, models=(model,)))


def judge(told_m: float | None, length_m: float, scale: Scale = METRIC) -> bool:
    world = walk_straight(length_m, scale)
    ends = world.trajectory.frames[0], world.trajectory.frames[-1]
    claim = Claim("length", "words", first_frame=ends[0], last_frame=ends[1], length_m=told_m)
    return check_claims(world.scene, world.trajectory, (), [claim])[0].true


ASSUMED = Scale("assumed", 1.0, 0.15, "camera height")
RELATIVE = Scale("relative", 1.0, 0.0, "none")
WEAK = Scale("metric", 1.0, 0.3, "things")


@each_case(
    ("told_m", "length_m", "scale", "is_true"),
    [
        (4.0, 5.3, METRIC, True),
        (4.0, 5.8, METRIC, False),
        (4.0, 2.4, METRIC, False),
        (None, 1.5, METRIC, True),
        (None, 3.4, METRIC, False),
        (None, 0.6, METRIC, False),
        (4.0, 4.0, ASSUMED, False),
        (None, 2.0, ASSUMED, True),
        (None, 2.0, RELATIVE, False),
    ],
)
def test_a_length_is_true_within_what_a_person_tells_apart(
    told_m: float | None, length_m: float, scale: Scale, is_true: bool
):
    assert judge(told_m, length_m, scale) == is_true


@pytest.mark.parametrize(
    ("length_m", "scale", "told"),
    [
        (1.0, METRIC, []),
        (1.8, ASSUMED, [None]),
        (1.8, RELATIVE, []),
        (4.2, METRIC, [4.0]),
        (4.2, WEAK, []),
        (4.2, ASSUMED, []),
        (10.5, METRIC, []),
    ],
)
def test_a_walk_whose_end_nothing_tells_gets_a_length(length_m: float, scale: Scale, told: list[float | None]):
    world = walk_straight(length_m, scale)
    motion, frames = find_motion(Walk.of(world.trajectory), 1.0), world.trajectory.frames
    walk = Event("walk", frames[0], frames[-1], angle_deg=0.0)
    found = add_extents(motion, [walk], scale)
    assert [one.length_m for one in found if one.kind == "length"] == told
