"""Is what a text says of rooms and the things in them true? Each claim is looked for on the way, in the order told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from instructions.claims.stretches import (
    find_approaches,
    find_entries,
    find_exits,
    find_facing,
    find_in_view,
    find_on_side,
    find_passes,
    find_stays_in,
    find_stops,
)
from instructions.facts.way import Span, WayGeometry
from instructions.records import Claim, ClaimCheck

SLACK_S = 1.2
"""What is told later may have happened by so much earlier."""
END_S = 2.0
"""What a way ends at is so within this of its last moment."""
_MOMENTS = ("enter", "exit", "side")
_WHY_NOT = {
    "enter": "it does not enter this room",
    "exit": "it does not leave this room",
    "room": "it is not in this room",
    "side": "it is not seen on that side",
    "see": "it is not in view on this way",
    "front": "it is never ahead",
    "stop": "the way does not end in front of it",
    "end facing": "the way does not end facing it",
}


def check_stays(groups: Sequence[Sequence[Claim]], way: WayGeometry) -> tuple[ClaimCheck, ...]:
    """Look for every claim on a way.

    Args:
        groups: Claims without frames in the order told; those of one group have no order among themselves.
        way: Where to look.

    Returns:
        One check per claim, in order, with the frames of the stretch where it was found.
    """
    checks: list[ClaimCheck] = []
    began = float(way.times[0])
    for group in groups:
        moments: list[float] = []
        others: list[float] = []
        for claim in group:
            check, first_s = _check(claim, way, began)
            checks.append(check)
            if check.true and claim.kind in _MOMENTS:
                moments.append(first_s)
            elif claim.kind not in ("see", "room"):
                others.append(first_s)
        if moments:
            began = max(began, *moments)
        elif others:
            began = min(others)
    return tuple(checks)


def _check(claim: Claim, way: WayGeometry, began: float) -> tuple[ClaimCheck, float]:
    """The check of a claim, and the moment from which on it is true."""
    spans = _find_spans(claim, way)
    if claim.kind in ("stop", "end facing"):
        ending = float(way.times[-1]) - END_S
        spans = [span for span in spans if way.walk.time_s[span.last] >= ending]
    if not spans:
        return ClaimCheck(claim, False, _why_not(claim, way)), began
    frames = way.walk.frames
    for span in spans:
        first_s, last_s = (float(way.walk.time_s[index]) for index in (span.first, span.last))
        if last_s >= began - SLACK_S:
            found = replace(claim, first_frame=frames[span.first], last_frame=frames[span.last])
            return ClaimCheck(found, True, _when(frames, span)), max(first_s, min(began, last_s))
    found = replace(claim, first_frame=frames[spans[-1].first], last_frame=frames[spans[-1].last])
    return ClaimCheck(
        found, False, f"happens before what the text mentions before it ({_when(frames, spans[-1])})"
    ), began


def _find_spans(claim: Claim, way: WayGeometry) -> list[Span]:
    """Where a claim is true, in time order."""
    if claim.room is not None:
        find = {"enter": find_entries, "exit": find_exits}.get(claim.kind, find_stays_in)
        return find(way, claim.room)
    if claim.object is None:
        raise AssertionError(f"a claim of kind {claim.kind} about nothing")
    if claim.kind == "side" and claim.side is not None:
        return find_on_side(way, claim.object, claim.side)
    if claim.kind == "front":
        spans = [*find_facing(way, claim.object), *find_approaches(way, claim.object)]
        return sorted(spans, key=lambda span: (span.first, span.last))
    find_thing = {"stop": find_stops, "end facing": find_facing}.get(claim.kind, find_in_view)
    return find_thing(way, claim.object)


def _why_not(claim: Claim, way: WayGeometry) -> str:
    if claim.room is not None:
        return f"{_WHY_NOT[claim.kind]}; rooms here: {', '.join(room for room, _ in way.stays)}"
    sides = sorted({side for _, side in find_passes(way, claim.object or "")})
    if claim.kind == "side" and sides:
        return f"it is passed on the {' and on the '.join(sides)}"
    return _WHY_NOT[claim.kind]


def _when(frames: Sequence[int], span: Span) -> str:
    first, last = frames[span.first], frames[span.last]
    return f"frame {first}" if first == last else f"frames {first} to {last}"
