"""Sides of an image and ranges of depth, by the rules of RoomTour3D (CVPR 2025).

Side: by the x of the box centre; leftmost 30 % of the image, middle 40 %, rightmost 30 %. Range: the nearest 30 % of
the frame's depths, the next 40 %, the furthest 30 %; an object is in every range that holds more than 30 % of it.
Values exactly on a border of the image belong to the middle, depths exactly on a border to the nearer range.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from instructions.records import Range, Side

SIDES: tuple[Side, ...] = ("left", "middle", "right")
RANGES: tuple[Range, ...] = ("near", "closer", "further")
NEAR_SHARE, MIDDLE_SHARE = 0.30, 0.40
OVERLAP_SHARE = 0.30


def side_of_box(box_xyxy: Sequence[float], width: float) -> Side:
    """Side of the image that the centre of a box lies on."""
    at = 0.5 * (box_xyxy[0] + box_xyxy[2]) / width
    if at < NEAR_SHARE:
        return "left"
    return "right" if at > NEAR_SHARE + MIDDLE_SHARE else "middle"


def range_limits(depths: ArrayLike) -> tuple[float, float] | None:
    """Depths that end the near and the closer range of a frame; NaN is left out, None if nothing is known."""
    known = np.asarray(depths, dtype=np.float64)
    known = known[np.isfinite(known)]
    if len(known) == 0:
        return None
    near, closer = np.quantile(known, [NEAR_SHARE, NEAR_SHARE + MIDDLE_SHARE])
    return float(near), float(closer)


def ranges_of(depths: ArrayLike, limits: tuple[float, float] | None) -> tuple[Range, ...]:
    """Ranges that hold more than 30 % of an object.

    Args:
        depths: Depths of the object's pixels or points in this frame; NaN is left out.
        limits: From `range_limits` of the same frame.

    Returns:
        One or more ranges, nearest first; none if no depth is known.
    """
    known = np.asarray(depths, dtype=np.float64)
    known = known[np.isfinite(known)]
    if len(known) == 0 or limits is None:
        return ()
    counts = np.bincount(np.searchsorted(limits, known, side="left"), minlength=3)
    return tuple(name for name, count in zip(RANGES, counts, strict=True) if count / len(known) > OVERLAP_SHARE)
