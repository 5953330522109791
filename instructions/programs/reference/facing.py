"""Standing at A and facing B: where C is, and which way to turn on a route."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.facts.facing import measure_facing, measure_facing_bearing_deg
from instructions.programs.world import Given, ProgramScene, ProgramThing

Things = Sequence[ProgramThing]
BACK_FROM_DEG = 135.0
"""VSI-Bench's border between left or right and back."""


def face_quadrants(things: Things, scene: ProgramScene, given: Given) -> str:
    """One of `front-left`, `front-right`, `back-left`, `back-right`."""
    ahead, right = measure_facing(*(one.body.center for one in things))
    return ("front" if ahead > 0 else "back") + "-" + ("right" if right > 0 else "left")


def face_halves(things: Things, scene: ProgramScene, given: Given) -> str:
    """`left` or `right`, or `front` or `back`."""
    ahead, right = measure_facing(*(one.body.center for one in things))
    if given.word == "left_right":
        return "right" if right > 0 else "left"
    return "front" if ahead > 0 else "back"


def face_thirds(things: Things, scene: ProgramScene, given: Given) -> str:
    """`left`, `right`, or `back` from 135 degrees on."""
    return _name_turn(measure_facing_bearing_deg(*(one.body.center for one in things)))


def plan_route(things: Things, scene: ProgramScene, given: Given) -> str:
    """Turns at A (where B is faced) towards C, and at C towards D."""
    first, second = measure_route_bearings_deg(things)
    return f"turn {_name_turn(first)}, then turn {_name_turn(second)}"


def measure_route_bearings_deg(things: Things) -> tuple[float, float]:
    """Bearings of the next stop at A and at C; right is positive."""
    a, b, c, d = (one.body.center for one in things)
    return measure_facing_bearing_deg(a, b, c), measure_facing_bearing_deg(c, c + (c - a), d)


def _name_turn(bearing_deg: float) -> str:
    if abs(bearing_deg) >= BACK_FROM_DEG:
        return "back"
    return "right" if bearing_deg > 0 else "left"
