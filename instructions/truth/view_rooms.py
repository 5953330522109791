"""Rooms in texts about a view: which claims a sentence makes about them, and what is known of each.

A text may say where the view was taken (`This is the kitchen.`) or where a thing stands (`[1] is in the kitchen.`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instructions.truth.names import Item, is_strange
from instructions.truth.view_claims import State, ViewBars, ViewClaim
from instructions.view import SeenThing, View

_BETWEEN = r"(?:(?: ,)? (?!and\b|but\b|because\b|than\b|while\b|whereas\b|where\b)[a-z'-]+){0,7}?(?: ,)?"
_INSIDE = r"(?:in|inside|within|part of|belongs to|belong to)"
_SAYS = r"(?:in|inside|within|is|are|looks like|shows|show|of|see|sees|entered|inside of)"
_OF_THING = re.compile(rf"\b(?P<a>T\d+){_BETWEEN} {_INSIDE}(?: not)? (?P<r>R\d+)\b")
_HOLDS = re.compile(r"\b(?P<r>R\d+) (?:is where (?:[a-z]+ ){0,3}|(?:has|holds|contains) )(?P<a>T\d+)\b")
_OF_VIEW = re.compile(rf"(?P<before>\b[TU]\d+ )?\b(?P<says>{_SAYS})(?P<no> not)?(?: also| really)? (?P<r>R\d+)\b")
_SHARED_NAMES = ({"hall", "entrance"}, {"bathroom", "toilet"}, {"study", "library"})
"""Labels of one and the same room in the mouths of two people."""
_MOSTLY = 0.5
"""Share of the things in view that stand in another room, from which on the view may well be called by that one."""
Finding = tuple[State, str, float | None, float | None]


@dataclass(frozen=True)
class RoomWords:
    """A place of a sentence that says something of a room."""

    match: re.Match[str]
    room: str
    """Its mark."""
    thing: str | None
    """Mark of the thing that is said to be in it; None for the view itself."""


def find_room_words(text: str, shown: Sequence[str] = ()) -> Iterator[RoomWords]:
    """Claims about rooms in a marked sentence (`T0 is in R0`), each mark of a room once.

    Args:
        text: The sentence.
        shown: Marks of rooms that are said to be here (`this bathroom`).
    """
    told: set[str] = set()
    for match in (*_OF_THING.finditer(text), *_HOLDS.finditer(text)):
        if match["r"] not in told and not _names_a_thing(text, match.end("r")):
            told.add(match["r"])
            yield RoomWords(match, match["r"], match["a"])
    for mark in shown:
        match = re.search(rf"\b{mark}\b", text)
        if match is not None and mark not in told and not _names_a_thing(text, match.end()):
            told.add(mark)
            yield RoomWords(match, mark, None)
    for match in _OF_VIEW.finditer(text):
        is_other = match["before"] is not None and match["says"] in ("is", "are", "of")  # `T0 is R0`, `T0 of R0`
        if match["r"] not in told and not is_other and not _names_a_thing(text, match.end()):
            told.add(match["r"])
            yield RoomWords(match, match["r"], None)


def shows_room(items: Sequence[Item], place: int) -> bool:
    """`This is the kitchen`: the view is meant, not the thing of the sentence before."""
    following = [item.kind for item in items[place + 1 : place + 5] if item.words not in ("not", "also", "really")]
    return items[place].words != "they" and following[1:2] == ["room"]


def _names_a_thing(text: str, end: int) -> bool:
    """Whether the room's name is the first half of a thing's: `a kitchen counter`, `the office chair`."""
    following = text[end:].split(" ")[1:]  # `R0 is`, `R0 counter`
    return bool(following) and (re.match(r"[TU]\d", following[0]) is not None or is_strange(following[0]))


def judge_room(claim: ViewClaim, view: View, bars: ViewBars) -> Finding:
    """What is known of where the view was taken."""
    found = _judge(view.room, view.room_probability, claim, bars, "the room")
    known = [one for one in view.things if one.room is not None and one.visible_fraction >= bars.visible]
    there = sum(one.room == claim.value for one in known)
    is_standpoint = claim.words.startswith(("in ", "inside ", "within "))
    if found[0] == "false" and not is_standpoint and known and there >= _MOSTLY * len(known):
        return "unknown", f"{found[1]}, but {there} of {len(known)} things in view are in the {claim.value}", None, None
    return found


def judge_place(claim: ViewClaim, bars: ViewBars, thing: SeenThing) -> Finding:
    """What is known of the room that a thing stands in."""
    return _judge(thing.room, thing.room_probability, claim, bars, "it is in")


def _judge(room: str | None, sure: float, claim: ViewClaim, bars: ViewBars, words: str) -> Finding:
    told = f"{words}: {room or 'not known'}, {sure:.2f} sure"
    if room is None or sure < bars.room_probability:
        return "unknown", told, sure, sure - bars.room_probability
    if room == claim.value:
        return "true", told, sure, sure - bars.room_probability
    is_shared = any(room in group and claim.value in group for group in _SHARED_NAMES)
    return ("unknown" if is_shared else "false"), told, sure, None
