"""Videos that show one home, for the splits of a dataset and for nothing else.

Vectors of pictures say which videos look alike. Rooms of one style do too, so that alone joins nothing: two videos
show one home if some of their most alike pictures share points as only pictures of one place do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from roomtour.collect.records import Candidate

_BEST = 5
"""Of the likenesses of the pictures of one video to the most alike of the other, so many of the largest count."""
_NEAREST = 5
"""Videos that each is compared with, picture by picture: those most like it."""
_PAIRS, _BESIDE = 4, 1
"""Pairs of pictures that are compared, and how many neighbours of one of them are left out then."""

Vectors = NDArray[np.float32]  # (pictures, numbers), rows of length 1
Pair = tuple[str, str]


def name_homes_by_pictures(candidates: Sequence[Candidate], groups: Sequence[Sequence[str]]) -> list[Candidate]:
    """The videos, in their order, each of a group with the home that one of it has, or with a new name.

    Args:
        candidates: Videos that were kept.
        groups: Ids of videos of one home, as `group_homes` finds them.
    """
    known = {one.id: one for one in candidates}
    for group in groups:
        named = next((known[name].home for name in group if known[name].home), "")
        home = named or f"home-{sha256(' '.join(group).encode()).hexdigest()[:12]}"
        for name in group:
            if not known[name].home:
                known[name] = replace(known[name], home=home, home_source="pictures")
    return [known[one.id] for one in candidates]


def without_guess(one: Candidate) -> Candidate:
    """The video without a home that was named by pictures: other bars may name another."""
    return replace(one, home="", home_source="") if one.home_source == "pictures" else one


def list_alike(vectors: Mapping[str, Vectors], least: float) -> list[Pair]:
    """Pairs of videos worth comparing picture by picture, most alike first: each with those most like it.

    Args:
        vectors: Of their pictures, by id.
        least: See `CollectOptions.same_home`.
    """
    names = [name for name, rows in vectors.items() if len(rows) >= _BEST]
    alike: dict[str, list[tuple[float, str]]] = {name: [] for name in names}
    for place, one in enumerate(names):
        for other in names[:place]:
            score = measure_likeness(vectors[one], vectors[other])
            if score >= least:
                alike[one].append((-score, other))
                alike[other].append((-score, one))
    found = {(score, *sorted((one, other))) for one, near in alike.items() for score, other in sorted(near)[:_NEAREST]}
    return [(one, other) for _, one, other in sorted(found)]


def group_homes(
    pairs: Sequence[Pair], homes: Mapping[str, str], count_points: Callable[[str, str], int], least_points: float
) -> list[tuple[str, ...]]:
    """Groups of videos that show one home. Two whose homes have different names are never joined.

    Args:
        pairs: Videos that look alike, most alike first.
        homes: That are known; empty for others.
        count_points: Points that the two share, in the pair of pictures that shares most.
        least_points: So many show one place.
    """
    group_of: dict[str, frozenset[str]] = {name: frozenset([name]) for pair in pairs for name in pair}
    for one, other in pairs:
        first, second = group_of[one], group_of[other]
        told = {homes[name] for name in first | second if homes.get(name)}
        if first is second or len(told) > 1 or count_points(one, other) < least_points:
            continue
        joined = first | second
        group_of |= dict.fromkeys(joined, joined)
    return sorted({tuple(sorted(group)) for group in group_of.values() if len(group) > 1})


def measure_likeness(one: Vectors, other: Vectors) -> float:
    """How much two videos look alike where they do most: the median of the best matches of the pictures of each."""
    cosines = one @ other.T
    best = [np.sort(cosines.max(axis=axis))[-_BEST:] for axis in (0, 1)]
    return float(np.median(np.concatenate(best)))


def pick_pictures(one: Vectors, other: Vectors) -> list[tuple[int, int]]:
    """The pictures of two videos that look most alike, as places in each; neighbours of those that were picked are not
    picked too.
    """
    cosines, picked = (one @ other.T).copy(), []
    while len(picked) < _PAIRS and cosines.max(initial=-1.0) > -1.0:
        i, j = (int(place) for place in np.unravel_index(cosines.argmax(), cosines.shape))
        picked.append((i, j))
        cosines[max(0, i - _BESIDE) : i + _BESIDE + 1, max(0, j - _BESIDE) : j + _BESIDE + 1] = -1.0
    return picked
