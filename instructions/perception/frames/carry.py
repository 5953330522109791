"""Boxes for the frames between two looks: moved there from both sides, as between the key frames of an annotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from instructions.facts.overlap import box_iou
from instructions.perception.frames.view_flow import Thumbnail, measure_flow, read_thumbnail
from instructions.perception.interfaces import FoundBox
from recon.tasks import fixed_threads

_SAME_OVERLAP = 0.4
"""Boxes of one word that overlap more after both were moved to one frame are one thing."""
_ONE_SIDE = 0.8
"""Factor on the score of what only one of the two looks saw: it may be gone, or not yet there."""


@dataclass(frozen=True)
class LookedFrame:
    """A frame that was looked at, or is to get boxes."""

    frame: int
    path: Path
    width: int
    height: int
    boxes: tuple[FoundBox, ...] = ()


@dataclass(frozen=True)
class Gap:
    """Frames between two looks, in time order."""

    before: LookedFrame
    between: tuple[LookedFrame, ...]
    after: LookedFrame


@dataclass(frozen=True)
class CarryTask:
    """Fills gaps, in whatever process."""

    least_score: float

    def __call__(self, gap: Gap) -> list[tuple[int, list[FoundBox] | None]]:
        """Boxes of each frame between, best first; None for a frame whose picture cannot be read."""
        with fixed_threads():
            first, last = _thumbnail(gap.before), _thumbnail(gap.after)
            filled: list[tuple[int, list[FoundBox] | None]] = []
            for number, one in enumerate(gap.between, start=1):
                own = _thumbnail(one)
                if own is None:
                    filled.append((one.frame, None))
                    continue
                at = number / (len(gap.between) + 1)
                before, after = _move(gap.before.boxes, first, own), _move(gap.after.boxes, last, own)
                filled.append((one.frame, blend_boxes(before, after, at, self.least_score)))
            return filled


def blend_boxes(before: Sequence[FoundBox], after: Sequence[FoundBox], at: float, least_score: float) -> list[FoundBox]:
    """Boxes of a frame from those of the looks on either side, moved to it already.

    Args:
        before: Of the earlier look.
        after: Of the later look.
        at: Where the frame lies between them, 0 to 1.
        least_score: Weaker boxes are left out.

    Returns:
        Best first. What both looks saw has place and score in between; what one of them saw has four fifths of its
        score.
    """
    waiting = list(after)
    found: list[FoundBox] = []
    for one in before:
        same = [other for other in waiting if other.label == one.label]
        best = max(same, key=lambda other: box_iou(one.box_xyxy, other.box_xyxy), default=None)
        if best is None or box_iou(one.box_xyxy, best.box_xyxy) <= _SAME_OVERLAP:
            found.append(replace(one, score=one.score * _ONE_SIDE))
            continue
        waiting.remove(best)
        x0, y0, x1, y1 = ((1 - at) * a + at * b for a, b in zip(one.box_xyxy, best.box_xyxy, strict=True))
        found.append(replace(one, score=(1 - at) * one.score + at * best.score, box_xyxy=(x0, y0, x1, y1)))
    found += [replace(one, score=one.score * _ONE_SIDE) for one in waiting]
    strong = [one for one in found if one.score >= least_score]
    return sorted(strong, key=lambda one: (-one.score, one.label, one.box_xyxy))


def _thumbnail(frame: LookedFrame) -> Thumbnail | None:
    return read_thumbnail(frame.path, frame.width, frame.height)


def _move(boxes: Sequence[FoundBox], start: Thumbnail | None, end: Thumbnail) -> list[FoundBox]:
    flow = measure_flow(start, end) if boxes and start is not None else None
    if flow is None:
        return []
    moved = [(one, flow.move(one.box_xyxy)) for one in boxes]
    return [replace(one, box_xyxy=box) for one, box in moved if box is not None]
