"""Places that are seen again: which pairs of frames are tried."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recon.matching.batches import WORDS_PER_FRAME, PairMatcher
from recon.matching.pairs import (
    Pair,
    PairOptions,
    Vocabulary,
    revisit_candidates,
    word_weights,
)
from recon.records import Frame

SAMPLE = 50_000
"""Descriptors that axes and vocabulary of a tour are made from."""


def plan_revisits(matcher: PairMatcher, frames: Sequence[Frame], options: PairOptions, seed: int) -> list[Pair]:
    """The pairs that are worth trying, sorted, by the words of all frames.

    Args:
        matcher: Loads their keypoints.
        frames: All that are matched, in time order.
        options: Which pairs are tried.
        seed: Of the vocabulary.
    """
    if options.revisits_per_frame == 0 or len(frames) <= options.revisit_min_gap:
        return []
    share = max(1, SAMPLE // len(frames))
    sample = np.concatenate([matcher.load(frame.index).vectors[: min(share, WORDS_PER_FRAME)] for frame in frames])
    if len(sample) == 0:
        return []
    vocabulary = Vocabulary(sample, options.words, seed)
    words = matcher.words(frames, vocabulary)
    return revisit_candidates(frames, word_weights(words, vocabulary.size), options)
