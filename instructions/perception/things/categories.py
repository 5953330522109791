"""What a thing may be: the words that networks gave it over all frames, weighed by what its size and place allow.

No network is asked for probabilities it does not have. A word's share is the evidence behind it (scores over frames)
times how well the thing fits what such things are like, so that a second word wins where the first cannot be: a screen
of three metres is what else it was called.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from instructions.perception.frames.segments import SegmentMap
from instructions.perception.models.light.labels import head_of, words
from instructions.perception.things.clues import SegmentsOf
from instructions.perception.things.lift import Lifted
from instructions.perception.things.plausible import LEAST_FIT, Measures, judge_fit
from instructions.records import Box, Detection, Support

_SEGMENT_SCORE = 0.5
"""A word whose segments are all that stands in a box has so much more evidence there: the segmenter gives no scores."""
_LEAST_SHARE = 0.15
"""Share of a box that segments other than wall, floor and ceiling fill, to say something of the thing."""
_LEAST_TOLD = 0.02
"""Words with a smaller share of the evidence are left out."""


@dataclass(frozen=True)
class Verdict:
    """What a thing is, or why it is none."""

    categories: tuple[tuple[str, float], ...] = ()
    """Words with shares of the evidence or, once its clues were weighed, probabilities, best first; empty if it is
    none, or if nobody weighed them."""
    support: Support | None = None
    refused: str | None = None
    clues: tuple[tuple[str, float], ...] = ()
    """What speaks for the best word, by name."""


def weigh_words(
    members: Sequence[Lifted], detections: Sequence[Detection], segments_of: SegmentsOf
) -> Mapping[str, float]:
    """Evidence for each word that a box was given: per frame its best score and its share of the segments, summed.

    Segments alone give no new word: a box around a wall holds the plant before it, too.

    Args:
        members: The thing's detections in the world.
        detections: All detections; `Lifted.row` points into them.
        segments_of: Gives the segments of a frame; frames without any say less, and nothing else changes.
    """
    best: dict[tuple[int, str], float] = {}
    shown: dict[tuple[int, str], float] = {}
    for one in members:
        said = detections[one.row]
        for word, score in ((said.label, said.score), *said.also):
            best[one.frame, word] = max(score, best.get((one.frame, word), 0.0))
        for word, share in _measure_segments(said.box_xyxy, segments_of(one.frame)).items():
            shown[one.frame, word] = max(share, shown.get((one.frame, word), 0.0))
    evidence: dict[str, float] = defaultdict(float)
    for (_, word), score in best.items():
        evidence[word] += score
    for (_, word), share in shown.items():
        if word in evidence:
            evidence[word] += _SEGMENT_SCORE * share
    return evidence


def choose_category(evidence: Mapping[str, float], found: Measures, relative_sigma: float) -> Verdict:
    """What a thing is: the head word with most evidence that fits, and of its kinds the one said most.

    Args:
        evidence: By word.
        found: Its measures.
        relative_sigma: How far lengths may be off, as a share: the scale's.
    """
    fits = {word: judge_fit(words()[word], found, relative_sigma) for word in evidence if word in words()}
    weighed = {word: evidence[word] * fits[word].fit if word in fits else evidence[word] for word in evidence}
    heads: dict[str, float] = defaultdict(float)
    for word, weight in weighed.items():
        heads[head_of(word)] += weight
    head = min(heads, key=lambda one: (-heads[one], one))
    best = min((word for word in weighed if head_of(word) == head), key=lambda word: (-weighed[word], word))
    if best in fits and fits[best].fit < LEAST_FIT:
        said = min(
            evidence, key=lambda word: (-evidence[word], word)
        )  # what it was called tells more than what is left
        return Verdict(refused=fits[said].reason if said in fits and fits[said].reason else fits[best].reason)
    total = sum(weighed.values())
    rest = [(word, weight) for word, weight in weighed.items() if word != best and weight >= _LEAST_TOLD * total]
    told = [(best, weighed[best]), *sorted(rest, key=lambda one: (-one[1], one[0]))]
    whole = sum(weight for _, weight in told)
    shares = tuple((word, weight / whole) for word, weight in told)
    return Verdict(shares, found.support)


def _measure_segments(box_xyxy: Box, segments: SegmentMap | None) -> Mapping[str, float]:
    """Share of each word in what segments name in a box besides wall, floor and ceiling; nothing if that is little."""
    if segments is None:
        return {}
    inside = segments.inside(box_xyxy)
    known = segments.vocabulary
    counts = np.bincount(inside.ravel(), minlength=len(known))
    named = {
        word: int(counts[number])
        for number, word in enumerate(known)
        if word in words() and words()[word].role != "surface" and counts[number]
    }
    whole = sum(named.values())
    return {word: count / whole for word, count in named.items()} if whole >= _LEAST_SHARE * inside.size else {}
