"""Tags: the vocabulary, and which words are fit to be looked for in a frame. Words that name rooms are not."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

_MAX_CHARACTERS = 40
_MAX_WORDS = 4
"""Longer phrases describe rather than name; a detector then boxes any word of them."""
_TABLE = tomllib.loads((files("instructions.perception.frames") / "tags.toml").read_text(encoding="utf-8"))
_SAME = {word: name for name, words in _TABLE["same"].items() for word in words}


@dataclass(frozen=True)
class Tag:
    """A word for something in a frame."""

    text: str
    score: float
    source: str
    """Model that gave it."""


@cache
def vocabulary() -> tuple[str, ...]:
    """The built-in list of things, in alphabetical order."""
    lines = (files("instructions.perception.frames") / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def plain_tag(text: str) -> str | None:
    """A phrase as a tag: lower case, letters, digits, blanks and hyphens, no article; None if it is none.

    What a model or a sign in the picture says is data: nothing but these characters comes through, and not many.
    """
    words = re.sub(r"[^a-z0-9 -]+", " ", text.lower()).split()
    while words and words[0] in _TABLE["articles"]:
        words = words[1:]
    words = words[: next((at for at, word in enumerate(words) if word in _TABLE["cut"]), len(words))]
    tag = " ".join(words)
    return tag if words and len(words) <= _MAX_WORDS and len(tag) <= _MAX_CHARACTERS and tag[0].isalpha() else None


def names_a_room(tag: str) -> bool:
    """Whether a tag names a room or another place rather than a thing: `kitchen`, `two bedrooms`, `modern living room`.

    The last word decides, or the last few together: `kitchen counter` and `room divider` are things.
    """
    words = tag.lower().replace("-", " ").split()
    ends = [" ".join(words[-count:]) for count in (1, 2, 3) if len(words) >= count]
    return any(end in _TABLE["places"] or _singular(end) in _TABLE["places"] for end in ends)


def names_someone(tag: str) -> bool:
    """Whether a tag names a person or a pet, by its last word."""
    last = tag.lower().replace("-", " ").split()[-1:]
    return any(word in _TABLE["living"] or _singular(word) in _TABLE["living"] for word in last)


def clean_tags(tags: Iterable[Tag], limit: int) -> tuple[Tag, ...]:
    """Tags to look for, best first, without names of rooms and of people, and what is no name.

    Args:
        tags: Of one frame, from any number of models; a word that several give keeps its best score.
        limit: At most this many are kept.
    """
    best: dict[str, Tag] = {}
    for tag in tags:
        text = plain_tag(tag.text)
        is_thing = text is not None and not (names_a_room(text) or names_someone(text))
        if text is not None and is_thing and (text not in best or tag.score > best[text].score):
            best[text] = Tag(text, tag.score, tag.source)
    return tuple(sorted(best.values(), key=lambda tag: (-tag.score, tag.text))[:limit])


def score_tags(
    logits: NDArray[np.float32], words: Sequence[str], least_probability: float, source: str
) -> list[list[Tag]]:
    """Tags per frame out of the logits (N, T) of an image-text model: those at least so probable, best first."""
    probability = 1.0 / (1.0 + np.exp(-logits.astype(np.float64)))
    out = []
    for row in probability:
        order = np.argsort(-row, kind="stable")
        kept = (int(word) for word in order if row[word] >= least_probability)
        out.append([Tag(words[word], float(row[word]), source) for word in kept])
    return out


def category_of(label: str) -> str:
    """The one name for a label: singular, without attributes, one of its synonyms.

    `couches`, `settee` and `red sofa` are a `sofa`; a word that neither the vocabulary nor the synonyms know stays as
    it is.
    """
    words = _singular(label.lower().strip()).split()
    for start in range(len(words)):
        ending = " ".join(words[start:])
        if ending in _SAME:
            return _SAME[ending]
        if ending in _load_known_things():
            return ending
    return " ".join(words)


@cache
def _load_known_things() -> frozenset[str]:
    return frozenset(_singular(word) for word in vocabulary())


def _singular(phrase: str) -> str:
    head, _, last = phrase.rpartition(" ")
    if last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif last.endswith(("shes", "ches", "sses", "xes")):
        last = last[:-2]
    elif last.endswith("lves"):
        last = last[:-3] + "f"
    elif (
        last.endswith("s") and not last.endswith(("ss", "us", "is")) and last not in _TABLE["plural"] and len(last) > 3
    ):
        last = last[:-1]
    return f"{head} {last}" if head else last
