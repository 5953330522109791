"""The gate before a language model writes all rows: people must have accepted enough of a pilot of the same prompt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

PILOT_ROWS = 50
"""Of each kind, medium and version of a prompt."""
LEAST_ACCEPTED = 0.80
"""That the lower 95 % bound of the accepted share must reach."""
CHECKED_SHARE = 0.10
LEAST_CHECKED = 30
"""Rows of a stratum that are checked after the generation: a tenth, and no fewer than this."""
Reason = Literal["form", "wrong answer", "unsupported", "unsafe", "other"]
REASONS: tuple[Reason, ...] = get_args(Reason)
Standing = Literal["open", "passed", "failed"]


@dataclass(frozen=True)
class Rating:
    """What one person said of a row."""

    row: str
    rater: str
    stratum: str
    """Kind, medium and prompt: `daily view daily@1f2e3d4c`."""
    accepted: bool
    reason: Reason | None = None
    """Of a rejected row."""
    text_key: str = ""
    """Of the turns that were judged, so that turns written anew count as not judged; empty in lists made by hand."""
    wrong_turns: tuple[int, ...] = ()
    """Turns marked as wrong, from 0."""
    note: str = ""
    rated: str = ""
    """UTC time, ISO 8601."""
    seconds: float = 0.0
    """From showing the row to the judgement."""


def name_stratum(kind: str, medium: str, prompt: str | None) -> str:
    """What a pilot is valid for: a changed prompt is a new version and needs its own; `embedded` without a prompt."""
    return f"{kind} {medium} {prompt or 'embedded'}"


def lower_bound(accepted: int, rated: int) -> float:
    """Lower end of the 95 % interval of a share (Wilson 1927); 0 for none."""
    from scipy.stats import binomtest

    return float(binomtest(accepted, rated).proportion_ci(method="wilson").low) if rated else 0.0


def bounds_by_stratum(ratings: Iterable[Rating]) -> Mapping[str, float]:
    """By stratum the lower bound of the share of rows that nobody rejected."""
    rejected: dict[str, dict[str, bool]] = defaultdict(dict)
    for rating in ratings:
        rows = rejected[rating.stratum]
        rows[rating.row] = rows.get(rating.row, False) or not rating.accepted
    return {
        name: lower_bound(sum(not bad for bad in rows.values()), len(rows)) for name, rows in sorted(rejected.items())
    }


def passes(stratum: str, bounds: Mapping[str, float]) -> bool:
    """Whether all rows of a stratum may be written, or rows that were written may leave."""
    return bounds.get(stratum, 0.0) >= LEAST_ACCEPTED


def count_to_check(rows: int) -> int:
    """How many rows of a stratum people look at after the generation."""
    return min(rows, max(LEAST_CHECKED, -int(-CHECKED_SHARE * rows // 1)))


def judge_stratum(rows: int, rated: int, accepted: int) -> Standing:
    """Whether the rows of a stratum may leave, after the check of a tenth of them by people.

    Returns:
        `open` until as many are judged as the check asks for. Where every row is judged there is nothing to infer,
        and the share itself is held against the bar.
    """
    if rated < count_to_check(rows):
        return "open"
    share = accepted / rated if rated == rows and rated else lower_bound(accepted, rated)
    return "passed" if share >= LEAST_ACCEPTED else "failed"
