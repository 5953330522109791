"""How a text about one way calls a thing: its category first, and a word more only where it tells two apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from instructions.records import SceneObject

_LARGER = 1.6
"""Of two things of a kind, one is called the larger where its longest side is so many times that of the other."""
_LONG = {"table", "counter", "sofa", "bench", "bed", "desk", "cabinet", "shelf", "rug"}
"""Furniture that is wide is called long."""
_COLORLESS = {"plant", "window", "mirror", "screen", "tv", "picture", "lamp", "person"}
"""Things of many colours, or of those of what they show: a colour does not tell which one is meant."""


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
        category where there are any: size, colour, both, larger or smaller of two. One of unknown category keeps its
        alias.
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
    if len(alike) == 1:
        return Name(kind, True)
    forms = {one.id: _forms(one) for one in alike}
    taken = [form for name, known in forms.items() if name != thing.id for form in known]
    alone = next((form for form in forms[thing.id] if form not in taken), None)
    if alone is not None:
        return Name(alone, True)
    if len(alike) == 2:
        other = next(one for one in alike if one.id != thing.id)
        here, there = (max(one.obb.half_extents) for one in (thing, other))
        if max(here, there) >= _LARGER * min(here, there):
            return Name(f"{'larger' if here > there else 'smaller'} {kind}", True)
    return Name(kind, False)


def _forms(thing: SceneObject) -> list[str]:
    """What it may be called besides its category alone, the plainest first."""
    kind = thing.category or ""
    size = thing.size_word
    if size == "wide":
        size = "long" if kind in _LONG else size
    color = None if kind in _COLORLESS else thing.color
    forms = [(size, kind), (color, kind), (size, color, kind)]
    return list(dict.fromkeys(" ".join(form) for form in forms if None not in form))  # type: ignore[arg-type]


def pluralize(words: str) -> str:
    """Several things of one name: `black chairs`."""
    if words.endswith(("s", "sh", "ch", "x")):
        return f"{words}es"
    return f"{words[:-1]}ves" if words.endswith("shelf") else f"{words}s"
