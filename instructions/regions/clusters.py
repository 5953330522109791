"""Rows of a view in clusters of one meaning, and one row for each cluster.

Two rows are alike by three things, of one weight each: which regions they are about, what they speak of, and their
words. What they speak of are families of meaning: by their words (`concepts.toml`), and by the kinds of their claims,
where they have any. Rows about the same regions tell different facts of them, and one fact is told in words that
have no letter in common; neither alone holds them together.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import log, sqrt

import numpy as np

from instructions.claims.view_claims import ViewClaimKind
from instructions.regions.dedup import SentenceEncoder, weigh_grams
from instructions.regions.rules import MENTION, match_words
from instructions.wording.colors import WORDS
from recon.geometry import Array

_PART_OF_SET = 0.5
"""What a region in common weighs beside the whole set in common."""
_CLAIM_WEIGHT = 2.0
"""What a claim that was read weighs beside one word: it says what is compared, where a word may mean several things."""
_SENSES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        # `further left` speaks of sides, not of depth; `side by side` and `right by` of neighbours, not of sides.
        (r"\b(?:further|farther|more|far) (?=(?:to |on |towards? )?(?:the |your |its )?(?:left|right)\b)", ""),
        (r"\b(?:side by side|shoulder to shoulder|(?:right|just|hard) by)\b", "beside"),
        (r"\bright (?=beside|next|behind|under|above|below|in front|on top|at|here|there)", ""),
        # A short way is no height.
        (r"\bshort(?:er|est)? (?=distance|way|walk|reach|path)", "near "),
        (r"\b(?:larger|greater|longer|smaller) (?=distance|way|walk|reach|path)", "far "),
        (r"\b(?:larger|greater|more|less) height\b", "height"),
        (r"\b(?:nearer|closer|near|close) to (?:the|its) (?=middle|centre|center)", ""),
        (r"\bclose(?=(?: to)? (?:each other|neighbour|neighbor|together))", "next"),
    )
)
"""What words of two senses mean beside these neighbours."""
_FAMILY_OF: Mapping[ViewClaimKind, str] = {
    "side": "side", "left of": "side", "right of": "side",
    "nearer": "depth", "farther": "depth", "in front of": "depth", "behind": "depth", "distance": "depth",
    "taller": "tall", "shorter": "tall", "height": "tall",
    "on": "support", "under": "support", "above": "support", "below": "support",
    "next to": "neighbour", "gap": "neighbour",
    "larger": "size", "smaller": "size", "wider": "size", "narrower": "size",
    "room": "room", "color": "colour", "kind": "kind", "count": "count",
}  # fmt: skip
"""Families of claims; that a thing is there at all (`visible`, `region`) is said by every row."""


def find_clusters(likeness: Array, count: int) -> list[int]:
    """At most so many clusters by average linkage: the label of each text, 0 upwards in order of first member.

    Args:
        likeness: (N, N), as `measure_likeness` gives it.
        count: Of clusters.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(likeness) <= count:
        return list(range(len(likeness)))
    apart = 1.0 - likeness[np.triu_indices(len(likeness), 1)]
    labels = fcluster(linkage(np.maximum(apart, 0.0), method="average"), count, criterion="maxclust").tolist()
    order = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return [order[label] for label in labels]


def pick_roots(
    texts: Sequence[str],
    count: int,
    encoder: SentenceEncoder | None = None,
    about: Sequence[Sequence[int]] | None = None,
    claims: Sequence[Collection[ViewClaimKind]] | None = None,
) -> list[int]:
    """One text of each of so many clusters: its medoid; of equal ones the earlier. In order of the texts.

    Arguments are those of `measure_likeness`.
    """
    likeness = measure_likeness(texts, encoder, about, claims)
    labels = np.array(find_clusters(likeness, count))
    clusters = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return sorted(int(mine[np.round(likeness[np.ix_(mine, mine)].sum(axis=1), 12).argmax()]) for mine in clusters)


def measure_likeness(
    texts: Sequence[str],
    encoder: SentenceEncoder | None = None,
    about: Sequence[Sequence[int]] | None = None,
    claims: Sequence[Collection[ViewClaimKind]] | None = None,
) -> Array:
    """How alike texts are, 0 to 1 (an encoder's vectors may lie lower), (N, N).

    Args:
        texts: In their order.
        encoder: Gives the vectors of the words; without one they are words and parts of words.
        about: Numbers of the regions that each text is about; by default those that stand in it as `[n]`.
        claims: Kinds of the claims of each text; by default only its words are looked at.
    """
    if about is None:
        about = [sorted({int(number) for number in MENTION.findall(text)}) for text in texts]
    if encoder is not None:
        vectors = encoder.encode([MENTION.sub("it", text) for text in texts])
        words = vectors @ vectors.T
    else:
        words = _multiply([_unit(weigh_grams(MENTION.sub(" ", text)).grams) for text in texts])
    total = words + _multiply([_weigh_about(numbers) for numbers in about])
    read = claims if claims is not None else [()] * len(texts)
    total += _multiply([_unit(find_concepts(text, kinds)) for text, kinds in zip(texts, read, strict=True)])
    length = np.sqrt(np.maximum(np.diag(total), 1e-12))
    return np.clip(total / np.outer(length, length), -1.0, 1.0)


def find_concepts(text: str, claims: Collection[ViewClaimKind] = ()) -> dict[str, float]:
    """Which families of meaning a text speaks of, and how much: 1 for a word, more for several and for claims."""
    lower = text.lower()
    for pattern, instead in _SENSES:
        lower = pattern.sub(instead, lower)
    counts = {name: len(pattern.findall(lower)) for name, pattern in _load_concepts().items()}
    out = {name: 1.0 + log(count) for name, count in counts.items() if count}
    for kind in sorted(set(claims)):
        if (family := _FAMILY_OF.get(kind)) is not None:
            out[family] = out.get(family, 0.0) + _CLAIM_WEIGHT
    return out


def _weigh_about(numbers: Sequence[int]) -> dict[str, float]:
    if not numbers:
        return {}
    each = _PART_OF_SET / sqrt(len(set(numbers)))
    return {f"all {sorted(set(numbers))}": 1.0, **{f"[{number}]": each for number in numbers}}


def _unit(weights: Mapping[str, float]) -> dict[str, float]:
    length = sqrt(sum(value * value for value in weights.values()))
    return {name: value / length for name, value in weights.items()} if length else {}


def _multiply(vectors: Sequence[Mapping[str, float]]) -> Array:
    """All inner products of sparse vectors, (N, N)."""
    names = {name: place for place, name in enumerate(sorted({name for vector in vectors for name in vector}))}
    dense = np.zeros((len(vectors), len(names)))
    for row, one in enumerate(vectors):
        for name, value in one.items():
            dense[row, names[name]] = value
    return dense @ dense.T


@cache
def _load_concepts() -> Mapping[str, re.Pattern[str]]:
    data = tomllib.loads(files("instructions.regions").joinpath("concepts.toml").read_text(encoding="utf-8"))
    data["colour"] += sorted(WORDS)
    return {name: match_words(words) for name, words in data.items()}
