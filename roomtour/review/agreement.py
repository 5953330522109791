"""How far people agree beyond chance: Cohen's kappa of two, with or without weights, and Fleiss' of several."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sklearn.metrics import cohen_kappa_score


def measure_kappa(
    a: Sequence[object], b: Sequence[object], labels: Sequence[object], weights: str | None = None
) -> float | None:
    """Cohen's kappa of two people's labels of the same items.

    Args:
        a: One person's labels.
        b: The other's, of the same items.
        labels: All there are, in their order.
        weights: None, or `quadratic`.

    Returns:
        -1 to 1; None where it is not defined: no item, or both gave one and the same label throughout.
    """
    if len({*a, *b}) < 2:  # chance alone would agree fully: 0 / 0
        return None
    value = float(cohen_kappa_score(list(a), list(b), labels=list(labels), weights=weights))
    return value if math.isfinite(value) else None


def measure_fleiss(items: Sequence[Sequence[object]]) -> float | None:
    """Fleiss' kappa of items that the same number of people judged.

    Args:
        items: The labels that each item was given, as many for each, two at least.

    Returns:
        -1 to 1; None where it is not defined: no item, fewer than two labels, or one label throughout.

    Raises:
        ValueError: For items with different numbers of labels.
    """
    if not items or len(items[0]) < 2:
        return None
    raters = len(items[0])
    if any(len(one) != raters for one in items):
        raise ValueError(f"every item needs {raters} labels, as the first has")
    labels = sorted({label for one in items for label in one}, key=str)
    counts = [[sum(given == label for given in one) for label in labels] for one in items]
    alike = sum(sum(n * n for n in row) - raters for row in counts) / (len(items) * raters * (raters - 1))
    chance = sum((sum(row[place] for row in counts) / (len(items) * raters)) ** 2 for place in range(len(labels)))
    return (alike - chance) / (1.0 - chance) if chance < 1.0 else None
