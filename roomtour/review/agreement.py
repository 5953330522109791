"""How far people agree beyond chance: Cohen's kappa of two, with or without weights, and Fleiss' of several.

And what the summaries of reviews share on the terminal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rich.table import Table
from rich.text import Text
from sklearn.metrics import cohen_kappa_score

from recon.numerals import count, percent
from roomtour.drawing.text import printable


@dataclass(frozen=True)
class Agreement:
    """Two people on what both judged."""

    first: str
    second: str
    common: int
    same: int
    """Of the common ones."""
    kappa: float | None
    """Cohen's; None where it is not defined: nothing in common, or one and the same label throughout."""
    weighted_kappa: float | None
    """With quadratic weights, of more than two labels: 3 against 4 is a smaller disagreement than 1 against 4."""

    def tell(self, noun: str, criterion: str = "") -> str:
        """A line for people; `noun` is one of the things judged."""
        of = f", {criterion}" if criterion else ""
        who = f"{printable(self.first)} and {printable(self.second)}{of}: {count(self.common, f'common {noun}')}"
        if not self.common:
            return who
        kappa = "kappa is not defined (one label throughout)"
        if self.kappa is not None:
            weighted = "" if self.weighted_kappa is None else f", with quadratic weights {self.weighted_kappa:.2f}"
            kappa = f"Cohen's kappa {self.kappa:.2f}{weighted}"
        return f"{who}, {percent(self.same / self.common)} judged alike, {kappa}"


def compare_raters(
    given: Mapping[str, Mapping[Any, object]], labels: Sequence[object], *, is_ordered: bool = True
) -> tuple[Agreement, ...]:
    """Every two people, in the order of their names.

    Args:
        given: What each person said, by what was judged.
        labels: All that can be said, in their order.
        is_ordered: Whether some labels are nearer to each other than others, so that weights mean something.
    """
    out = []
    for first, second in combinations(sorted(given), 2):
        common = [name for name in given[first] if name in given[second]]
        a, b = ([given[who][name] for name in common] for who in (first, second))
        weighted = measure_kappa(a, b, labels, "quadratic") if is_ordered and len(labels) > 2 else None
        same = sum(x == y for x, y in zip(a, b, strict=True))
        out.append(Agreement(first, second, len(common), same, measure_kappa(a, b, labels), weighted))
    return tuple(out)


def measure_kappa(
    a: Sequence[object], b: Sequence[object], labels: Sequence[object], weights: str | None = None
) -> float | None:
    """Cohen's kappa of two people's labels of the same items.

    Weights are None, or `quadratic`.

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
    if any(len(item) != raters for item in items):
        raise ValueError(f"every item needs {raters} labels, as the first has")
    labels = sorted({label for item in items for label in item}, key=str)
    counts = [[sum(given == label for given in item) for label in labels] for item in items]
    alike = sum(sum(n * n for n in row) - raters for row in counts) / (len(items) * raters * (raters - 1))
    chance = sum((sum(row[place] for row in counts) / (len(items) * raters)) ** 2 for place in range(len(labels)))
    return (alike - chance) / (1.0 - chance) if chance < 1.0 else None


def measure_most_judged(items: Iterable[Sequence[object]]) -> tuple[int, int, float | None]:
    """Items that the most people judged, how many those are, and Fleiss' kappa of them.

    Returns:
        Items, people and kappa; 0, 0 and None where no item was judged twice.
    """
    several = [item for item in items if len(item) >= 2]
    people = max(map(len, several), default=0)
    most = [one for one in several if len(one) == people]
    return len(most), people, measure_fleiss(most)


OUTDATED = "of texts that are not in the run any more (written anew, or named anew by another version)"
"""What is said of ratings that fit no text. They stay in the file."""


def make_table(*columns: str) -> Table:
    """An empty table without lines."""
    return Table(*columns, box=None, padding=(0, 3, 0, 0), header_style="dim")


def tell_left_out(number: int, why: str = OUTDATED) -> list[Text]:
    """A line on ratings that do not count; none for none."""
    return [Text(f"left out: {count(number, 'rating')} {why}")] if number else []
