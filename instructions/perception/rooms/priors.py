"""What is found in which room: one table, `rooms.toml`, with its reasons."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from instructions.perception.frames.tags import category_of
from instructions.perception.models.light.labels import head_of

_PLACE = "instructions.perception.rooms"
_LEVELS = ("always", "often", "sometimes")


@dataclass(frozen=True)
class RoomPrior:
    """One kind of room."""

    name: str
    named_by: frozenset[str]
    """Without one of these nothing is called so."""
    share: Mapping[str, float]
    """Of the rooms of this kind, the share that holds at least one such thing, or has such a form."""


@cache
def room_priors() -> tuple[RoomPrior, ...]:
    """Every kind of room, in the order of the table; all know the same words."""
    table = _table()
    levels: Mapping[str, float] = table["share"]
    words = sorted({word for row in table["rooms"].values() for level in _LEVELS for word in row.get(level, ())})
    priors = []
    for name, row in table["rooms"].items():
        share = dict.fromkeys(words, float(levels["rarely"]))
        share |= {word: float(levels[level]) for level in _LEVELS for word in row.get(level, ())}
        share |= {seen_as(other): float(levels["always" if other == name else "rarely"]) for other in table["rooms"]}
        share |= {form: float(shares.get(name, shares["else"])) for form, shares in table["form"].items()}
        priors.append(RoomPrior(name, frozenset(row["named_by"]) | {seen_as(name)}, share))
    return tuple(priors)


def seen_as(room: str) -> str:
    """The word for a whole picture that looks like a kind of room to a model that sees."""
    return f"seen as {room}"


@cache
def mean_share() -> Mapping[str, float]:
    """The share of each word over all kinds of room: what a room of unknown kind holds."""
    priors = room_priors()
    return {word: sum(prior.share[word] for prior in priors) / len(priors) for word in priors[0].share}


def word_of(category: str) -> str:
    """The word of the table for a category: itself, the one it means here, or what it is a kind of."""
    known, same = room_priors()[0].share, _table()["same"]
    for word in (category, category_of(category), head_of(category)):
        found = same.get(word, word)
        if found in known:
            return found
    return category


def word_of_tag(tag: str) -> str:
    """The same for what a tagger says of a whole picture."""
    return _table()["tags"].get(tag, word_of(tag))


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files(_PLACE) / "rooms.toml").read_text(encoding="utf-8"))
