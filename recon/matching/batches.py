"""Match many pairs, and find the words of many frames, in batches that are given out as tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from recon.matching.interfaces import CompactKeypoints, Features, PairMatch
from recon.matching.pairs import (
    REVISIT_MIN_GAP,
    SAMPLE,
    WORDS_PER_FRAME,
    Pair,
    Vocabulary,
    pairs_at,
    revisit_candidates,
    word_weights,
)
from recon.records import Frame
from recon.tasks import FanOut, Progress, map_here


@dataclass(frozen=True, eq=False)
class _PairBatch:
    """Pairs, and the keypoints of the frames in them."""

    pairs: Sequence[Pair]
    keypoints: Mapping[int, CompactKeypoints]


@dataclass(frozen=True)
class _MatchPairs:
    """The matches of a batch of pairs, in their order."""

    features: Features
    rich: frozenset[int]  # frames for which the first `features.enough` keypoints are enough

    def __call__(self, batch: _PairBatch) -> list[PairMatch]:
        return [self._match(pair, batch.keypoints) for pair in batch.pairs]

    def _match(self, pair: Pair, keypoints: Mapping[int, CompactKeypoints]) -> PairMatch:
        first, second = (keypoints[frame] for frame in pair)
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
        task = _MatchPairs(self.features, rich)
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


@dataclass(frozen=True, eq=False)
class BlockMatches:
    """What the frames of a block have in common with those after them."""

    pairs: dict[Pair, PairMatch]  # all that were tried, by the first frame of the block; sorted
    rich: frozenset[int]
    """Frames of the block with plenty in common with those next to them: for these `features.enough` keypoints do."""


def match_block(
    matcher: PairMatcher,
    frames: Sequence[Frame],
    gaps: Sequence[int],
    block: range | None = None,
    progress: Progress = lambda done: None,
) -> BlockMatches:
    """Match the neighbours of a block of frames, and learn from those next to each other how much each frame needs.

    Blocks that part a tour give together what the tour gives as one.

    Args:
        matcher: Loads the keypoints of the block and of its halo: one frame before it, and after it one more than the
            widest gap.
        frames: In time order, with the halo.
        gaps: From one frame of a pair to the other.
        block: Places in `frames` whose pairs are wanted, all by default.
        progress: Called with a fraction from 0 to 1.
    """
    inside = {frame.index for frame in (frames if block is None else frames[block.start : block.stop])}
    pairs = pairs_at(frames, gaps)
    wanted = [pair for pair in pairs if pair[0] in inside]
    next_to = {pair for pair in pairwise(frame.index for frame in frames)}.intersection(pairs)
    every = frozenset(frame.index for frame in frames)
    steps = matcher.match(sorted(next_to), lambda done: progress(0.2 * done), every)
    poor = {frame for pair, match in steps.items() if len(match.inliers) < matcher.features.plenty for frame in pair}
    rich = every - poor
    known = {pair: match for pair in wanted if rich.issuperset(pair) and (match := steps.get(pair)) is not None}
    rest = [pair for pair in wanted if pair not in known]
    found = matcher.match(rest, lambda done: progress(0.2 + 0.8 * done), rich)
    return BlockMatches(dict(sorted({**known, **found}.items())), rich & inside)


_PAIRS_AT_ONCE = 64  # of a task: work enough that handing it out costs little beside. Set by hand.
_FRAMES_AT_ONCE = 16  # of a task of words, for the same reason


def plan_revisits(matcher: PairMatcher, frames: Sequence[Frame], seed: int) -> list[Pair]:
    """The pairs of frames of different times that are worth trying, sorted, by the words of all frames."""
    if len(frames) <= REVISIT_MIN_GAP:
        return []
    share = min(max(1, SAMPLE // len(frames)), WORDS_PER_FRAME)
    sample = np.concatenate([matcher.load(frame.index).vectors[:share] for frame in frames])
    if len(sample) == 0:
        return []
    vocabulary = Vocabulary(sample, seed)
    return revisit_candidates(frames, word_weights(matcher.words(frames, vocabulary), vocabulary.size))
