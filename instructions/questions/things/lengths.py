"""How high, wide, far up or away a thing of a view is, how far two are apart, the clock, and what stands on what."""

from __future__ import annotations

from math import atan2, degrees, hypot

from instructions.facts import sizes
from instructions.facts.between import footprint_overlap
from instructions.facts.facing import clock_direction, off_half_hour_deg
from instructions.facts.measured import Measured
from instructions.facts.pairs import MOST_INSIDE
from instructions.facts.verdict import SIGMAS
from instructions.questions.core.asker import Asker
from instructions.questions.core.truths import Judged
from instructions.questions.core.types import QuestionType
from instructions.questions.core.world import Given, Ids


def judge_length(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """Height, width, elevation or distance from the camera of one thing."""
    viewer, floor_z, one = asker.view.viewer, asker.view.model.floor_z, asker.known(things[0])
    reason = asker.hide_sizes(*things)
    if reason is None and kind.name in ("height", "elevation"):
        reason = asker.hide_foot(one.id)
    if reason is not None:
        return reason
    if kind.name == "height":
        return asker.judge_length(kind, things, sizes.height(one.body), 2**0.5 * one.sigma)
    if kind.name == "width":
        turned = sizes.measure_facing_deg(one.body, viewer) > asker.bars.most_turned_deg
        width = sizes.width(one.body, viewer)
        return asker.judge_length(kind, things, width, 2**0.5 * one.sigma, only_as_seen=turned)
    if kind.name == "camera_distance":
        sigma = hypot(one.sigma, asker.standpoint.eye_sigma)
        return asker.judge_length(kind, things, sizes.camera_distance(one.body, viewer), sigma)
    if floor_z is None:
        return "no_floor"
    return asker.judge_length(kind, things, sizes.elevation(one.body, floor_z), one.sigma)


def judge_clock(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """At which hour of the clock a thing is."""
    viewer, one = asker.view.viewer, asker.known(things[0])
    bearing = viewer.measure_bearing_deg(one.body.center)
    away = max(hypot(viewer.lateral(one.body.center), viewer.distance_ahead(one.body.center)), 1e-9)
    sigma = degrees(hypot(atan2(one.sigma, away), asker.standpoint.turn_sigma))
    margin = max(asker.bars.off_half_hour_deg, SIGMAS * sigma)
    if off_half_hour_deg(bearing) < margin:
        return "between_hours"
    hour = clock_direction(bearing)
    evidence = Measured("bearing", bearing, "deg", sigma), Measured("margin", margin, "deg", 0.0)
    return Judged(str(hour), Measured("clock", hour, "hour", 0.0), evidence)


def judge_apart(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """How far two things are from each other, between the middles or between the nearest points."""
    pair = asker.pair(*things)
    if kind.name in ("gap", "passage"):
        reason = asker.hide_sizes(*things) or ("inside_other" if max(pair.inside) >= MOST_INSIDE else None)
        if reason is None and kind.name == "passage":
            reason = _off_floor(asker, things)
        if reason is not None:
            return reason
    measures = {
        "distance": lambda: pair.distance,
        "horizontal_distance": lambda: pair.horizontal,
        "vertical_distance": lambda: abs(pair.vertical),
        "gap": lambda: pair.gap,
        "passage": lambda: pair.passage,
    }
    return asker.judge_length(kind, things, measures[kind.name](), pair.sigma)


def _off_floor(asker: Asker, things: Ids) -> str | None:
    floor_z = asker.view.model.floor_z
    if floor_z is None:
        return "no_floor"
    reach = asker.bars.on_floor_m * asker.metre
    return "not_on_floor" if any(abs(asker.known(one).body.bottom - floor_z) > reach for one in things) else None


def judge_stands_on(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """Of the upper one whether it stands on the lower one."""
    if asker.pair(*things).bottoms < 0.0:
        things = things[::-1]
    pair = asker.pair(*things)
    found = pair.stands_on
    if found.state is None:
        return found.reason
    evidence = (
        Measured("bottom of A above top of B", found.value, asker.unit, found.sigma),
        Measured("share of A's footprint over B", footprint_overlap(pair.a.body, pair.b.body), "ratio", 0.0),
    )
    return Judged("yes" if found.state else "no", evidence=evidence, things=things)
