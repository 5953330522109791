"""Lengths as people round them: which measured ones a told one is right for."""

from __future__ import annotations

from dataclasses import dataclass

from instructions.wording.english import NUMBER_WORDS

_FAR_M = 3.0
"""From here on distances are told in whole metres."""
_LONG_M = 2.0
"""Heights below are told in tens of centimetres."""
_SLACK, _LEAST_SLACK_M = 0.2, 0.10
"""By so much of itself, and at least by so many metres, the told height of a thing may be off."""
_SIGMAS = 2.0


def find_interval_m(told_m: float) -> tuple[float, float]:
    """The lengths, in metres, that people mean by a told one: half a metre to both sides of whole ones, else a quarter.

    `Two meters` is right for everything from 1.5 to 2.5 m, `two and a half meters` from 2.25 to 2.75 m.
    """
    half = 0.5 if told_m.is_integer() else 0.25
    return max(told_m - half, 0.0), told_m + half


@dataclass(frozen=True)
class RoundLength:
    """A measured length as people tell it."""

    words: str
    """`about two and a half meters`, `about 80 centimeters`."""
    interval_m: tuple[float, float]
    """What is right for it: what the words stand for, and what the measurement leaves open."""


def round_length(metres: float, sigma_m: float, *, of_thing: bool) -> RoundLength:
    """Tell a length.

    Args:
        metres: As measured.
        sigma_m: One standard deviation of that.
        of_thing: The height of a thing, which below two metres is told in tens of centimetres and right within a fifth;
            else how far away something is.
    """
    if of_thing and metres < _LONG_M:
        told_m = max(round(10 * metres), 1) / 10
        words = f"{round(100 * told_m)} centimeters"
        low, high = told_m - max(_LEAST_SLACK_M, _SLACK * told_m), told_m + max(_LEAST_SLACK_M, _SLACK * told_m)
    else:
        told_m = max(round(2 * metres), 1) / 2 if metres < _FAR_M else float(round(metres))
        words = say_metres(metres)
        low, high = find_interval_m(told_m)
    slack = _SIGMAS * sigma_m
    return RoundLength(
        f"about {words}", (round(max(min(low, metres - slack), 0.0), 3), round(max(high, metres + slack), 3))
    )


def say_metres(value: float) -> str:
    """A distance as people round it, in words: half metres up to three, then whole ones."""
    if value < _FAR_M:
        halves = max(1, round(2 * value))
        whole, half = divmod(halves, 2)
        if whole == 0:
            return "half a meter"
        if half:
            return f"{NUMBER_WORDS[whole]} and a half meters"
        return "one meter" if whole == 1 else f"{NUMBER_WORDS[whole]} meters"
    rounded = round(value)
    return f"{NUMBER_WORDS[rounded] if rounded < len(NUMBER_WORDS) else rounded} meters"
