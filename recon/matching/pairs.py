"""Which frames to match: neighbours in time, and revisits found with a vocabulary of the tour's own descriptors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from recon.matching.matching import MatchOptions
from recon.ranges import AtLeastOne, Count, Share
from recon.records import Frame

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Pair = tuple[int, int]  # frame indices, first < second


@dataclass(frozen=True, kw_only=True)
class PairOptions:
    """Which pairs of frames are matched, and when a revisit is believed."""

    linear_overlap: AtLeastOne = 6
    """Each frame is matched with this many frames after it."""
    quadratic_overlap: Annotated[int, Ge(0), Le(30)] = 2
    """And with this many more at doubling distance (8, 16, ...): long baselines make the walk stiff."""
    revisits_per_frame: Count = 3
    """Most similar frames from another time that are tried per frame; 0 finds no revisits."""
    revisit_min_gap: AtLeastOne = 20
    """Frames closer than this in one shot are neighbours, not revisits."""
    revisit_min_inliers: AtLeastOne = 25
    """Stricter than for neighbours, since nothing but the picture says that the places are the same."""
    revisit_min_inlier_ratio: Share = 0.5
    """Share of the matches that one geometry explains; look-alikes (tiles, equal doors) stay below."""
    revisit_support: AtLeastOne = 3
    """A revisit needs a second one, of other frames, within this many frames on both sides; 0 asks for none."""
    words: AtLeastOne = 4000
    """Size of the vocabulary; 2000 found a tenth fewer revisits."""
    match: MatchOptions = field(default_factory=MatchOptions)
    """How each pair is matched."""


def sequential_gaps(options: PairOptions = PairOptions()) -> tuple[int, ...]:
    """How many frames after a frame those lie that it is matched with, from `linear_` and `quadratic_overlap`."""
    reach = list(range(1, options.linear_overlap + 1))
    step = 1
    while step <= options.linear_overlap:
        step *= 2
    return (*reach, *(step * 2**k for k in range(options.quadratic_overlap)))


def pairs_at(frames: Sequence[Frame], gaps: Sequence[int]) -> list[Pair]:
    """Frames of one shot at these distances in it, also across clip borders, sorted.

    Args:
        frames: In time order.
        gaps: From one frame of a pair to the other.
    """
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

    def __init__(self, sample: NDArray[np.float32], words: int, seed: int) -> None:
        """Draw at most `words` words from a sample (S, D) of compact descriptors."""
        drawn = np.random.default_rng(seed).permutation(len(sample))[: min(words, max(1, len(sample) // 4))]
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


def revisit_candidates(frames: Sequence[Frame], weights: csr_array, options: PairOptions = PairOptions()) -> list[Pair]:
    """For each frame its most similar frames from another time or shot, spread over time, sorted.

    Args:
        frames: In time order.
        weights: (F, words) unit vectors in the order of `frames`, from `word_weights`.
        options: `revisits_per_frame` and `revisit_min_gap` are used.
    """
    shots = np.array([frame.shot for frame in frames])
    places = np.arange(len(frames))
    found: set[Pair] = set()
    for start in range(0, len(frames), _ROWS_AT_ONCE):
        block = weights @ weights[start : start + _ROWS_AT_ONCE].toarray().T
        for place, similarity in enumerate(block.T, start):
            neighbour = (np.abs(places - place) < options.revisit_min_gap) & (shots == shots[place])
            similarity[neighbour] = -1.0
            for _ in range(options.revisits_per_frame):
                best = int(similarity.argmax())
                if similarity[best] <= 0.0:
                    break
                first, second = sorted((frames[place].index, frames[best].index))
                found.add((first, second))
                similarity[max(0, best - _SPREAD) : best + _SPREAD + 1] = -1.0
    return sorted(found)


_ROWS_AT_ONCE = 64  # frames compared with all others in one product
_SPREAD = 3  # frames: the neighbours of a candidate say the same, so the next candidate is looked for elsewhere
