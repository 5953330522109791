"""What a thing may be, and what speaks for that name over all frames: each clue a number from 0 (against) to 1 (for).

No network is asked for probabilities it does not have. How large, how high and on what a thing stands is not weighed
here: on ten labelled tours that made no name surer. Nor did the number of frames, whether tracks placed it, and another
thing of another name at its place, on fifteen. Whether the box of a thing allows its name is `certainty`'s to say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.segments import SegmentMap, classes_of_kind
from instructions.perception.models.light.labels import ade150_words, head_of
from instructions.perception.things.close_look import list_tags
from instructions.perception.things.lift import Lifted
from instructions.records import Box, Detection, Support
from recon.geometry import Array
from recon.records import SceneModel

SegmentsOf = Callable[[int], SegmentMap | None]
"""Segments of a frame; None where it has none."""
_FILLED = 0.5
"""A word whose segments fill this share of a box is confirmed there; a chair leaves as much of its box to others."""
_MANY_LOOKS = 8
"""More looks tell no more."""
_WIDE_DEG = 40.0
"""A thing seen from directions that lie so far apart was seen from two sides."""
NEUTRAL = 0.5
"""Of a clue that nobody could look for ..."""
NEUTRAL_TAG = 0.3
"""... and of one that is mostly missing: the tagger knows a thousand words, and chooses among them."""
NEUTRAL_BOTH = 0.3
"""Of the part of a box that segmenters agree on, where none of them has a word for the thing."""
_SURE_TAG = 0.3
"""So much probability of one word of a thousand is all that one can ask."""
_LEAST_TOLD = 0.02
"""Words with a smaller share of the evidence are left out."""


@dataclass(frozen=True)
class Verdict:
    """What a thing is."""

    categories: tuple[tuple[str, float], ...] = ()
    """Words with probabilities, best first; empty if nobody weighed them."""
    support: Support | None = None
    clues: tuple[tuple[str, float], ...] = ()
    """What speaks for the best word, by name."""


def weigh_words(members: Sequence[Lifted], detections: Sequence[Detection]) -> tuple[tuple[str, float], ...]:
    """Words that boxes of a thing were given, with their shares of the evidence: per frame the best score, summed.

    The first is the best: of the kind with most evidence the word that was said most. The others follow by evidence.

    Args:
        members: The thing's detections in the world, at least one.
        detections: All detections; `Lifted.row` points into them.
    """
    best: dict[tuple[int, str], float] = {}
    for one in members:
        detection = detections[one.row]
        for word, score in ((detection.label, detection.score), *detection.also):
            best[one.frame, word] = max(score, best.get((one.frame, word), 0.0))
    evidence: dict[str, float] = defaultdict(float)
    kinds: dict[str, float] = defaultdict(float)
    for (_, word), score in best.items():
        evidence[word] += score
        kinds[head_of(word)] += score
    kind = min(kinds, key=lambda one: (-kinds[one], one))
    order = sorted(evidence, key=lambda word: (-evidence[word], word))
    first = next(word for word in order if head_of(word) == kind)
    least = _LEAST_TOLD * sum(evidence.values())
    listed = [first, *(word for word in order if word != first and evidence[word] >= least)]
    whole = sum(evidence[word] for word in listed)
    return tuple((word, evidence[word] / whole) for word in listed)


def measure_clues(
    word: str,
    shares: Mapping[str, float],
    members: Sequence[Lifted],
    detections: Sequence[Detection],
    model: SceneModel,
    segments_of: Sequence[SegmentsOf] = (),
) -> dict[str, float]:
    """Clues for a word.

    Args:
        word: What the thing is most likely.
        shares: Of all words in the evidence, adding up to 1.
        members: The thing's detections in the world, in frames that were looked at.
        detections: All detections; `Lifted.row` points into them.
        model: Their model.
        segments_of: Give the segments of a frame, the coarse segmenter's and the fine one's.

    Returns:
        By name: `share` of the evidence that has a word of this kind; number and spread of its `views`; how far the
        `fine` segments of all looks fill its boxes, and which part of them `both` segmenters call so; those of a close
        look as if nobody had looked.
    """
    head = head_of(word)
    naming_frames = {
        member.frame
        for member in members
        for label, _ in ((detections[member.row].label, 0.0), *detections[member.row].also)
        if head_of(label) == head
    }
    boxes = [(one.frame, detections[one.row].box_xyxy) for one in members]
    return {
        "share": sum(share for other, share in shares.items() if head_of(other) == head),
        "views": _measure_views(members, len(naming_frames), model),
        "close": NEUTRAL,
        "tag": NEUTRAL_TAG,
        **_measure_segments(head, boxes, segments_of),
    }


def _measure_segments(
    head: str, boxes: Sequence[tuple[int, Box]], segments_of: Sequence[SegmentsOf]
) -> dict[str, float]:
    """Mean over boxes of how far fine segments fill them with a kind, and of the part where both segmenters see it."""
    fine: list[float] = []
    both: list[float] = []
    for frame, box_xyxy in boxes:
        maps = [segments for one in segments_of if (segments := one(frame)) is not None]
        seen = {segments.vocabulary: _find_kind(head, segments, box_xyxy) for segments in maps}
        known = [inside for inside in seen.values() if inside is not None]
        if (of_fine := seen.get(ade150_words())) is not None:
            fine.append(min(1.0, float(of_fine.mean()) / _FILLED))
        if known:
            both.append(float(np.mean(np.logical_and.reduce([_stretch(one, known[0].shape) for one in known]))))
    return {"fine": float(np.mean(fine or [NEUTRAL])), "both": float(np.mean(both or [NEUTRAL_BOTH]))}


def _find_kind(head: str, segments: SegmentMap, box_xyxy: Box) -> NDArray[np.bool_] | None:
    """Cells of a box that belong to a kind; None if the segmenter has no word for it or the box has no cell."""
    inside = segments.inside(box_xyxy)
    kinds = classes_of_kind(head, segments.vocabulary)
    return kinds[inside] if kinds.any() and inside.size else None


def _stretch(cells: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The nearest cells on another grid."""
    rows, columns = (np.arange(size) * own // size for size, own in zip(shape, cells.shape, strict=True))
    return cells[np.ix_(rows, columns)]


def measure_close_segments(word: str, shares: Mapping[str, float]) -> float:
    """How far the segments of a close look, by their share of the box, confirm a word."""
    return min(1.0, sum(share for other, share in shares.items() if head_of(other) == head_of(word)) / _FILLED)


def measure_close_tags(word: str, tags: Mapping[str, float]) -> float:
    """How far the tags of a close look, by their probability, confirm a word."""
    return min(1.0, sum(share for other, share in tags.items() if other in list_tags(word)) / _SURE_TAG)


def _measure_views(members: Sequence[Lifted], found: int, model: SceneModel) -> float:
    """How many looks found it, by their logarithm, and how far apart the directions lie it was seen from."""
    middle = np.median(np.concatenate([member.points for member in members]), axis=0)
    return measure_sides(np.array([model.world_from_cam[one.frame].center - middle for one in members]), found)


def measure_sides(ways: Array, found: int) -> float:
    """The same by the ways from the thing to the cameras (n, 3), and how many looks found it."""
    many = min(1.0, float(np.log2(1 + found) / np.log2(1 + _MANY_LOOKS)))
    lengths = np.linalg.norm(ways, axis=1, keepdims=True)
    ways = ways[lengths[:, 0] > 0] / lengths[lengths[:, 0] > 0]
    wide = min(1.0, _widest_deg(ways) / _WIDE_DEG) if len(ways) else 0.0
    return float(np.sqrt(many * wide))


def _widest_deg(ways: Array) -> float:
    return float(np.degrees(np.arccos(np.clip((ways @ ways.T).min(), -1.0, 1.0))))
