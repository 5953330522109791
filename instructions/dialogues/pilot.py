"""The gate before a language model writes all rows: people must have accepted enough of a pilot of the same prompt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt

PILOT_ROWS = 50
"""Of each kind, medium and version of a prompt."""
LEAST_ACCEPTED = 0.80
"""That the lower 95 % bound of the accepted share must reach."""
CHECKED_SHARE = 0.10
LEAST_CHECKED = 30
"""Rows of a stratum that are checked after the generation: a tenth, and no fewer than this."""
_Z = 1.959964


@dataclass(frozen=True)
class Rating:
    """What one person said of a row."""

    row: str
    rater: str
    stratum: str
    """Kind, medium and prompt: `daily view daily@1f2e3d4c`."""
    accepted: bool
    reason: str | None = None
    """`form`, `wrong answer`, `unsupported`, `unsafe` or `other`, of a rejected row."""


def name_stratum(kind: str, medium: str, prompt: str) -> str:
    """What a pilot is valid for: a changed prompt is a new version and needs its own."""
    return f"{kind} {medium} {prompt}"


def lower_bound(accepted: int, rated: int) -> float:
    """Lower end of the 95 % interval of a share (Wilson 1927); 0 for none."""
    if not rated:
        return 0.0
    share = accepted / rated
    middle = share + _Z**2 / (2 * rated)
    spread = _Z * sqrt(share * (1 - share) / rated + _Z**2 / (4 * rated**2))
    return max(0.0, (middle - spread) / (1 + _Z**2 / rated))


def bounds_by_stratum(ratings: Iterable[Rating]) -> Mapping[str, float]:
    """By stratum the lower bound of the share of rows that nobody rejected."""
    rejected: dict[str, dict[str, bool]] = defaultdict(dict)
    for one in ratings:
        rows = rejected[one.stratum]
        rows[one.row] = rows.get(one.row, False) or not one.accepted
    return {
        name: lower_bound(sum(not bad for bad in rows.values()), len(rows)) for name, rows in sorted(rejected.items())
    }


def passes(stratum: str, bounds: Mapping[str, float]) -> bool:
    """Whether all rows of a stratum may be written, or rows that were written may leave."""
    return bounds.get(stratum, 0.0) >= LEAST_ACCEPTED


def count_to_check(rows: int) -> int:
    """How many rows of a stratum people look at after the generation."""
    return min(rows, max(LEAST_CHECKED, -int(-CHECKED_SHARE * rows // 1)))
