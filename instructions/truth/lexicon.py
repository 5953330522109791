"""The words of `lexicon.toml`: phrases by what they say, and words by what they may name."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any, Literal, get_args

Tag = Literal[
    "walk",  # moves on
    "back",  # moves against the view
    "aside",  # moves across the view
    "turn",  # changes heading; a side follows or has been told
    "around",  # turns by about 180 degrees
    "circle",  # turns by more than that
    "pass",
    "approach",
    "leave",
    "stop",  # ends here
    "front",  # is ahead, faced or looked at
    "behind",
    "near",
    "see",
    "hold",  # keeps a thing on a side
    "into",
    "out of",
    "to",
    "from",
    "through",
    "left",
    "right",
    "middle",
    "near range",  # how far a thing is: the ranges of RoomTour3D
    "closer range",
    "further range",
    "slight",
    "wide",
    "then",
    "before",
    "after",
    "while",
    "until",
    "and",
    "not",
    "again",
]
Phrase = tuple[str, ...]

_DATA: dict[str, Any] = tomllib.loads(files("instructions.truth").joinpath("lexicon.toml").read_text(encoding="utf-8"))


def _phrases(listed: str) -> list[Phrase]:
    return [tuple(phrase.split()) for phrase in listed.split(",") if phrase.strip()]


def _words(name: str) -> frozenset[str]:
    return frozenset(_DATA["words"][name].split())


_DOUBLING = _words("doubling")


def _forms(verbs: str) -> list[Phrase]:
    """`walk` as walk, walks, walking, walked; irregular forms are written beside it."""
    out: list[Phrase] = []
    for entry in verbs.split(","):
        first, *irregular = entry.split("/")
        verb, *rest = first.split()
        stem = verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else verb
        stem += stem[-1] if verb in _DOUBLING else ""
        third = verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s")
        out += [(form, *rest) for form in (verb, third, f"{stem}ing", f"{stem}ed")]
        out += [tuple(form.split()) for form in irregular]
    return out


def _tag_phrases() -> dict[Phrase, Tag]:
    found: dict[Phrase, Tag] = {}
    for tag in get_args(Tag):
        entry = _DATA["tags"][tag.replace(" ", "-")]
        for phrase in _forms(entry["verbs"]) if "verbs" in entry else []:
            found.setdefault(phrase, tag)
        for phrase in _phrases(entry.get("phrases", "")):
            found.setdefault(phrase, tag)
    return found


PHRASES: dict[Phrase, Tag] = _tag_phrases()
"""A phrase of two tags has the first of them in the order of `Tag`."""
FIXED: dict[Phrase, Tag | None] = {
    phrase: tag if tag in get_args(Tag) else None
    for tag, listed in _DATA["fixed"].items()
    for phrase in _phrases(listed)
}
"""Phrases that win over their words; None where the first word is only a word (`right after`)."""
LONGEST = max(len(phrase) for phrase in (*PHRASES, *FIXED))
DETERMINERS = _words("determiners")
LENGTH_UNITS: dict[str, float] = _DATA["length_units"]
"""Metres of one, by its word."""
FUNCTION_WORDS = _words("function")
MOTION_NOUNS = _words("motion_nouns")
ABSTRACT_NOUNS = _words("abstract_nouns")
THRESHOLDS = _words("thresholds")
MODIFIERS = _words("modifiers")
HARMLESS = _words("harmless")
TALK = _words("talk")
PREPOSITIONS = _words("prepositions")
GENTLE_TURNS = _words("gentle_turns")
NUMBERS: dict[str, int] = _DATA["numbers"]
DEGREES: dict[str, int] = _DATA["degrees"]
"""Angles that are written out."""
SYNONYMS: dict[str, str] = _DATA["synonyms"]
ROOM_WORDS: dict[str, list[str]] = _DATA["rooms"]

TurnSize = Literal["slight", "wide"]
"""`slight`: by words like `a little` or `bear`; `wide`: `sharply`, a right angle. None for a plain turn."""


def find_turn_size(words: str) -> TurnSize | None:
    """The size that the words of a turn give it."""
    tokens = words.lower().split()
    tags = [PHRASES.get(tuple(tokens[a:b])) for a in range(len(tokens)) for b in range(a + 1, len(tokens) + 1)]
    if "slight" in tags or (GENTLE_TURNS.intersection(tokens) and not {"round", "around"}.intersection(tokens)):
        return "slight"
    return "wide" if "wide" in tags else None
