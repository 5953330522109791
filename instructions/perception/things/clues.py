"""What speaks for the name of a thing, over all frames: each clue a number from 0 (against it) to 1 (for it)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from instructions.perception.frames.segments import SegmentMap
from instructions.perception.models.light.labels import head_of
from instructions.perception.things.close_look import CloseView, is_segmented, list_tags
from instructions.perception.things.lift import Lifted
from instructions.records import Detection
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
_SURE_TAG = 0.3
"""So much probability of one word of a thousand is all that one can ask."""


def measure_clues(
    word: str,
    shares: Mapping[str, float],
    members: Sequence[Lifted],
    detections: Sequence[Detection],
    model: SceneModel,
    close: CloseView | None = None,
) -> dict[str, float]:
    """Clues for a word.

    Args:
        word: What the thing is most likely.
        shares: Of all words in the evidence, adding up to 1.
        members: The thing's detections in the world, in frames that were looked at.
        detections: All detections; `Lifted.row` points into them.
        model: Their model.
        close: A close look at the thing.

    Returns:
        By name: `share` of the evidence that has a word of this kind; mean `score` of the looks that found it; number
        and spread of its `views`; how far segments (`close`) and tags (`tag`) of a close look confirm it.
    """
    head = head_of(word)
    scores: dict[int, float] = {}
    for one in members:
        said = detections[one.row]
        for label, score in ((said.label, said.score), *said.also):
            if head_of(label) == head:
                scores[one.frame] = max(score, scores.get(one.frame, 0.0))
    return {
        "share": sum(share for other, share in shares.items() if head_of(other) == head),
        "score": float(np.mean([*scores.values()])) if scores else 0.0,
        "views": _measure_views(members, len(scores), model),
        "close": _measure_close(head, close),
        "tag": _measure_tags(head, close),
    }


def _measure_close(head: str, close: CloseView | None) -> float:
    """How far segments of a close look fill a thing's box with words of its kind; neutral if they have none."""
    if close is None or not is_segmented(head):
        return NEUTRAL
    return min(1.0, sum(share for word, share in close.segments.items() if head_of(word) == head) / _FILLED)


def _measure_tags(head: str, close: CloseView | None) -> float:
    """How sure a tagger is of words that mean such a thing."""
    meant = list_tags(head)
    if close is None or not meant:
        return NEUTRAL_TAG
    return min(1.0, sum(share for word, share in close.tags.items() if word in meant) / _SURE_TAG)


def _measure_views(members: Sequence[Lifted], found: int, model: SceneModel) -> float:
    """How many looks found it, by their logarithm, and how far apart the directions lie it was seen from."""
    middle = np.median(np.concatenate([one.points for one in members]), axis=0)
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
