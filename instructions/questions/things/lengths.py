"""How high, wide, far up or away a thing of a view is, how far two are apart, the clock, and what stands on what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import atan2, degrees, hypot

from instructions.facts import sizes
from instructions.facts.between import footprint_overlap, horizontal_distance
from instructions.facts.facing import clock_direction, off_half_hour_deg
from instructions.facts.verdict import SIGMAS, Measured
from instructions.questions.core.asker import Asker
from instructions.questions.core.types import QuestionType
from instructions.questions.core.view_sets import Judged, refuse, require
from instructions.questions.core.world import Given, Ids

MEASURES: Mapping[str, Callable[..., float]] = {
    "height": lambda asker, one: sizes.height(one.body),
    "width": lambda asker, one: sizes.width(one.body, asker.view.viewer),
    "elevation": lambda asker, one: sizes.elevation(one.body, asker.view.model.floor_z),
    "camera_distance": lambda asker, one: sizes.camera_distance(one.body, asker.view.viewer),
    "distance": lambda asker, a, b: asker.pairs.of(a, b).distance,
    "horizontal_distance": lambda asker, a, b: horizontal_distance(a.body, b.body),
    "vertical_distance": lambda asker, a, b: abs(asker.pairs.of(a, b).vertical),
    "gap": lambda asker, a, b: asker.pairs.of(a, b).gap,
    "passage": lambda asker, a, b: asker.pairs.of(a, b).passage,
}
"""Lengths by type: `(asker, *things)`, in the model's unit. An elevation needs a floor."""


def judge_length(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Height, width, elevation or distance from the camera of one thing."""
    one = asker.known(things[0])
    refuse(asker.hide_sizes(*things))
    if kind.name in ("height", "elevation"):
        refuse(asker.hide_foot(one.id))
    require(kind.name != "elevation" or asker.view.model.floor_z is not None, "no_floor")
    is_turned = sizes.measure_facing_deg(one.body, asker.view.viewer) > asker.bars.most_turned_deg
    sigma = {"elevation": one.sigma, "camera_distance": hypot(one.sigma, asker.standpoint.eye_sigma)}.get(
        kind.name, 2**0.5 * one.sigma
    )
    value = MEASURES[kind.name](asker, one)
    return asker.judge_length(kind, things, value, sigma, only_as_seen=kind.name == "width" and is_turned)


def judge_clock(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """At which hour of the clock a thing is."""
    viewer, one = asker.view.viewer, asker.known(things[0])
    bearing = viewer.measure_bearing_deg(one.body.center)
    away = max(hypot(viewer.lateral(one.body.center), viewer.distance_ahead(one.body.center)), 1e-9)
    sigma = degrees(hypot(atan2(one.sigma, away), asker.standpoint.turn_sigma))
    margin = max(asker.bars.off_half_hour_deg, SIGMAS * sigma)
    require(off_half_hour_deg(bearing) >= margin, "between_hours")
    hour = clock_direction(bearing)
    evidence = Measured("bearing", bearing, "deg", sigma), Measured("margin", margin, "deg", 0.0)
    return Judged(str(hour), Measured("clock", hour, "hour", 0.0), evidence)


def judge_apart(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """How far two things are from each other, between the middles or between the nearest points."""
    if kind.name in ("gap", "passage"):
        refuse(asker.hide_sizes(*things))
        require(not asker.pair(*things).is_nested, "inside_other")
    if kind.name == "passage":
        refuse(hide_off_floor(asker, things))
    value = MEASURES[kind.name](asker, *map(asker.known, things))
    return asker.judge_length(kind, things, value, asker.pair(*things).sigma)


def hide_off_floor(asker: Asker, things: Ids) -> str | None:
    """Why nobody walks between two things, or None: one does not stand on the floor."""
    floor_z = asker.view.model.floor_z
    if floor_z is None:
        return "no_floor"
    reach = asker.bars.on_floor_m * asker.metre
    return "not_on_floor" if any(abs(asker.known(thing).body.bottom - floor_z) > reach for thing in things) else None


def judge_stands_on(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Of the upper one whether it stands on the lower one."""
    if asker.pair(*things).bottoms < 0.0:
        things = things[::-1]
    pair = asker.pair(*things)
    found = pair.stands_on
    require(found.state is not None, found.reason)
    evidence = (
        Measured("bottom of A above top of B", found.value, asker.unit, found.sigma),
        Measured("share of A's footprint over B", footprint_overlap(pair.a.body, pair.b.body), "ratio", 0.0),
    )
    return Judged("yes" if found.state else "no", evidence=evidence, things=things)
