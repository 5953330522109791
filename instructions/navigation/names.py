"""How a text about one way calls a thing: its category first, and a word more only where it tells two apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instructions.records import SceneObject
from recon.geometry import Array

_CLEARLY_LARGER = 1.4
"""A size tells a thing from others of its kind where its longest side is so many times longer, or shorter, than any of
theirs: a box holds what was seen of a thing, so sizes that differ less may be the same."""
_SMALL = {"small", "low"}
_NEAR_COLORS = (
    {"black", "dark grey", "dark brown", "dark blue", "dark green", "dark red", "dark purple", "dark turquoise"},
    {"black", "grey", "dark grey"},
    {"grey", "light grey", "white", "beige"},
    {"brown", "dark brown", "beige", "orange", "dark red", "red"},
    {"beige", "yellow", "white", "orange"},
    {"red", "pink", "dark red", "purple", "dark purple"},
    {"blue", "light blue", "dark blue", "turquoise", "light turquoise", "dark turquoise", "purple", "light purple"},
    {"green", "light green", "dark green", "turquoise", "light turquoise", "dark turquoise"},
)
"""Colours that one thing may have in different light: they tell no two things apart."""
_LONG = {"table", "counter", "sofa", "bench", "bed", "desk", "cabinet", "shelf", "rug"}
"""Furniture that is wide is called long."""
_COLORLESS = {"plant", "window", "mirror", "screen", "tv", "picture", "lamp", "person"}
"""Things of many colours, or of those of what they show: a colour does not tell which one is meant."""
_SIZELESS = {"curtain"}
"""Things in folds, seen in part: a box of what was seen of them does not tell their size."""


@dataclass(frozen=True)
class Name:
    """What a text calls a thing, without article."""

    words: str
    is_alone: bool
    """No other thing of the way would be called so: `the sofa`, else `a chair`."""


def name_things(things: Sequence[SceneObject]) -> dict[str, Name]:
    """Name the things of a way.

    Args:
        things: All that are seen on it.

    Returns:
        By id. A thing of known category has its category, with the first of these that tells it from the others of its
        category where there are any: size, colour, both. Neither is told where another of its kind may be called so,
        too. One of unknown category keeps its alias.
    """
    by_kind: dict[str, list[SceneObject]] = {}
    for thing in things:
        if thing.category is not None:
            by_kind.setdefault(thing.category, []).append(thing)
    aliases = {thing.id: set(thing.alias.split()) for thing in things}
    names: dict[str, Name] = {}
    for thing in things:
        if thing.category is None:
            others = [words for name, words in aliases.items() if name != thing.id]
            names[thing.id] = Name(thing.alias, not any(aliases[thing.id] <= words for words in others))
        else:
            names[thing.id] = _tell_apart(thing, by_kind[thing.category])
    return names


def _tell_apart(thing: SceneObject, alike: Sequence[SceneObject]) -> Name:
    kind = thing.category or ""
    others = [one for one in alike if one.id != thing.id and not is_part_of(one, thing)]
    if not others:
        return Name(kind, True)
    size = _say_size(thing)
    color = None if kind in _COLORLESS else thing.color
    by_size = size is not None and all(_differs_in_size(thing, one) for one in others)
    by_color = color is not None and all(_differs_in_color(thing, one) for one in others)
    by_both = all(_differs_in_size(thing, one) or _differs_in_color(thing, one) for one in others)
    for is_alone, words in ((by_size, (size, kind)), (by_color, (color, kind)), (by_both, (size, color, kind))):
        if is_alone and None not in words:
            return Name(" ".join(word for word in words if word), True)
    return Name(kind, False)


def is_part_of(one: SceneObject, other: SceneObject) -> bool:
    """Whether the middle of one thing lies in the box of another, or the other way round: one thing found twice."""
    return any(
        bool(np.all(np.abs(_lies_from(inner, outer)) <= np.array(outer.obb.half_extents)))
        for inner, outer in ((one, other), (other, one))
    )


def _lies_from(inner: SceneObject, outer: SceneObject) -> Array:
    """Where the middle of a thing is along the axes of another's box, (3,)."""
    return (np.array(inner.obb.center) - np.array(outer.obb.center)) @ np.array(outer.obb.rotation)


def _say_size(thing: SceneObject) -> str | None:
    if thing.category in _SIZELESS:
        return None
    return "long" if thing.size_word == "wide" and thing.category in _LONG else thing.size_word


def _differs_in_size(thing: SceneObject, other: SceneObject) -> bool:
    """Whether its size word is true of it and cannot be of the other."""
    here, there = (max(one.obb.half_extents) for one in (thing, other))
    if thing.size_word is None or thing.size_word == other.size_word:
        return False
    smaller, larger = (here, there) if thing.size_word in _SMALL else (there, here)
    return larger >= _CLEARLY_LARGER * smaller


def _differs_in_color(thing: SceneObject, other: SceneObject) -> bool:
    """Whether no light makes one colour of both; what has no colour may have any."""
    one, another = thing.color, other.color
    if one is None or another is None or one == another:
        return False
    return not any(one in near and another in near for near in _NEAR_COLORS)


def pluralize(words: str) -> str:
    """Several things of one name: `black chairs`."""
    if words.endswith(("s", "sh", "ch", "x")):
        return f"{words}es"
    return f"{words[:-1]}ves" if words.endswith("shelf") else f"{words}s"
