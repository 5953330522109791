"""The same footage under several names: runs of pictures that agree at one offset in time, also mirrored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from roomtour.collect.probe import VideoHashes

_MOST_BITS = 10
"""Of 64 by which two pictures of the same moment may differ; of other moments of one home 20 and more do."""
_RUN = 20
"""Quarters of a second in a row that have to agree: five seconds."""
_MISSES = 5
"""Of them that need not: a copy that was cut elsewhere shows moments an eighth of a second apart."""
_BANDS = 4
_COMMON = 50
"""A band that more pictures have than this tells nothing: fades, plain walls."""


def find_duplicates(hashes: Mapping[str, VideoHashes]) -> list[tuple[str, str]]:
    """Pairs of videos that share at least five seconds, each pair once, the earlier of the mapping first."""
    names = list(hashes)
    places = _index({name: one.plain for name, one in hashes.items()})
    found: set[tuple[int, int]] = set()
    for number, name in enumerate(names):
        for own in (hashes[name].plain, hashes[name].mirrored):
            for other, offset in _candidates(own, places):
                before = names.index(other)
                pair = (before, number)
                if before < number and pair not in found and _agree(own, hashes[other].plain, offset):
                    found.add(pair)
    return [(names[first], names[second]) for first, second in sorted(found)]


def _index(hashes: Mapping[str, NDArray[np.uint64]]) -> dict[tuple[int, int], list[tuple[str, int]]]:
    """By band and its bits, where pictures have them."""
    places: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    for name, own in hashes.items():
        for at, value in enumerate(own):
            for band, bits in _split(int(value)):
                places[band, bits].append((name, at))
    return places


def _split(value: int) -> list[tuple[int, int]]:
    return [(band, value >> (16 * band) & 0xFFFF) for band in range(_BANDS)] if value else []


def _candidates(
    own: NDArray[np.uint64], places: Mapping[tuple[int, int], list[tuple[str, int]]]
) -> list[tuple[str, int]]:
    """Videos and offsets at which some band of some picture is equal; most hits first."""
    hits: Counter[tuple[str, int]] = Counter()
    for at, value in enumerate(own):
        for key in _split(int(value)):
            there = places.get(key, [])
            if len(there) <= _COMMON:
                hits.update((name, other - at) for name, other in there)
    return [place for place, number in hits.most_common() if number >= 2]


def _agree(own: NDArray[np.uint64], other: NDArray[np.uint64], offset: int) -> bool:
    """Whether five seconds in a row agree, but for some moments, with `own` at `offset` in `other`."""
    first, last = max(0, -offset), min(len(own), len(other) - offset)
    if last - first < _RUN:
        return False
    here, there = own[first:last], other[first + offset : last + offset]
    differ = np.unpackbits((here ^ there).view(np.uint8)).reshape(-1, 64).sum(axis=1)
    same = (differ <= _MOST_BITS) & (here != 0) & (there != 0)
    return bool((np.convolve(same, np.ones(_RUN), "valid") >= _RUN - _MISSES).any())
