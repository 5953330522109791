"""What the check of a navigation text found: its claims, and why it is rejected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from instructions.records import Claim, ClaimCheck
from instructions.tour import Tour
from instructions.truth.check import TEXT_FAULTS, TextCheck

NO_LANDMARK = "no_landmark"
REASONS = {
    **TEXT_FAULTS,
    "no_destination": "an instruction does not name the thing its way ends at",
    "needs_poses": "a text about frames without poses tells how the camera moved or how near it came",
    "no_movement": "the camera hardly moves on the way, so there is nothing to tell",
    NO_LANDMARK: "a text names no room and nothing of a known kind, so that it would fit many other ways",
}
"""A sentence by code."""


def has_landmark(claims: Iterable[Claim], tour: Tour) -> bool:
    """Whether a text names a room or a thing by which one knows the way.

    Args:
        claims: What the text says.
        tour: Where a network looked for kinds of things, only those count that have a kind; without, things told by
            size and colour count.
    """
    is_named = bool(tour.detections) or any(one.category is not None for one in tour.objects)
    known = {one.id for one in tour.objects if one.category is not None or not is_named}
    return any(claim.room is not None or claim.object in known for claim in claims)


def list_claims(checked: TextCheck, frames: Sequence[int]) -> tuple[ClaimCheck, ...]:
    """What a text that was read back says, with the frames of the walk that it was held against."""
    found: list[ClaimCheck] = []
    for one in checked.checks:
        told, span = one.told, one.span
        first, last = (None, None) if span is None else (frames[span.first], frames[span.last])
        thing = told.things[0] if told.things else None
        claim = Claim(told.kind, told.words, thing, told.side, first_frame=first, last_frame=last, room=told.room)
        found.append(ClaimCheck(claim, one.true, one.reason))
    return tuple(found)
