"""Why a navigation text is rejected: every code that such a row can carry."""

from __future__ import annotations

from collections.abc import Iterable

from instructions.records import Claim
from instructions.tour import Tour

NO_LANDMARK = "no_landmark"
REASONS = {
    "false_claim": "geometry contradicts a statement of the text",
    "untold_turn": "the text leaves out a large part of the turning",
    "other_words": "the words of a reworded text tell something else than its claims, or leave one out",
    "other_meaning": "a second reading says that a reworded text does not tell its claims, or tells more",
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
