"""Templates by type from their files; a contrary's in turned words: `left_predicate`'s are `right_predicate`'s too."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from instructions.questions.core.records import TOO_CLOSE

Templates = Mapping[str, tuple[str, ...]]
MOST_QUESTIONS = 20
"""Texts of a question with sentences before it: as many as types have whose questions are all written out."""
_SIDES = {"left": "right"}
_DEPTHS = {
    "further away from": "closer to", "further away": "nearer", "further from": "closer to", "behind": "in front of",
    "which is behind": "which is in front", "which is behind the other": "which is in front of the other",
    "nearer to": "further from", "further back": "further forward", "further ahead": "less far ahead",
    "after": "before", "last": "first", "far back": "far forward",
}  # fmt: skip
_SIZES = {"greater": "smaller", "is greater": "is less", "greater than": "less than", "more": "less"}
_HEIGHTS = {**_SIZES, "taller": "shorter", "tall": "short", "exceed": "fall short of"}
_WIDTHS = {**_SIZES, "wider": "narrower", "wide": "narrow", "exceed": "stay below"}
_VOLUMES = {
    **_SIZES,
    "greater volume": "smaller volume",
    "larger": "smaller",
    "bigger": "smaller",
    "exceed": "stay below",
}
MIRRORS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "right": ("left", _SIDES),
    "turn_right": ("turn_left", _SIDES),
    "step_right": ("step_left", _SIDES),
    "below": ("above", {"above": "below", "higher": "lower", "up": "down"}),
    "front": ("behind", _DEPTHS),
    "short": ("tall", _HEIGHTS),
    "thin": ("wide", _WIDTHS),
    "small": ("big", _VOLUMES),
}
"""By how names of types begin: the type whose templates are turned, and the words that change places in them."""
_KEPT = re.compile(r"That is right|from left to right|side to side", re.I)
"""Words that look like those and are none of them."""


def find_original(name: str) -> tuple[str, Mapping[str, str]] | None:
    """The type whose templates, turned, are those of another one; None for a type that has its own."""
    start, _, form = name.rpartition("_")
    found = MIRRORS.get(start)
    return None if found is None else (f"{found[0]}_{form}", found[1])


def turn_words(text: str, swaps: Mapping[str, str]) -> str:
    """A text with every word in the place of its contrary, capitals at its start kept."""
    pairs = [(there, here) for here, there in swaps.items()] + list(swaps.items())
    both = {word.lower(): other for word, other in pairs}
    words = "|".join(re.escape(one) for one in sorted(both, key=len, reverse=True))

    def turn(found: re.Match[str]) -> str:
        if found["kept"]:
            return found[0]
        other = both[found[0].lower()]
        return other[:1].upper() + other[1:] if found[0][0].isupper() else other

    return re.sub(rf"(?P<kept>{_KEPT.pattern})|(?<![\w.{{])(?:{words})(?![\w}}])", turn, text, flags=re.I)


@cache
def templates_of(name: str) -> Templates:
    """The lists of templates of a type or puzzle, of `units`, `openings`, `asks`, or `unseen`.

    A list of a file may be the name of one of `shared`. Questions are asked once more behind each of `lead_ins`, up
    to `MOST_QUESTIONS`.
    """
    original = find_original(name)
    if original is None:
        lists = tomllib.loads(_read(name))
        found = {key: templates_of("shared")[one] if isinstance(one, str) else tuple(one) for key, one in lists.items()}
        if leads := found.pop("lead_ins", ()):
            led = (f"{lead} {text}" for lead in leads for text in found["questions"])
            found["questions"] = (*found["questions"], *led)[:MOST_QUESTIONS]
        return found
    base, swaps = original
    return {
        key: texts if key == TOO_CLOSE.replace(" ", "_") else tuple(turn_words(text, swaps) for text in texts)
        for key, texts in templates_of(base).items()
    }


def define_type(name: str) -> str:
    """What a type with templates asks, in one sentence."""
    base, swaps = find_original(name) or (name, {})
    said = _read(base).partition("\n")[0].removeprefix("# ")
    return turn_words(said, swaps) if swaps else said


def _read(name: str) -> str:
    return (files("instructions.questions") / "templates" / f"{name}.toml").read_text(encoding="utf-8")
