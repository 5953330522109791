"""A number with its error, as rows carry it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["m", "unit", "m3", "m2", "deg", "ratio", "hour", "cm", "ft", "in", ""]
"""`unit` is the model's own, where its scale is relative. What was said may be in `cm`, `ft` or `in`; a count has
none."""


@dataclass(frozen=True)
class Measured:
    """A number with its error."""

    name: str
    value: float
    unit: Unit
    sigma: float
    """One standard deviation, that of the scale included where the unit is a metre; 0 for what is no measurement."""
