"""Means with their 95 % interval: rows of one tour hang together, so whole tours are drawn again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

DRAWS = 1000
LEAST_TOURS = 2
"""With one tour nothing is known of others."""


@dataclass(frozen=True)
class Estimate:
    """A mean over rows and how far it may be off for other tours."""

    mean: float
    low: float | None
    """None for one tour."""
    high: float | None
    rows: int
    tours: int


def estimate_mean(values: Sequence[float], tours: Sequence[str], seed: int = 0) -> Estimate | None:
    """The mean and its 95 % interval by bootstrap over tours; None without values.

    Args:
        values: One per row.
        tours: The tour of each.
        seed: Of the draws.
    """
    if not values:
        return None
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for value, tour in zip(values, tours, strict=True):
        sums[tour][0] += value
        sums[tour][1] += 1
    mean = sum(values) / len(values)
    if len(sums) < LEAST_TOURS:
        return Estimate(mean, None, None, len(values), len(sums))
    table = np.array([sums[name] for name in sorted(sums)])
    picks = np.random.default_rng(seed).integers(0, len(table), (DRAWS, len(table)))
    drawn = table[picks].sum(axis=1)
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
    return Estimate(mean, float(low), float(high), len(values), len(sums))
