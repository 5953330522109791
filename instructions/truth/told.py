"""What a text tells, statement by statement, before anyone has looked whether it is so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from instructions.records import Range, Side

ToldKind = Literal[
    "walk",
    "back",
    "aside",
    "turn",
    "around",
    "circle",
    "pass",
    "approach",
    "leave",
    "stop",
    "end facing",
    "front",
    "side",
    "near",
    "between",
    "range",
    "see",
    "enter",
    "exit",
    "room",
    "rooms",
    "threshold",
    "unknown",
    "length",
    "unreadable",
]


@dataclass(frozen=True)
class Told:
    """One statement of a text."""

    kind: ToldKind
    words: str
    """The words it was read from."""
    rank: float
    """Place in the order of time that the text tells; statements of one rank are not ordered among themselves."""
    things: tuple[str, ...] = ()
    """Ids of all objects the words fit; the statement is true if it is true of one of them."""
    side: Side | None = None
    size: Literal["slight", "wide"] | None = None
    count: int | None = None
    """How many of the things the statement is told of (a plural with a number), or how many rooms."""
    room: str | None = None
    range: Range | None = None
    """How far the text says that the things are."""
    than: tuple[str, ...] = ()
    """Of a range: nearer or further than one of these. Of `between`: the first of the two."""
    length_m: float | None = None
    """Of a length: how far the text says that one walks."""
    is_round: bool = False
    """Of a thing that one walks around: all the way, or just near it."""
    is_loose: bool = False
    """Told out of the order of time (`before reaching the sofa, ...`): what is told later may happen before it."""
    is_start: bool = False
    """Told of where the way begins."""
    is_listed: bool = False
    """Told as one of a list of what one comes to (`first a sofa, then a lamp`): one comes to it after those before."""
    is_end: bool = False
    """Of a room: told of where the way ends."""
    is_walked: bool = False
    """Of what is on a side: told of a stretch that one walks."""
