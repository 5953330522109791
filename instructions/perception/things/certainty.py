"""How often a name like this is right: the one place that decides whether a thing may be called what it seems to be.

The clues of a name are added up in log odds, with a start that belongs to its group of words. Weights and starts lie in
`certainty.toml`, fitted on tours labelled by looking (`benchmarks/name_certainty.py`). No clue that speaks for a name
counts against it. A name is sure from that probability on above which names of its group were right in 19 of 20, on
tours that the fit had not seen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from math import exp, log
from typing import Any

from instructions.facts.sizes import fits_name
from instructions.perception.models.light.labels import head_of
from instructions.records import SceneObject

_PLACE = "instructions.perception.things"


def estimate_certainty(word: str, clues: Mapping[str, float]) -> float:
    """Probability that a thing with these clues is what the word says."""
    table = _table()
    odds = table["start"][group_of(word)] + sum(weight * clues[name] for name, weight in table["weight"].items())
    return 1.0 / (1.0 + exp(-odds))


def add_votes(certainty: float, balance: float) -> float:
    """Probability of a name after votes that the fit did not know: one counts half as much as a close look.

    Args:
        certainty: Before.
        balance: Votes for the name less those against it. At 0 nothing changes.
    """
    a_vote = _table()["weight"]["close"] / 2.0  # from wholly against it to wholly for it
    odds = log(certainty / (1.0 - certainty)) + a_vote * balance / 2.0
    return 1.0 / (1.0 + exp(-odds))


def shows_whole(score: float, outline: float, both: float) -> bool:
    """Whether a box shows one whole thing of its name, as far as the picture reaches, in 19 of 20 cases.

    Args:
        score: Of the detector.
        outline: Intersection over union of the box and the outline of the thing's box in the world.
        both: Of the thing's clues: the part of its boxes that two segmenters call so.
    """
    table = _table()["whole"]
    odds = table["start"] + table["score"] * score + table["outline"] * outline + table["both"] * both
    return 1.0 / (1.0 + exp(-odds)) >= table["sure"]


def group_of(word: str) -> str:
    """The group of words that share their start: how often their things are right, all clues being equal."""
    head = head_of(word)
    return next((name for name, own in _table()["group"].items() if head in own), "other")


def is_open(word: str, clues: Mapping[str, float], asked: Sequence[str]) -> bool:
    """Whether what these clues will say decides if the name is sure."""
    least, most = ({**clues, **dict.fromkeys(asked, value)} for value in (0.0, 1.0))
    return estimate_certainty(word, least) < _find_bar(word) <= estimate_certainty(word, most)


def spread_certainty(shares: Sequence[tuple[str, float]], certainty: float) -> tuple[tuple[str, float], ...]:
    """Probabilities of words, best first: the best has the certainty, the others share half of the rest.

    Args:
        shares: Words with their shares of the evidence, best first.
        certainty: Of the best.

    Returns:
        They add up to less than 1 where it may be something that nobody called it.
    """
    whole = sum(share for _, share in shares[1:])
    rest = [(word, (1.0 - certainty) / 2.0 * share / whole) for word, share in shares[1:]]
    return ((shares[0][0], certainty), *rest)


def keep_sure_names(objects: Sequence[SceneObject], metre_of: Mapping[str, float]) -> tuple[SceneObject, ...]:
    """Things whose name is not sure lose it: `categories` keeps what they may be, the alias says what is seen.

    Args:
        objects: Things, with a category that is the best word of each. Where nobody weighed names, the size decides.
        metre_of: Length of a (nominal) metre in the unit of a model, by its name.
    """
    return tuple(thing if _is_sure(thing, metre_of[thing.model]) else _unname(thing) for thing in objects)


def _is_sure(thing: SceneObject, metre: float) -> bool:
    is_likely = not thing.categories or thing.categories[0][1] >= _find_bar(thing.categories[0][0])
    return thing.category is None or (is_likely and fits_name(thing.category, thing.obb, metre, or_group=True))


def _find_bar(word: str) -> float:
    return float(_table()["sure"][group_of(word)])


def _unname(thing: SceneObject) -> SceneObject:
    seen = " ".join(word for word in (thing.size_word, thing.color, "object") if word)
    may_be = thing.categories or ((thing.category, thing.score or 0.0),) if thing.category else ()
    return replace(thing, category=None, alias=seen, categories=may_be)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files(_PLACE) / "certainty.toml").read_text(encoding="utf-8"))
