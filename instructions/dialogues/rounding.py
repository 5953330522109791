"""Lengths as people round them: which measured ones a told one is right for."""

from __future__ import annotations


def find_interval_m(told_m: float) -> tuple[float, float]:
    """The lengths, in metres, that people mean by a told one: half a metre to both sides of whole ones, else a quarter.

    `Two metres` is right for everything from 1.5 to 2.5 m, `two and a half metres` from 2.25 to 2.75 m.
    """
    half = 0.5 if told_m.is_integer() else 0.25
    return max(told_m - half, 0.0), told_m + half
