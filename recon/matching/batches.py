"""Find the keypoints and words of many frames, and match many pairs, in batches that are given out as tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.errors import ReconError
from recon.matching.interfaces import CompactKeypoints, Features, Keypoints, PairMatch
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
from recon.pictures import read_picture_file
from recon.records import Frame
from recon.tasks import FanOut, Progress, map_here
from recon.video.picture import Image


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


_PAIRS_AT_ONCE = 64  # of a task: work enough that handing it out costs little beside. Set by hand.
_FRAMES_AT_ONCE = 16  # of a task of words, for the same reason


def _plan_revisits(matcher: PairMatcher, frames: Sequence[Frame], seed: int) -> list[Pair]:
    """The pairs of frames of different times that are worth trying, sorted, by the words of all frames."""
    if len(frames) <= REVISIT_MIN_GAP:
        return []
    share = min(max(1, SAMPLE // len(frames)), WORDS_PER_FRAME)
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
        picture = read_picture_file(path, cv2.IMREAD_GRAYSCALE if self.features.is_grey else cv2.IMREAD_COLOR)
        if picture is None:
            raise ReconError(f"{path}: not a readable image; delete the run folder and start again")
        height, width = picture.shape[:2]
        if not self.any_size and (width, height) != (frame.width, frame.height):
            need = (frame.width, frame.height)
            raise ReconError(f"{frame.image}: size {(width, height)}, need {need}: all frames have one size")
        if not self.features.is_grey:
            picture = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
        found = self.features.detect(picture.astype(np.uint8, copy=False), self.mask)
        if (width, height) == (frame.width, frame.height):
            return found
        ratio = np.array([frame.width / width, frame.height / height], np.float32)
        return Keypoints(found.xy * ratio, found.descriptors)
