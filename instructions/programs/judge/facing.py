"""Directions for one who stands at a thing: whether they may be asked."""

from __future__ import annotations

from math import atan2, degrees, hypot

from instructions.facts.between import horizontal_distance
from instructions.facts.facing import measure_facing_bearing_deg
from instructions.facts.measured import Measured
from instructions.facts.verdict import SIGMAS
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.truths import Judged
from instructions.programs.reference import analyse
from instructions.programs.reference.facing import BACK_FROM_DEG, measure_route_bearings_deg
from instructions.programs.types import ProgramType
from instructions.programs.world import Given

Things = tuple[str, ...]
_LEVEL, _ACROSS = (0.0, 180.0, -180.0), (90.0, -90.0)
"""Bearings between right and left, and between front and back."""
_BACK = (BACK_FROM_DEG, -BACK_FROM_DEG)


def judge_facing(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Standing at A, facing B: where is C."""
    stand, look, target = (asker.known(name).body for name in things)
    reason = find_crowd(asker, (things[0], things[1]), (things[0], things[2]))
    if reason is not None:
        return reason
    bearing = measure_facing_bearing_deg(stand.center, look.center, target.center)
    sigma = estimate_bearing_sigma(asker, things[0], things[1], things[2])
    return _judge_borders(asker, kind, things, given, [(bearing, sigma)], _borders_of(kind, given))


def judge_route(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """From A facing B to C and on to D."""
    a, b, c, d = things
    reason = find_crowd(asker, (a, b), (a, c), (c, d))
    if reason is not None:
        return reason
    first, second = measure_route_bearings_deg([asker.scene.things[name] for name in things])
    if min(abs(first), abs(second)) < _LEAST_TURN_DEG:
        return "near_border"
    bearings = [(first, estimate_bearing_sigma(asker, a, b, c)), (second, estimate_bearing_sigma(asker, c, a, d))]
    return _judge_borders(asker, kind, things, given, bearings, (*_LEVEL, *_BACK))


_LEAST_TURN_DEG = 30.0
"""Less is going straight on."""


def _borders_of(kind: ProgramType, given: Given) -> tuple[float, ...]:
    if kind.name == "vsi_direction_medium":
        return (0.0, *_BACK)
    if given.word == "left_right":
        return _LEVEL
    return _ACROSS if given.word == "front_back" else (*_LEVEL, *_ACROSS)


def find_crowd(asker: SetAsker, *pairs: tuple[str, str]) -> str | None:
    """Why nobody can stand there and tell directions, or None."""
    least = asker.own.least_stand_m * asker.metre
    near = any(horizontal_distance(asker.known(a).body, asker.known(b).body) < least for a, b in pairs)
    return "stands_too_near" if near else None


def estimate_bearing_sigma(asker: SetAsker, stand: str, look: str, target: str) -> float:
    """Error of a direction by the boxes of all three, in degrees."""
    out = []
    for name in (look, target):
        away = horizontal_distance(asker.known(stand).body, asker.known(name).body)
        out.append(atan2(asker.sigma(stand, name), away))
    return degrees(hypot(*out))


def _judge_borders(
    asker: SetAsker,
    kind: ProgramType,
    things: Things,
    given: Given,
    bearings: list[tuple[float, float]],
    borders: tuple[float, ...],
) -> Judged | str:
    evidence = []
    for bearing, sigma in bearings:
        margin = max(asker.own.off_border_deg, SIGMAS * sigma)
        if min(abs(bearing - border) for border in borders) < margin:
            return "near_border"
        evidence += [Measured("bearing", bearing, "deg", sigma), Measured("margin", margin, "deg", 0.0)]
    return Judged(analyse(kind.name, things, asker.scene, given), evidence=tuple(evidence))
