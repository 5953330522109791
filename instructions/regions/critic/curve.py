"""What a threshold does: kept share, accepted share with its interval, precision, recall, F1 and calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(21))


@dataclass(frozen=True)
class CurvePoint:
    """At one threshold."""

    threshold: float
    kept: float
    """Share of the rows that score at least so."""
    accepted: float | None
    """Share of the kept ones that are accepted; None where none is kept."""
    low: float | None
    high: float | None
    """95 % interval of it (Wilson 1927)."""
    precision: float
    recall: float
    f1: float


def trace_curve(scores: Array, accepted: NDArray[np.bool_]) -> list[CurvePoint]:
    """A point for each threshold from 0 to 1 by 0.05."""
    out = []
    good = int(accepted.sum())
    for threshold in THRESHOLDS:
        kept = scores >= threshold
        count, right = int(kept.sum()), int(accepted[kept].sum())
        low, high = wilson(right, count) if count else (None, None)
        precision, recall = right / max(count, 1), right / max(good, 1)
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        share = right / count if count else None
        out.append(CurvePoint(threshold, count / max(len(scores), 1), share, low, high, precision, recall, f1))
    return out


def wilson(right: int, count: int) -> tuple[float, float]:
    """95 % interval of a share."""
    from scipy.stats import binomtest

    low, high = binomtest(right, count).proportion_ci(method="wilson")
    return float(low), float(high)


def measure_calibration(scores: Array, accepted: NDArray[np.bool_], bins: int = 10) -> float:
    """Expected calibration error: mean distance of score and accepted share over bins of scores, by their rows."""
    place = np.minimum((scores * bins).astype(int), bins - 1)
    total = 0.0
    for one in range(bins):
        mine = place == one
        if mine.any():
            total += mine.sum() * abs(float(scores[mine].mean()) - float(accepted[mine].mean()))
    return total / max(len(scores), 1)


def find_threshold(points: list[CurvePoint], wanted: float) -> float | None:
    """The lowest threshold whose accepted share reaches a wanted one; None where none does."""
    return next((point.threshold for point in points if point.accepted is not None and point.accepted >= wanted), None)
