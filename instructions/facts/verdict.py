"""What is known of a statement: true, false or unknown, with the measured value and what it had to exceed.

Comparisons have three zones: decided, too close (measured to be nothing), and in between, where nobody knows. A
difference is decided beyond three standard deviations and beyond what people see, whichever is more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log
from typing import Literal

Unit = Literal["m", "unit", "m3", "m2", "deg", "ratio", "hour", "cm", "ft", "in", ""]
"""`unit` is the model's own, where its scale is relative. What was said may be in `cm`, `ft` or `in`; a count has
none."""
Sign = Literal["more", "less", "too close"]
SIGMAS = 3.0
"""A difference of so many of its standard deviations is decided."""
FLOOR_M = 0.10
"""(Nominal) metres that a decided difference must have: people do not see less across a room."""
EXACT_FLOOR_M = 0.03
"""The same where the boxes are given and have no error."""
_FLOOR_SHARE = 0.05
"""... and as a share of the distance of the two."""
_RELATIVE_FLOOR = 0.10
"""Without scale: as a share of the mean side of the smaller body."""
_CLOSE_M = 0.05
"""Metres under which a difference is nothing."""
_CLOSE_SHARE = 0.10
"""... and as a share of the mean size of the two."""
_BEST_SHARE, _BEST_M = 0.10, 0.15
"""The first of several values in order is ahead of the second by this share of the greater one, and (nominal)
metres."""


@dataclass(frozen=True)
class Measured:
    """A number with its error."""

    name: str
    value: float
    unit: Unit
    sigma: float
    """One standard deviation, that of the scale included where the unit is a metre; 0 for what is no measurement."""


@dataclass(frozen=True)
class Verdict:
    """What is known of a statement about one or two things."""

    state: bool | None
    """None where nobody knows, or where a comparison is too close."""
    value: float
    margin: float
    """What the value had to exceed to be true; for a comparison that is too close, what it had to stay under."""
    sigma: float = 0.0
    """One standard deviation of the value."""
    unit: Unit = "unit"
    is_close: bool = False
    """A comparison of what is measured to be alike: neither is more."""
    reason: str = ""
    """Why it is not known."""

    @property
    def sign(self) -> Sign | None:
        """Of a comparison: what the first thing has of it against the second."""
        if self.is_close:
            return "too close"
        return None if self.state is None else "more" if self.state else "less"

    def withhold(self, reason: str) -> Verdict:
        """The same measure, of which nobody knows what it means."""
        return replace(self, state=None, is_close=False, reason=reason)

    def deny(self) -> Verdict:
        """Of the opposite: `left` from `right`; what is too close stays so."""
        value = 1.0 / self.value if self.unit == "ratio" and self.value else -self.value
        return replace(self, state=None if self.state is None else not self.state, value=value)


def find_floor(sigma: float, metre: float) -> float:
    """The least difference of two lengths that people see, in the unit of the model."""
    return (FLOOR_M if sigma > 0.0 else EXACT_FLOOR_M) * metre


def compare(
    difference: float, sigma: float, *, apart: float, mean_size: float, smaller: float, metre: float, has_scale: bool
) -> Verdict:
    """Whether a difference of two values is clear, nothing, or neither.

    Args:
        difference: A minus B, in the model's unit.
        sigma: Of the difference.
        apart: Distance of the two things.
        mean_size: Mean of their sizes in the dimension compared.
        smaller: Mean side of the smaller body.
        metre: One (nominal) metre in the model's unit.
        has_scale: Whether that is more than nominal.
    """
    unit: Unit = "m" if has_scale else "unit"
    if not has_scale:
        floor = _RELATIVE_FLOOR * smaller
    else:
        floor = max(find_floor(sigma, metre), _FLOOR_SHARE * apart if sigma > 0.0 else 0.0)
    margin = max(SIGMAS * sigma, floor)
    if abs(difference) >= margin:
        return Verdict(difference > 0, difference, margin, sigma, unit)
    close = max(_CLOSE_M * metre if has_scale else 0.0, _CLOSE_SHARE * mean_size)
    if abs(difference) + SIGMAS * sigma <= close:
        return Verdict(None, difference, close, sigma, unit, is_close=True)
    return Verdict(None, difference, margin, sigma, unit, reason="undecided")


def spread_ratio(log_error: float) -> float:
    """By what factor a positive value with this error of its logarithm may be off.

    Of a broken model it can be anything, and is no more than e to the 20th here, beyond any ratio in a home.
    """
    return exp(min(log_error, 20.0))


def compare_ratio(ratio: float, relative_sigma: float, least: float) -> Verdict:
    """Whether the ratio of two positive values, with its relative error, is clear (beyond the least that people name),
    one, or neither.
    """
    margin = max(least, spread_ratio(SIGMAS * relative_sigma))
    if max(ratio, 1.0 / ratio) >= margin:
        return Verdict(ratio > 1.0, ratio, margin, relative_sigma, "ratio")
    close = 1.0 + _CLOSE_SHARE
    if abs(log(ratio)) + SIGMAS * relative_sigma <= log(close):
        return Verdict(None, ratio, close, relative_sigma, "ratio", is_close=True)
    return Verdict(None, ratio, margin, relative_sigma, "ratio", reason="undecided")


def is_first(first: float, second: float, sigma: float, metre: float) -> Verdict:
    """Whether the first of several lengths in order, nearest or furthest first, is clear of the second; `sigma` is of
    either, `metre` one (nominal) metre in their unit.
    """
    spread = 2**0.5 * sigma
    margin = max(_BEST_SHARE * max(first, second), _BEST_M * metre, SIGMAS * spread)
    away = abs(first - second)
    return Verdict(True if away >= margin else None, away, margin, spread, reason="" if away >= margin else "too_alike")
