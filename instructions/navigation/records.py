"""The rows of the kind `navigation`: texts about ways, and about single views; and why such a text is rejected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from instructions.records import Claim, ClaimCheck
from instructions.rows import Row
from instructions.tour import Tour

KIND = "navigation"

InstructionKind = Literal[
    "description", "instruction", "rooms", "room_objects", "room_objects_spatial", "room_objects_target"
]
"""`description` tells the way walked; `instruction` asks for it and ends at a destination. The others describe the way
by the rooms in order, by rooms and things, by rooms and the places of things, and as the way to a thing."""


@dataclass(frozen=True, kw_only=True)
class Instruction(Row):
    """One instruction or description, with everything it was made from. `views` stand for the way."""

    trajectory: str
    """Empty for frames without poses, as is the model then."""
    kind: InstructionKind
    text: str
    objects: tuple[str, ...]
    """Ids of the things it names."""
    spatial_lines: tuple[str, ...] = ()
    """The views in words."""
    dropped: tuple[ClaimCheck, ...] = ()
    """Claims that were left out of the text because geometry contradicts them."""


@dataclass(frozen=True, kw_only=True)
class ViewDescription(Row):
    """What one view shows, as question and answer."""

    kind: Literal["view"] = "view"
    question: str
    text: str
    """The answer: things by side and range."""
    room: str | None


NavigationText = Instruction | ViewDescription
"""What people read and judge."""


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
