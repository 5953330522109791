"""Plain sentences that a turn makes or denies, with what they are about."""

from __future__ import annotations

from dataclasses import dataclass

from instructions.dialogues.turn_marks import FAMILIES
from instructions.wording.english import NUMBER_WORDS, pluralize, with_article

_RELATIONS = {
    "left": ("left of", ""), "right": ("right of", ""), "near": ("nearer", " than"), "front": ("nearer", " than"),
    "far": ("farther", " than"),
    "tall": ("taller", " than"), "short": ("shorter", " than"),
    **dict.fromkeys(("on", "under", "carry", "upper", "lower"), ("on", "")),
}  # fmt: skip


@dataclass(frozen=True)
class Statement:
    """One plain sentence that a turn makes, or denies."""

    family: str
    text: str
    denied: bool = False
    relation: str = ""
    """Of a family with relations: `left of`, `nearer`, `taller`, `on`; or the side of a thing."""
    things: tuple[str, ...] = ()
    """Kinds that it is about, subject first."""
    value: float | str | None = None
    bound: str = ""
    """Of a number that is none of its own: `<`, `<=`, `>` or `>=` the value."""


def compare(mark: str, a: str, b: str, denied: bool = False) -> Statement:
    """A relation of two kinds, by its mark: what carries or is under another has it on top."""
    if mark in ("carry", "under", "lower"):
        a, b = b, a
    relation, link = _RELATIONS[mark]
    text = f"The {a} is {relation}{link} the {b}."
    return Statement(FAMILIES[mark], text, denied, relation, (a, b))


def put_on_side(thing: str, side: str, denied: bool) -> Statement:
    """That a thing is on the left or right of the view."""
    return Statement("side", f"The {thing} is on the {side}.", denied, "side", (thing,), side)


def paint(kind: str, word: str, denied: bool = False) -> Statement:
    """The colour of a thing."""
    return Statement("colour", f"The {kind} is {word}.", denied, things=(kind,), value=word)


def stand_on_floor(thing: str, denied: bool) -> Statement:
    """That a thing stands on nothing but the floor."""
    return Statement("on", f"The {thing} is on the floor.", denied, "floor", (thing,))


def bound_count(bound: str, number: int, kind: str) -> Statement:
    """That there are more or fewer of a kind than so many."""
    return Statement(
        "count", f"There are {bound} {number} {pluralize(kind)}.", things=(kind,), value=number, bound=bound
    )


def bound_distance(bound: str, metres: float, kind: str) -> Statement:
    """That a thing is nearer or farther than a length."""
    text = f"The {kind} is {bound} {metres:g} metres away."
    return Statement("distance", text, things=(kind,), value=metres, bound=bound)


def count(number: int, kind: str) -> Statement:
    """How many there are of a kind."""
    word = NUMBER_WORDS[number] if number < len(NUMBER_WORDS) else str(number)
    text = f"There are {word} {pluralize(kind)}." if number != 1 else f"There is only one {kind}."
    return Statement("count", text, things=(kind,), value=float(number))


def show(kind: str, denied: bool) -> Statement:
    """That a kind is there."""
    return Statement("visible", f"There is {with_article(kind)}.", denied, things=(kind,))
