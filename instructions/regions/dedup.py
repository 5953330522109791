"""Rows that say the same as one before them: vectors of words and letters, and their cosines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from math import fsum, log, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

_TOKEN = re.compile(r"\[\d+\]|[a-z]+|\d+(?:\.\d+)?")
_PLAIN = frozenset(
    word
    for words in (
        "a an the is are was were be of in on at to and it its this that than from by with for as",
        "which what how does do one there here lies stands",
    )
    for word in words.split()
)
_MENTION_WEIGHT = 3.0
"""Rows of one wording about other things are no repeats: what they name counts more than other words."""


class SentenceEncoder(Protocol):
    """Turns texts into vectors in which like meanings lie close."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One row of unit length per text, (N, D)."""
        ...


def find_repeat(text: str, earlier: Sequence[str], bar: float) -> tuple[int, float] | None:
    """The first earlier text that is at least this alike, with the cosine; None where none is."""
    mine = weigh_grams(text)
    for place, other in enumerate(earlier):
        cosine = _cosine(mine, weigh_grams(other))
        if cosine >= bar:
            return place, cosine
    return None


def find_meant_repeat(
    text: str, earlier: Sequence[str], places: Sequence[int], bar: float, encoder: SentenceEncoder
) -> tuple[int, float] | None:
    """The first of some earlier texts whose meaning is at least this alike, with the cosine; None where none is.

    An encoder hardly tells numbers and names apart, so only texts about the same things may be asked of it.
    """
    if not places:
        return None
    vectors = encoder.encode([text, *(earlier[place] for place in places)])
    for place, cosine in zip(places, (vectors[1:] @ vectors[0]).tolist(), strict=True):
        if cosine >= bar:
            return place, cosine
    return None


@dataclass(frozen=True)
class GramVector:
    """Weights of what a text is made of, and the sum of their squares."""

    grams: Mapping[str, float]
    square: float


@lru_cache(maxsize=512)  # a text is held against all that come after it in its view
def weigh_grams(text: str) -> GramVector:
    """Words, pairs of words and parts of words of 3 to 5 letters, with their weights."""
    words = _TOKEN.findall(text.lower())
    counts = Counter(words)
    counts.update(f"{a} {b}" for a, b in pairwise(words))
    out = {gram: (1.0 + log(times)) * _rate(gram) for gram, times in counts.items()}
    letters = Counter(chain.from_iterable(_cut(word) for word in words))
    out.update((gram, 0.25 * times) for gram, times in letters.items())
    return GramVector(out, sum(value * value for value in out.values()))


@lru_cache(maxsize=16384)
def _rate(gram: str) -> float:
    """How much a word or a pair of words counts."""
    parts = gram.split(" ")
    if any(part[0] == "[" for part in parts):
        return _MENTION_WEIGHT
    return 0.3 if all(part in _PLAIN for part in parts) else 1.0


@lru_cache(maxsize=4096)
def _cut(word: str) -> tuple[str, ...]:
    """Parts of a word; none of what says nothing, and of the number of a thing."""
    if word[0] == "[" or word in _PLAIN:
        return ()
    return tuple(f"#{word[at : at + size]}" for size in (3, 4, 5) for at in range(len(word) - size + 1))


def _cosine(one: GramVector, other: GramVector) -> float:
    # The order of a set is not the same in every process; the exact sum is.
    dot = fsum(one.grams[gram] * other.grams[gram] for gram in one.grams.keys() & other.grams.keys())
    norms = sqrt(one.square * other.square)
    return dot / norms if norms else 0.0
