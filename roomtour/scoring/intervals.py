"""Means with their 95 % interval: rows of one tour hang together, so whole tours are drawn again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recon.geometry import Array

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
    """The mean and its 95 % interval by bootstrap over tours; None without values."""
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
    return Estimate(mean, *find_interval(drawn[:, 0] / drawn[:, 1]), len(values), len(sums))


def bootstrap(
    rows: Sequence[Mapping[str, Any]],
    score: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, float]],
    seed: int = 0,
    draws: int = 200,
) -> dict[str, Array]:
    """Scores of rows whose tours are drawn with replacement, (draws,) each; of one tour rows are drawn."""
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[str(row["tour"])].append(row)
    units = [groups[tour] for tour in sorted(groups)] if len(groups) > 1 else [[row] for row in rows]
    if not units:
        return {}
    picks = np.random.default_rng(seed).integers(0, len(units), (draws, len(units)))
    found = [score([row for place in pick for row in units[place]]) for pick in picks]
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def find_interval(drawn: Array) -> tuple[float, float]:
    """The middle 95 % of what was drawn."""
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)
