"""Questions about one thing of a view: how high, wide, far up, how far away, and at which hour of the clock."""

from __future__ import annotations

from math import atan2, degrees, hypot

from instructions.asking.gates import hide_foot
from instructions.facts import sizes
from instructions.facts.facing import clock_direction, off_half_hour_deg
from instructions.facts.measured import Measured
from instructions.facts.verdict import SIGMAS
from instructions.questions.core.types import TYPES, QuestionType
from instructions.questions.things.asker import ViewAsker
from instructions.view import SeenThing


def ask_single(asker: ViewAsker, one: SeenThing, hidden: str | None) -> None:
    """Ask all types about one thing; `hidden` is why the thing itself cannot be asked about, if anything."""
    viewer, body = asker.view.viewer, one.body
    for name in ("height", "width", "elevation", "camera_distance", "clock"):
        kind = TYPES[name]
        sides = name in ("width", "clock")
        reason = hidden or asker.find_lack(kind, sides=sides)
        if reason is None and name != "clock":
            reason = asker.hide_sizes(one)
        if reason is None and name in ("height", "elevation"):
            reason = hide_foot(one.known, asker.view.model.floor_z, asker.metre)
        if reason is not None:
            asker.refuse(reason, kind)
        elif name == "clock":
            _ask_clock(asker, kind, one)
        elif name == "height":
            asker.ask_length(kind, (one,), sizes.height(body), 2**0.5 * one.sigma)
        elif name == "width":
            turned = sizes.measure_facing_deg(body, viewer) > asker.bars.most_turned_deg
            asker.ask_length(kind, (one,), sizes.width(body, viewer), 2**0.5 * one.sigma, only_as_seen=turned)
        elif name == "elevation":
            floor_z = asker.view.model.floor_z
            if floor_z is None:
                asker.refuse("no_floor", kind)
            else:
                asker.ask_length(kind, (one,), sizes.elevation(body, floor_z), one.sigma)
        else:
            sigma = hypot(one.sigma, asker.eye_sigma)
            asker.ask_length(kind, (one,), sizes.camera_distance(body, viewer), sigma)


def _ask_clock(asker: ViewAsker, kind: QuestionType, one: SeenThing) -> None:
    viewer, body = asker.view.viewer, one.body
    bearing = viewer.measure_bearing_deg(body.center)
    away = max(hypot(viewer.lateral(body.center), viewer.distance_ahead(body.center)), 1e-9)
    sigma = degrees(hypot(atan2(one.sigma, away), asker.turn_sigma))
    margin = max(asker.bars.off_half_hour_deg, SIGMAS * sigma)
    if off_half_hour_deg(bearing) < margin:
        asker.refuse("between_hours", kind)
        return
    hour = clock_direction(bearing)
    evidence = (Measured("bearing", bearing, "deg", sigma), Measured("margin", margin, "deg", 0.0))
    asker.ask(kind, (one,), value=str(hour), measured=Measured("clock", hour, "hour", 0.0), evidence=evidence)
