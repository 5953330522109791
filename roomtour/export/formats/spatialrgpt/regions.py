"""A spatial question in words of regions: each mention of a thing or mark becomes one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from instructions.questions.core.records import TOO_CLOSE
from instructions.questions.things.registry import THING_TYPES
from roomtour.export.core.talks.references import say_places
from roomtour.export.core.talks.talk import Place, Talk

MASK, DEPTH = "<mask>", "<depth>"
_NAMES = {"distance": "distance_data", "width": "width_data", "height": "height_data", "clock": "direction"}
_NAMES |= {"vertical_distance": "vertical_distance_data", "horizontal_distance": "horizontal_distance_data"}
_REGION = re.compile(r"Region \[(\d+)\]")


@dataclass(frozen=True)
class Regions:
    """A question and its answer with regions in place of phrases."""

    question: str
    """With one `<mask>` per mention."""
    text_q: str
    """The same with `Region [0]`, `Region [1]` in the order of their first mention."""
    answer: str
    mentions: tuple[Place, ...]
    """What each `<mask>` stands for, in order."""


def category_of(talk: Talk) -> str | None:
    """The benchmark's name for the type of a question; None for what it does not ask."""
    kind = THING_TYPES.get(talk.type)
    if kind is None or kind.supposes or talk.solution == TOO_CLOSE:
        return None
    return talk.type if talk.type.endswith(("_predicate", "_choice")) else _NAMES.get(talk.type)


def mark_regions(talk: Talk) -> Regions | str:
    """Put regions for what a question points at, or say why that cannot be."""
    told = say_places(talk, lambda place, _: f"Region [{talk.places.index(place)}]")
    if isinstance(told, str):
        return told
    (question, answer), *_ = told.turns
    mentions = [int(place) for place in _REGION.findall(question)]
    order = list(dict.fromkeys(mentions))

    def name(found: re.Match[str]) -> str:
        return f"Region [{order.index(int(found[1]))}]"

    return Regions(
        _REGION.sub(MASK, question),
        _REGION.sub(name, question),
        _REGION.sub(name, answer),
        tuple(talk.places[place] for place in mentions),
    )
