"""Which frames to match: neighbours in time, and revisits found with a vocabulary of the tour's own descriptors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recon.records import Frame

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Pair = tuple[int, int]  # frame indices, first < second


_REVISITS_PER_FRAME = 3  # most similar frames from another time that are tried per frame
REVISIT_MIN_GAP = 20  # frames closer than this in one shot are neighbours, not revisits
_WORDS = 4000  # size of the vocabulary; 2000 found a tenth fewer revisits
WORDS_PER_FRAME = 600  # the strongest keypoints speak for a frame
SAMPLE = 50_000  # descriptors that axes and vocabulary of a tour are made from


def pairs_at(frames: Sequence[Frame], gaps: Sequence[int]) -> list[Pair]:
    """Frames of one shot at these distances in it, also across clip borders, sorted."""
    return sorted(
        (first.index, frames[place + gap].index)
        for place, first in enumerate(frames)
        for gap in gaps
        if place + gap < len(frames) and frames[place + gap].shot == first.shot
    )


class Vocabulary:
    """Visual words from the tour's own descriptors; frames are compared by weighted word counts.

    The words are descriptors drawn at random: clustering them took 3 to 6 s of CPU and found no other revisits.
    """

    def __init__(self, sample: NDArray[np.float32], seed: int) -> None:
        """Draw words from a sample (S, D) of compact descriptors, at most a quarter of it."""
        drawn = np.random.default_rng(seed).permutation(len(sample))[: min(_WORDS, max(1, len(sample) // 4))]
        self._centers = np.ascontiguousarray(sample[np.sort(drawn), :_WORD_DIMENSIONS])
        self._half_norms = 0.5 * (self._centers**2).sum(axis=1)

    def words(self, vectors: NDArray[np.float32]) -> NDArray[np.int64]:
        """Nearest word of each compact descriptor."""
        if len(vectors) == 0:
            return np.zeros(0, np.int64)
        return (vectors[:, :_WORD_DIMENSIONS] @ self._centers.T - self._half_norms).argmax(axis=1)

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self._centers)


_WORD_DIMENSIONS = 32  # strongest principal axes: three quarters of the variance at a quarter of the cost


def word_weights(words: Sequence[NDArray[np.int64]], size: int) -> csr_array:
    """Unit tf-idf vectors (F, size), one row per frame; words seen in most frames weigh little."""
    from scipy.sparse import csr_array  # every worker imports this module, and only this function needs it

    counts = np.array([np.bincount(w, minlength=size) for w in words], dtype=np.float32).reshape(-1, size)
    in_frames = (counts > 0).sum(axis=0)
    weighted = np.sqrt(counts) * np.log(max(len(words), 1) / np.maximum(in_frames, 1)).astype(np.float32)
    norms = np.linalg.norm(weighted, axis=1, keepdims=True)
    return csr_array(weighted / np.maximum(norms, 1e-9))


def revisit_candidates(frames: Sequence[Frame], weights: csr_array) -> list[Pair]:
    """For each frame its most similar frames from another time or shot, spread over time, sorted."""
    shots = np.array([frame.shot for frame in frames])
    places = np.arange(len(frames))
    found: set[Pair] = set()
    for start in range(0, len(frames), _ROWS_AT_ONCE):
        block = weights @ weights[start : start + _ROWS_AT_ONCE].toarray().T
        for place, similarity in enumerate(block.T, start):
            neighbour = (np.abs(places - place) < REVISIT_MIN_GAP) & (shots == shots[place])
            similarity[neighbour] = -1.0
            for _ in range(_REVISITS_PER_FRAME):
                best = int(similarity.argmax())
                if similarity[best] <= 0.0:
                    break
                first, second = sorted((frames[place].index, frames[best].index))
                found.add((first, second))
                similarity[max(0, best - _SPREAD) : best + _SPREAD + 1] = -1.0
    return sorted(found)


_ROWS_AT_ONCE = 64  # frames compared with all others in one product
_SPREAD = 3  # frames: the neighbours of a candidate say the same, so the next candidate is looked for elsewhere
