"""Match many pairs, and find the words of many frames, in batches that are given out as tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from recon.matching.interfaces import CompactKeypoints, Features, PairMatch
from recon.matching.pairs import Pair, Vocabulary
from recon.records import Frame
from recon.tasks import FanOut

Progress = Callable[[float], None]

WORDS_PER_FRAME = 600  # the strongest keypoints speak for a frame


@dataclass(frozen=True, eq=False)
class _PairBatch:
    """Pairs, and the keypoints of the frames in them."""

    pairs: Sequence[Pair]
    keypoints: Mapping[int, CompactKeypoints]


@dataclass(frozen=True)
class _MatchPairs:
    """The matches of a batch of pairs, in their order."""

    features: Features
    rich: frozenset[int]
    """Frames for which the first `features.enough` keypoints are enough."""

    def __call__(self, batch: _PairBatch) -> list[PairMatch]:
        return [
            self._match(batch.keypoints[first], batch.keypoints[second], (first, second))
            for first, second in batch.pairs
        ]

    def _match(self, first: CompactKeypoints, second: CompactKeypoints, pair: Pair) -> PairMatch:
        if self.rich.issuperset(pair):
            first, second = first.first(self.features.enough), second.first(self.features.enough)
        return self.features.match(first, second)


@dataclass(frozen=True, eq=False)
class _FindWords:
    """The words of a batch of frames, per frame."""

    vocabulary: Vocabulary

    def __call__(self, batch: Sequence[NDArray[np.float32]]) -> list[NDArray[np.int64]]:
        return [self.vocabulary.words(vectors) for vectors in batch]


class PairMatcher:
    """Matches pairs with as many keypoints as they need."""

    def __init__(
        self,
        load: Callable[[int], CompactKeypoints],
        features: Features,
        plenty: int,
        fan_out: FanOut,
    ) -> None:
        """Take how a frame's keypoints are loaded, their kind, and `FeatureOptions.plenty`."""
        self.load = load
        self._features = features
        self._plenty = plenty
        self._fan_out = fan_out
        self._rich: frozenset[int] = frozenset()

    def neighbours(self, frames: Sequence[Frame], pairs: Sequence[Pair], progress: Progress) -> dict[Pair, PairMatch]:
        """Match pairs of neighbours (sorted), and learn from those next to each other how much each frame needs."""
        every = frozenset(frame.index for frame in frames)
        next_to = {pair for pair in pairwise(frame.index for frame in frames)}.intersection(pairs)
        self._rich = every
        steps = self.match(sorted(next_to), lambda done: progress(0.2 * done))
        poor = {frame for pair, match in steps.items() if len(match.inliers) < self._plenty for frame in pair}
        self._rich = every - poor
        known = {pair: match for pair, match in steps.items() if self._rich.issuperset(pair)}
        rest = [pair for pair in pairs if pair not in known]
        return dict(sorted({**known, **self.match(rest, lambda done: progress(0.2 + 0.8 * done))}.items()))

    def match(self, pairs: Sequence[Pair], progress: Progress) -> dict[Pair, PairMatch]:
        """Match all pairs (sorted), a few first frames at a time so that memory stays bounded."""
        task = _MatchPairs(self._features, self._rich)
        batches = [pairs[start : start + _PAIRS_AT_ONCE] for start in range(0, len(pairs), _PAIRS_AT_ONCE)]
        matched: dict[Pair, PairMatch] = {}
        for batch, found in zip(batches, self._fan_out(task, map(self._load_pair, batches)), strict=True):
            matched.update(zip(batch, found, strict=True))
            progress(len(matched) / len(pairs))
        return matched

    def words(self, frames: Sequence[Frame], vocabulary: Vocabulary) -> list[NDArray[np.int64]]:
        """The words of each frame's strongest keypoints."""
        batches = (
            [self.load(frame.index).vectors[:WORDS_PER_FRAME] for frame in frames[start : start + _FRAMES_AT_ONCE]]
            for start in range(0, len(frames), _FRAMES_AT_ONCE)
        )
        return [words for batch in self._fan_out(_FindWords(vocabulary), batches) for words in batch]

    def _load_pair(self, pairs: Sequence[Pair]) -> _PairBatch:
        return _PairBatch(pairs, {frame: self.load(frame) for frame in sorted({f for pair in pairs for f in pair})})


_PAIRS_AT_ONCE = 64
"""Of a task: work enough that handing it out costs little beside. Set by hand."""
_FRAMES_AT_ONCE = 16
"""Of a task of words, for the same reason."""
