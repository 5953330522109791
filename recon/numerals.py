"""Numbers as people read them: no digit that the error of a measurement does not allow, no share that is nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import floor, log10

_Y = re.compile(r"(?<=[^aeiou])y$")
_HISSING = re.compile(r"(?:s|x|ch|sh)$")


def count_decimals(value: float, sigma: float, most: int = 2) -> int:
    """How many decimals of a measured number say something.

    The last digit is that of the half width of the 95 % interval, two standard deviations: 1.83 +- 0.27 is 1.8, 1.83 +-
    0.8 is 2. Negative for tens and hundreds. One digit stays always, and a number that is exact keeps the most.

    Args:
        value: As measured.
        sigma: One standard deviation of it, in the same unit; 0 if it is exact.
        most: Decimals that nobody needs more than.
    """
    if not sigma > 0.0:
        return most
    allowed = -floor(log10(2.0 * sigma) + 1e-9)
    one_digit = -floor(log10(abs(value))) if value else allowed
    return min(max(allowed, one_digit), most)


def format_measured(value: float, sigma: float, most: int = 2) -> str:
    """A measured number with the digits that its error allows; see `count_decimals`."""
    decimals = count_decimals(value, sigma, most)
    return f"{round(value, decimals):.{max(decimals, 0)}f}"


def percent(share: float) -> str:
    """A share of 0 to 1 in per cent. Only all is `100 %` and only nothing is `0 %`."""
    if 0.0 < share < 0.01:
        return "< 1 %"
    if 0.99 < share < 1.0:
        return f"{floor(share * 1000) / 10:.1f} %"
    return f"{share * 100:.0f} %"


def list_some(words: Sequence[str], most: int = 6) -> str:
    """`a, b and 3 more`: the first of some words, and how many follow."""
    rest = len(words) - most
    return ", ".join(words[:most]) + (f" and {rest} more" if rest > 0 else "")


def count(number: int, noun: str) -> str:
    """`1 model`, `2 models`, `0 queries`, `3 boxes`; the last word of the noun takes the plural."""
    if number == 1:
        return f"1 {noun}"
    if _HISSING.search(noun):
        return f"{number} {noun}es"
    return f"{number} {_Y.sub('ie', noun)}s"
