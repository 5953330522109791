"""Where on a way one statement is true, whatever else the text says, or why it is true nowhere.

Asks `stretches`, which puts the bars (`StatementBars`) to the measures of the way; nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from instructions.facts.way import Span, WayGeometry
from instructions.records import Side
from instructions.truth.bars import StatementBars
from instructions.truth.motion import WalkMotion
from instructions.truth.ranges import find_compared, find_in_range
from instructions.truth.stretches import (
    find_approaches,
    find_between,
    find_departures,
    find_entries,
    find_exits,
    find_facing,
    find_in_view,
    find_moves,
    find_near,
    find_on_side,
    find_passes,
    find_stays_in,
    find_stops,
    find_walked,
)
from instructions.truth.told import Told

_BARS = StatementBars()


def find_spans(told: Told, way: WayGeometry, motion: WalkMotion) -> tuple[list[Span] | None, str | None]:
    """Where a statement is true, in time order, and if nowhere, why; None for what cannot be measured."""
    if told.kind == "walk":
        return find_moves(way, motion, 0.0, _BARS.walk_off_deg), "it never goes forward here"
    if told.kind == "back":
        return find_moves(way, motion, 180.0, _BARS.move_off_deg), "it never goes backwards here"
    if told.kind == "aside":
        off = {"left": 90.0, "right": -90.0}.get(told.side or "")
        sides = (off,) if off is not None else (90.0, -90.0)
        spans = [span for one in sides for span in find_moves(way, motion, one, _BARS.aside_off_deg)]
        return spans, "it never steps to that side here"
    if told.kind in ("enter", "exit", "room", "rooms"):
        return _room_spans(told, way)
    if told.kind == "threshold":
        changed = len(way.stays) > 1
        return (None, None) if changed else ([], "no change of room is known here")
    if told.kind == "unknown":
        return [], "nothing like this was seen here"
    if told.kind == "length":
        if way.length_sigma is None or told.length_m is None:
            return [], "texts may not give lengths where no scale was measured"
        return find_walked(way, motion, told.length_m, way.length_sigma), "no stretch between two turns is so long"
    if told.kind == "unreadable":
        return [], "says what is not the case, which is not checked"
    spans = [span for name in told.things for span in _thing_spans(told, way, name)]
    if told.is_walked:
        walked = find_moves(way, motion, 0.0, _BARS.walk_off_deg)
        shared = [(max(a.first, b.first), min(a.last, b.last)) for a in spans for b in walked]
        spans = [Span(first, last) for first, last in shared if first < last]
    spans.sort(key=lambda span: (span.first, span.last))
    return spans, None if spans else _why_not(told, way)


def find_arrivals(told: Told, way: WayGeometry, spans: Sequence[Span]) -> list[Span]:
    """Where one comes to what a list tells: into a room, past a thing, or as near to it as one gets.

    Args:
        told: A room or things, one of a list.
        way: Where to look.
        spans: Where the statement is true; what it says of a side has to be so somewhere.
    """
    if told.room is not None:
        return [Span(span.first, span.first) for span in spans]
    if not spans and told.kind != "pass":
        return []
    found: list[Span] = []
    for name in told.things:
        passed = [span for span, side in find_passes(way, name) if told.side in (None, "middle", side)]
        if not passed and told.kind == "pass" and not find_near(way, name):
            continue
        closest = way.things[name].closest(way.first, way.last)
        found += passed or [Span(closest, closest)]
    return sorted(found, key=lambda span: span.first)


def _thing_spans(told: Told, way: WayGeometry, name: str) -> list[Span]:
    if told.kind == "pass":
        return [span for span, side in find_passes(way, name) if told.side in (None, side)]
    if told.kind == "approach":
        return find_approaches(way, name)
    if told.kind == "leave":
        is_behind = "behind" in told.words.split() and "leave" not in told.words and "leaving" not in told.words
        return find_departures(way, name, _BARS if not is_behind else replace(_BARS, leave_m=_BARS.behind_m))
    if told.kind in ("stop", "near") and _is_only_on_the_other_side(told, way, name):
        return []
    if told.kind == "stop":
        return find_stops(way, name)
    if told.kind == "end facing":
        return find_facing(way, name)
    if told.kind == "front":
        if _is_only_on_the_other_side(told, way, name):
            return []
        return [*find_facing(way, name), *find_approaches(way, name)]
    if told.kind == "side" and told.side is not None:
        return find_on_side(way, name, told.side)
    if told.kind == "range" and told.range is not None:
        if told.than:
            return [
                span for other in told.than if other != name for span in find_compared(way, name, other, told.range)
            ]
        return find_in_range(way, name, told.range)
    if told.kind == "between":
        return [span for other in told.than if other != name for span in find_between(way, name, other)]
    return find_near(way, name) if told.kind == "near" else find_in_view(way, name)


def _is_only_on_the_other_side(told: Told, way: WayGeometry, name: str) -> bool:
    """Whether a thing told of one side is only ever seen on the other, as in `look right at the sofa`."""
    if told.side not in ("left", "right"):
        return False
    other: Side = "right" if told.side == "left" else "left"
    return bool(find_on_side(way, name, other)) and not find_on_side(way, name, told.side)


def _why_not(told: Told, way: WayGeometry) -> str:
    """The nearest thing to the statement that did happen."""
    for name in told.things:
        sides = sorted({side for _, side in find_passes(way, name)})
        if told.kind in ("pass", "side") and sides:
            return f"it is passed on the {' and on the '.join(sides)}"
    if not any(find_in_view(way, name) for name in told.things):
        return "it is not in view on this way"
    reasons = {
        "pass": "it is seen but not passed",
        "approach": "the way does not come nearer to it",
        "leave": "the way does not lead away from it",
        "stop": "the way never stands in front of it",
        "front": "it is never ahead",
        "end facing": "it is never ahead",
        "side": "it is not seen on that side",
        "near": "it is never at hand",
        "between": "the way does not lead between the two",
        "range": "it is never seen so near or far",
    }
    return reasons.get(told.kind, "it is not so")


def _room_spans(told: Told, way: WayGeometry) -> tuple[list[Span] | None, str | None]:
    if not way.stays:
        return [], "no rooms are known here"
    if told.kind == "rooms":
        count = len({room for room, _ in way.stays})
        whole = [Span(way.first, way.last)]
        return (whole, None) if told.count in (count, len(way.stays)) else ([], f"{count} rooms are visited")
    room = told.room or ""
    if told.kind == "enter":
        return find_entries(way, room), f"it does not enter this room; rooms here: {_rooms(way)}"
    if told.kind == "exit":
        return find_exits(way, room), f"it does not leave this room; rooms here: {_rooms(way)}"
    return find_stays_in(way, room), f"it is not in this room; rooms here: {_rooms(way)}"


def _rooms(way: WayGeometry) -> str:
    return ", ".join(room for room, _ in way.stays)


def wrong_count(told: Told, way: WayGeometry) -> str | None:
    """Why the number told is not that of the things it is true of; None if it is."""
    count = sum(bool(_thing_spans(told, way, name)) for name in told.things)
    return None if count == told.count else f"{count} of them fit, not {told.count}"
