"""Rows that say the same: vectors of words and letters, their cosines, clusters, and one row for each cluster."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log, sqrt

import numpy as np

from instructions.regions.interfaces import SentenceEncoder
from recon.geometry import Array

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


def find_repeat(text: str, earlier: Sequence[str], bar: float) -> tuple[int, float] | None:
    """The first earlier text that is at least this alike, with the cosine; None where none is."""
    mine = _vector(text)
    for place, other in enumerate(earlier):
        cosine = _cosine(mine, _vector(other))
        if cosine >= bar:
            return place, cosine
    return None


def find_meant_repeat(
    text: str, earlier: Sequence[str], places: Sequence[int], bar: float, encoder: SentenceEncoder
) -> tuple[int, float] | None:
    """The first of some earlier texts whose meaning is at least this alike, with the cosine; None where none is.

    An encoder hardly tells numbers and names apart, so only texts about the same things may be asked of it.

    Args:
        text: The new one.
        earlier: All before it.
        places: Which of them to look at.
        bar: Least cosine.
        encoder: Gives the vectors.
    """
    if not places:
        return None
    vectors = encoder.encode([text, *(earlier[place] for place in places)])
    for place, cosine in zip(places, (vectors[1:] @ vectors[0]).tolist(), strict=True):
        if cosine >= bar:
            return place, cosine
    return None


def measure_cosine(one: str, other: str) -> float:
    """How alike two texts are, 0 to 1."""
    return _cosine(_vector(one), _vector(other))


def cluster_texts(texts: Sequence[str], count: int, encoder: SentenceEncoder | None = None) -> list[int]:
    """Clusters of texts by average linkage of cosines: the label of each text, 0 upwards in order of first member.

    Args:
        texts: In their order.
        count: At most so many clusters.
        encoder: Gives the vectors; words and parts of words without one.
    """
    if len(texts) <= count:
        return list(range(len(texts)))
    from scipy.cluster.hierarchy import fcluster, linkage

    near = _find_cosines(texts, encoder)
    apart = 1.0 - near[np.triu_indices(len(texts), 1)]
    labels = fcluster(linkage(np.maximum(apart, 0.0), method="average"), count, criterion="maxclust")
    order = {label: place for place, label in enumerate(dict.fromkeys(int(label) for label in labels))}
    return [order[int(label)] for label in labels]


def pick_roots(texts: Sequence[str], count: int, encoder: SentenceEncoder | None = None) -> list[int]:
    """One text of each cluster: its medoid; of equal ones the earlier. In order of the texts."""
    labels = cluster_texts(texts, count, encoder)
    near = _find_cosines(texts, encoder)
    out = []
    for label in sorted(set(labels)):
        mine = [place for place, one in enumerate(labels) if one == label]
        out.append(mine[int(np.argmax(np.round(near[np.ix_(mine, mine)].sum(axis=1), 12)))])
    return sorted(out)


def _find_cosines(texts: Sequence[str], encoder: SentenceEncoder | None) -> Array:
    """(N, N)."""
    if encoder is not None:
        vectors = encoder.encode(texts)
        return np.clip(vectors @ vectors.T, -1.0, 1.0)
    mine = [_vector(text) for text in texts]
    return np.array([[_cosine(one, other) for other in mine] for one in mine])


def group_facts(texts: Sequence[str], bar: float) -> list[int]:
    """Groups of texts that say the same: average linkage, cut where the mean cosine falls under a bar."""
    if len(texts) < 2:
        return [0] * len(texts)
    from scipy.cluster.hierarchy import fcluster, linkage

    vectors = [_vector(text) for text in texts]
    apart: Array = np.array(
        [1.0 - _cosine(vectors[a], vectors[b]) for a in range(len(texts)) for b in range(a + 1, len(texts))]
    )
    return [int(label) for label in fcluster(linkage(apart, method="average"), 1.0 - bar, criterion="distance")]


@dataclass(frozen=True)
class _Vector:
    """Weights of what a text is made of, and the sum of their squares."""

    grams: Mapping[str, float]
    square: float


@lru_cache(maxsize=512)  # a text is held against all that come after it in its view
def _vector(text: str) -> _Vector:
    words = _TOKEN.findall(text.lower())
    counts: Counter[str] = Counter()
    for word in words:
        counts[word] += 1
    for a, b in pairwise(words):
        counts[f"{a} {b}"] += 1
    out: dict[str, float] = {}
    for gram, times in counts.items():
        parts = gram.split(" ")
        weight = 1.0 + log(times)
        if all(part in _PLAIN for part in parts):
            weight *= 0.3
        if any(part[0] == "[" for part in parts):
            weight *= _MENTION_WEIGHT
        out[gram] = weight
    for word in words:
        if word[0] != "[" and word not in _PLAIN:
            for size in (3, 4, 5):
                for at in range(len(word) - size + 1):
                    gram = f"#{word[at : at + size]}"
                    out[gram] = out.get(gram, 0.0) + 0.25
    return _Vector(out, sum(value * value for value in out.values()))


def _cosine(one: _Vector, other: _Vector) -> float:
    if len(other.grams) < len(one.grams):
        one, other = other, one
    dot = sum(value * other.grams.get(gram, 0.0) for gram, value in one.grams.items())
    norms = sqrt(one.square * other.square)
    return dot / norms if norms else 0.0
