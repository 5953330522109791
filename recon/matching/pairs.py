"""Which frames to match, and their keypoints and matches in batches that are given out as tasks.

Frames are matched with their neighbours in time, and with revisits, found with a vocabulary of the tour's own
descriptors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.errors import ReconError
from recon.matching.interfaces import CompactKeypoints, Features, Keypoints, PairMatch
from recon.pictures import read_picture_file
from recon.records import Frame
from recon.tasks import FanOut, Progress, map_here
from recon.video.picture import Image

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Pair = tuple[int, int]  # frame indices, first < second

_REVISITS_PER_FRAME = 3  # most similar frames from another time that are tried per frame
REVISIT_MIN_GAP = 20  # frames closer than this in one shot are neighbours, not revisits
_WORDS = 4000  # size of the vocabulary; 2000 found a tenth fewer revisits
_WORDS_PER_FRAME = 600  # the strongest keypoints speak for a frame
_SAMPLE = 50_000  # descriptors that axes and vocabulary of a tour are made from


def count_sampled(frames: Sequence[Frame]) -> int:
    """How many descriptors of each frame axes and vocabulary are made from."""
    return min(max(1, _SAMPLE // len(frames)), _WORDS_PER_FRAME)


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
    for start in range(0, len(frames), _AT_ONCE):
        block = weights @ weights[start : start + _AT_ONCE].toarray().T
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


_SPREAD = 3  # frames: the neighbours of a candidate say the same, so the next candidate is looked for elsewhere


def _match_pairs(
    features: Features, rich: frozenset[int], batch: tuple[Sequence[Pair], Mapping[int, CompactKeypoints]]
) -> list[PairMatch]:
    """A task: the matches of a batch of pairs, in their order; of `rich` frames the first keypoints are enough."""
    found = []
    for pair in batch[0]:
        first, second = (batch[1][frame] for frame in pair)
        if rich.issuperset(pair):
            first, second = first.first(features.enough), second.first(features.enough)
        found.append(features.match(first, second))
    return found


def _find_words(vocabulary: Vocabulary, batch: Sequence[NDArray[np.float32]]) -> list[NDArray[np.int64]]:
    """A task: the words of a batch of frames, per frame."""
    return [vocabulary.words(vectors) for vectors in batch]


class PairMatcher:
    """Matches pairs of frames whose keypoints are loaded when they are needed."""

    def __init__(self, load: Callable[[int], CompactKeypoints], features: Features, fan_out: FanOut = map_here) -> None:
        """Take how a frame's keypoints are loaded, their kind, and who gives out batches."""
        self.load = load
        self.features = features
        self._fan_out = fan_out

    def match(
        self, pairs: Sequence[Pair], progress: Progress = lambda done: None, rich: frozenset[int] = frozenset()
    ) -> dict[Pair, PairMatch]:
        """Match all pairs (sorted), a few first frames at a time so that memory stays bounded."""
        task = partial(_match_pairs, self.features, rich)
        batches = [pairs[start : start + _AT_ONCE] for start in range(0, len(pairs), _AT_ONCE)]
        matched: dict[Pair, PairMatch] = {}
        for batch, found in zip(batches, self._fan_out(task, map(self._load_pair, batches)), strict=True):
            matched.update(zip(batch, found, strict=True))
            progress(len(matched) / len(pairs))
        return matched

    def words(self, frames: Sequence[Frame], vocabulary: Vocabulary) -> list[NDArray[np.int64]]:
        """The words of each frame's strongest keypoints."""
        batches = (
            [self.load(frame.index).vectors[:_WORDS_PER_FRAME] for frame in frames[start : start + _AT_ONCE]]
            for start in range(0, len(frames), _AT_ONCE)
        )
        return [words for batch in self._fan_out(partial(_find_words, vocabulary), batches) for words in batch]

    def _load_pair(self, pairs: Sequence[Pair]) -> tuple[Sequence[Pair], Mapping[int, CompactKeypoints]]:
        return pairs, {frame: self.load(frame) for frame in sorted({f for pair in pairs for f in pair})}


def match_frames(
    matcher: PairMatcher, frames: Sequence[Frame], seed: int, progress: Progress, further: Iterable[Pair] = ()
) -> tuple[dict[Pair, PairMatch], dict[Pair, PairMatch]]:
    """Match frames with their neighbours, with those of other times that look alike, and in `further` pairs.

    Those next to each other are matched first, and tell how much a frame needs.

    Returns:
        Neighbours and revisits that were tried, sorted.
    """
    pairs = pairs_at(frames, matcher.features.gaps)
    next_to = {pair for pair in pairwise(frame.index for frame in frames)}.intersection(pairs)
    every = frozenset(frame.index for frame in frames)
    steps = matcher.match(sorted(next_to), lambda done: progress(0.1 * done), every)
    poor = {frame for pair, match in steps.items() if len(match.inliers) < matcher.features.plenty for frame in pair}
    rich = every - poor
    known = {pair: match for pair, match in steps.items() if rich.issuperset(pair)}
    rest = matcher.match([pair for pair in pairs if pair not in known], lambda done: progress(0.1 + 0.5 * done), rich)
    neighbours = dict(sorted({**known, **rest}.items()))
    wanted = sorted({*_plan_revisits(matcher, frames, seed), *further} - neighbours.keys())
    return neighbours, matcher.match(wanted, lambda done: progress(0.6 + 0.4 * done), rich)


_AT_ONCE = 64  # pairs or frames of a task: work enough that handing it out costs little beside. Set by hand.


def _plan_revisits(matcher: PairMatcher, frames: Sequence[Frame], seed: int) -> list[Pair]:
    """The pairs of frames of different times that are worth trying, sorted, by the words of all frames."""
    if len(frames) <= REVISIT_MIN_GAP:
        return []
    share = count_sampled(frames)
    sample = np.concatenate([matcher.load(frame.index).vectors[:share] for frame in frames])
    if len(sample) == 0:
        return []
    vocabulary = Vocabulary(sample, seed)
    return revisit_candidates(frames, word_weights(matcher.words(frames, vocabulary), vocabulary.size))


@dataclass(frozen=True, eq=False)
class Detect:
    """The keypoints of one frame, in its pixels."""

    pictures_dir: Path  # pictures by the frames' names
    features: Features
    mask: Image | None  # (H, W) of the frames, 0 where none may have a keypoint
    any_size: bool = False  # whether the pictures may have more lines than the frames

    def __call__(self, frame: Frame) -> Keypoints:
        """See the class.

        Raises:
            ReconError: If the picture cannot be read or has another size.
        """
        path = self.pictures_dir / frame.image
        picture = read_picture_file(path, cv2.IMREAD_GRAYSCALE if self.features.is_gray else cv2.IMREAD_COLOR)
        if picture is None:
            raise ReconError(f"{path}: not a readable image; delete the run folder and start again")
        height, width = picture.shape[:2]
        if not self.any_size and (width, height) != (frame.width, frame.height):
            need = (frame.width, frame.height)
            raise ReconError(f"{frame.image}: size {(width, height)}, need {need}: all frames have one size")
        if not self.features.is_gray:
            picture = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
        found = self.features.detect(picture.astype(np.uint8, copy=False), self.mask)
        if (width, height) == (frame.width, frame.height):
            return found
        ratio = np.array([frame.width / width, frame.height / height], np.float32)
        return Keypoints(found.xy * ratio, found.descriptors)
