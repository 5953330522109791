"""The rows of the kind `navigation`: texts about ways, and about single views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from instructions.records import ClaimCheck
from instructions.rows import Row

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
