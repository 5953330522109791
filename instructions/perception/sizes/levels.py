"""Heights of furniture and ceilings from named points: the level that most points of a thing share, or its top."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array

_APART = 0.4
"""Nominal metres between points of one thing on the plan; tables stand further apart than their points."""
_LEAST_AROUND = 4
_BAND = 0.05
"""Nominal metres: thickness of a table top and of what triangulation adds."""
_LEAST_POINTS = 10
_LEAST_SHARE = 0.3
"""Of a thing's points in its fullest band; clutter without a level has less."""
_TOP_PERCENT = 95.0
"""The highest points are wrong matches now and then."""
_LEAST_TOP_POINTS = 20
"""With fewer, that percentile is the highest point itself."""


def split_things(points: Array, metre: float) -> list[Array]:
    """Points (N, 3) of one word as things, by gaps on the plan; those that belong nowhere are left out."""
    return [points[rows] for rows in cluster(points[:, :2], _APART * metre, _LEAST_AROUND)]


def cluster(places: Array, apart: float, least_around: int) -> list[NDArray[np.int64]]:
    """Rows of places (N, 2) on the plan that belong together: `least_around` of them, or more, within `apart`."""
    from sklearn.cluster import DBSCAN  # 120 MB, which whoever only drives others does without

    if len(places) < least_around:
        return []
    owner = DBSCAN(eps=apart, min_samples=least_around).fit_predict(places)
    return [np.flatnonzero(owner == number) for number in range(int(owner.max()) + 1)]


def find_level(
    heights: Array, low: float, high: float, metre: float, least_share: float = _LEAST_SHARE
) -> float | None:
    """Height of the fullest band between two heights; None where points share no level.

    Args:
        heights: (N,) above the floor, in the model's unit.
        low: Least height in nominal metres.
        high: Most.
        metre: Length of a nominal metre in the model's unit.
        least_share: Of the points between the two that the band must hold.
    """
    inside = np.sort(heights[(heights >= low * metre) & (heights <= high * metre)])
    if len(inside) < _LEAST_POINTS:
        return None
    ends = np.searchsorted(inside, inside + _BAND * metre, side="right")
    counts = ends - np.arange(len(inside))
    best = int(np.argmax(counts))
    if counts[best] < max(_LEAST_POINTS // 2, least_share * len(inside)):
        return None
    return float(np.median(inside[best : ends[best]]))


def find_top(heights: Array, low: float, high: float, metre: float) -> float | None:
    """Height at which a thing ends; None where it has too few points or ends outside what is possible.

    Args:
        heights: (N,) above the floor, in the model's unit.
        low: Least height in nominal metres.
        high: Most.
        metre: Length of a nominal metre in the model's unit.
    """
    if len(heights) < _LEAST_TOP_POINTS:
        return None
    top = float(np.percentile(heights, _TOP_PERCENT))
    return top if low * metre <= top <= high * metre else None
