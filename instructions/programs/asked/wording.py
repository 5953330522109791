"""Reads a freely asked question as one of the types: what it must say, what it may not say, and what it asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from instructions.questions.core.types import QuestionType
from instructions.questions.core.world import Given
from instructions.questions.sets.judging import SET_TYPES, types_of
from instructions.questions.wording.words import UNIT_WORDS as SPOKEN_UNITS

UNASKED = frozenset(
    {"path_length", "room_transitions", "seen_from", *(name for name in SET_TYPES if name.startswith("walk_"))}
)
"""Types that need what programs do not see: the walk between the views, and all stays in rooms."""
_OF_CAMERA = (
    r"(?=.*\b(camera|viewer|view|picture|image))"
    r"(?=.*\b(left|right|front|behind|back|ahead|direction|side|where|quadrant))"
)
MUST_SAY: Mapping[str, str] = {
    "size_estimation": r"height|tall|high|length|long|width|wide|longest",
    "size_comparison": r"tall|high|long|wide|short|narrow|height|length|width|low",
    "volume_estimation": r"volume",
    "volume_comparison": r"volume",
    "above": r"completely above|entirely above",
    "below": r"completely below|entirely below",
    "high_and_low": r"higher|lower",
    "facing_complex": r"facing",
    "facing_simple": r"facing",
    "absolute_distance": r"distance|how far|apart",
    "relative_distance": r"nearest|closest|furthest|farthest|nearer|closer",
    "nearby": r"within|at most",
    "counting": r"how many|number of",
    "camera_distance_absolute": r"(?=.*\b(camera|viewer|eye)\b)(?=.*\b(how (far|close|near|many)|distance|away)\b)",
    "camera_distance_relative": r"camera|viewer|eye",
    "camera_direction_complex": _OF_CAMERA,
    "camera_direction_simple": _OF_CAMERA,
    "in_same": r"same (image|picture|view)",
    "appearance_order": r"order",
    "temporal_sequence": r"first|last|before|after",
    "in_frame": r"first",
    "height_determination": r"tallest",
    "in_between": r"between",
}
"""A word that shows that the text asks what its `category` says."""
_SIDES = {
    "height": r"\b(height|tall\w*|how high|high)\b",
    "length": r"\b(length|how long|longer|shorter)\b(?! (side|dimension))",
    "width": r"\b(width|wide\w*|narrow\w*)\b",
    "longest": r"\blongest (side|dimension)\b",
}
_WORDS = {
    "largest": r"\b(largest|biggest|greatest)\b",
    "smallest": r"\b(smallest|least)\b",
    "nearest": r"\b(nearest|closest)\b",
    "furthest": r"\b(furthest|farthest)\b",
    "greater": r"\b(taller|longer|wider|greater|larger)\b",
    "smaller": r"\b(shorter|narrower|smaller|lower)\b",
    "higher": r"\bhigher\b",
    "lower": r"\blower\b",
    "nearer": r"\b(nearer|closer)\b",
    "further": r"\b(further|farther)\b",
    "first": r"\b(first|before|earlier)\b",
    "last": r"\b(last|after|later)\b",
    "tallest": r"\btallest\b",
    "left_right": r"\bleft\b.*\bright\b|\bright\b.*\bleft\b",
    "front_back": r"\b(front|ahead)\b.*\b(back|behind)\b|\b(back|behind)\b.*\b(front|ahead)\b",
}
_SENSES = {"center": r"\bcent(er|re)s?\b", "nearest": r"\b(nearest|closest) points?\b|\bgap\b"}
UNIT_WORDS: Mapping[str, tuple[str, str]] = {
    "m": (r"\b(met(er|re)s?|m)\b", "in meters"),
    "m3": (r"\bcubic met(er|re)s?\b", "in cubic meters"),
}
"""Unit to what shows it in a text, and what is appended where it is missing."""
_FAULTS: tuple[tuple[str, str, Callable[[QuestionType, bool], bool]], ...] = (
    ("it holds a negation or condition",
     r"\b(not|never|no|except|unless|if|without|neither|nor|isn't|doesn't)\b",
     lambda kind, is_video: True),
    ("it asks which thing",
     r"^(?:[^,]*, )?(?:which|what thing)\b(?! (?:direction|side|way|quadrant|part|corner))",
     lambda kind, is_video: kind.form in ("label", "yes_no", "number")),
    ("it depends on where the camera is",
     r"\b(in (the|this) (image|picture|view|photo)|camera|viewer|foreground|background|on screen)\b",
     lambda kind, is_video: is_video),
    ("it asks of a thing by where it is, not by its name",
     r"\b(beside|next to|near|behind|in front of|under|underneath|on top of|opposite)\b",
     lambda kind, is_video: kind.form == "number"),
    ("it compares, and a measure is of what it names alone",
     r"\b(taller|shorter|higher|lower|longer|wider|narrower|larger|smaller|bigger|nearer|closer|further|farther|than)\b"
     r"(?! (level |horizontal )?(side|dimension)\b)",
     lambda kind, is_video: kind.form == "number" and bool(kind.unit) and kind.name in MUST_SAY),
    ("it asks how high up a thing is, not how large",
     r"\b(?:above|off|from|over) the (?:floor|ground)\b|\bhangs?\b|\bhung\b|\bhigh up\b",
     lambda kind, is_video: "size" in kind.name),
    ("it counts in one of the views only",
     r"\b(?:first|second|third|last|final)\b.*\b(?:view|image|picture|photo|frame)s?\b",
     lambda kind, is_video: "counting" in kind.name),
    ("it asks for a unit that is not the type's",
     r"\b(cm|centi\w+|mm|milli\w+|feet|foot|ft|inch\w*|yards?|lit(er|re)s?|kilo\w+|steps?)\b",
     lambda kind, is_video: True),
)  # fmt: skip
"""What a question may not say, in words; the pattern that shows it; and the types that may not say it."""


def find_fault(kind: QuestionType, text: str, *, is_video: bool) -> str | None:
    """What a text says that a question of this type may not say, or does not say; None if nothing."""
    if not re.search(MUST_SAY.get(kind.name, ""), text, re.I):
        return f"it does not ask what {kind.name} is about"
    faults = (why for why, said, holds in _FAULTS if holds(kind, is_video) and re.search(said, text, re.I))
    return next(faults, None)


def add_unit(kind: QuestionType, text: str) -> str:
    """The text with its unit, appended where it is missing."""
    shown = UNIT_WORDS.get(kind.unit)
    if shown is None or re.search(shown[0], text, re.I):
        return text
    return f"{text.rstrip(' ?.')}, {shown[1]}?"


_LENGTH = re.compile(r"\b(square |cubic )?(?:centi)?met(?:er|re)s?\b", re.I)


def find_unit(text: str) -> str:
    """The unit that a text names first; empty for none."""
    found = _LENGTH.search(text)
    if found is None:
        return ""
    word = found[0].lower().replace("metre", "meter").rstrip("s") + "s"
    return next((unit for unit, words in SPOKEN_UNITS.items() if words == word), "")


def read_given(kind: QuestionType, text: str, categories: Sequence[str]) -> Given | None:
    """What the text asks for where its type leaves a choice: one of the type's `givens`.

    Args:
        kind: The type.
        text: The instruction without the names of its things, which may hold any word.
        categories: Of the question's things, for counting.

    Returns:
        None where it does not say which way it is meant, or where it may be meant in two ways.
    """
    if kind.name == "counting":
        return Given(category=categories[0]) if len(set(categories)) == 1 else None
    fitting = [given for given in kind.givens if _fits(given, text)]
    return fitting[0] if len(fitting) == 1 else None


def _fits(given: Given, text: str) -> bool:
    tables = ((given.side, _SIDES), (given.word, _WORDS), (given.sense, _SENSES))
    if any(value and not re.search(table[value], text, re.I) for value, table in tables):
        return False
    if given.within_m:
        said = re.findall(r"(\d+(?:\.\d+)?)\s*m(?:et|\b)", text, re.I)
        return len(said) == 1 and float(said[0]) == given.within_m
    return True


def say_type(kind: QuestionType) -> dict[str, object]:
    """A type as the asking model is told of it."""
    least, most = kind.things
    count = "the things counted, by one name" if most == 0 else str(least) if least == most else f"{least} to {most}"
    choice = {name for given in kind.givens for name in (given.side, given.word, given.sense) if name}
    told: dict[str, object] = {"name": kind.name, "meaning": kind.definition, "objects": count}
    if choice:
        told["say_which"] = sorted(choice)
    if any(given.within_m for given in kind.givens):
        told["say_which"] = ["within 1, 2, 3, 4 or 5 meters"]
    return told


def types_asked(medium: str) -> tuple[QuestionType, ...]:
    """The types that may be asked freely about a medium."""
    return tuple(kind for kind in types_of(medium) if kind.name not in UNASKED)
