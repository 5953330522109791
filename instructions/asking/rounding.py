"""Numbers as people say them: coarse steps, feet now and then, half a meter. What was said is kept beside what is true.

After the rounding that SpatialVLM (CVPR 2024) gives: in three of four cases the coarse step, else one step finer; one
of five in feet and inches. A draw that is more than 20 % off is drawn again one step finer.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10

from instructions.asking.draws import Draw

FOOT_M, INCH_M = 0.3048, 0.0254
COARSE_SHARE = 0.75
IMPERIAL_SHARE = 0.20
MOST_OFF = 0.20
_STEPS_M = (
    (0.1, (0.01, 0.005)),
    (0.5, (0.05, 0.01)),
    (0.75, (0.10, 0.05)),
    (1.25, (1.0, 0.10)),
    (3.0, (0.5, 0.10)),
    (10.0, (1.0, 0.5)),
    (20.0, (5.0, 1.0)),
)
"""Up to so many metres: the coarse step and the finer one."""
_LAST_STEPS_M = (10.0, 5.0)
_HALF_STEPS_FROM = 2.0
"""Below, `1.5 times` would be said of everything from a quarter more to nearly twice as much."""
_HALVES = {0.5: "half a meter", 1.5: "one and a half meters", 2.5: "two and a half meters"}
_FOOT_HALVES = {0.5: "half a foot", 1.5: "a foot and a half"}


@dataclass(frozen=True)
class Spoken:
    """A number in words, and what it says."""

    text: str
    value: float
    """In `unit`, as said."""
    unit: str
    """`m`, `cm`, `ft`, `in`, or `` for a ratio."""
    in_m: float
    """The same in metres (a ratio as it is)."""


def say_length(value_m: float, draw: Draw, sigma_m: float = 0.0) -> Spoken:
    """A length of at least a centimetre as a person would say it, the finer step only where its error allows it."""
    imperial = draw.uniform() < IMPERIAL_SHARE
    coarse = draw.uniform() < COARSE_SHARE or 2 * sigma_m > _find_steps(value_m)[1]
    spoken = _say_imperial(value_m, draw, 0 if coarse else 1) if imperial else None
    if spoken is not None and abs(spoken.in_m - value_m) <= MOST_OFF * value_m:
        return spoken
    steps = _find_steps(value_m)
    said = _to_step(value_m, steps[0 if coarse else 1])
    if abs(said - value_m) > MOST_OFF * value_m:
        said = _to_step(value_m, steps[1])
    return _metric(said, draw)


def _find_steps(value_m: float) -> tuple[float, float]:
    return next((steps for end, steps in _STEPS_M if value_m < end), _LAST_STEPS_M)


def say_exactly(value_m: float) -> Spoken:
    """A length in metres with two decimals, for one whose error allows them."""
    return Spoken(f"{value_m:.2f} meters", round(value_m, 2), "m", round(value_m, 2))


def say_ratio(value: float, draw: Draw) -> Spoken:
    """A ratio of more than one: `twice`, `2.5 times`. From two on half steps in most cases, else tenths."""
    said = _to_step(value, 0.5 if draw.uniform() < COARSE_SHARE and value >= _HALF_STEPS_FROM else 0.1)
    if said <= 1.0 or abs(said - value) > MOST_OFF * value:
        said = _to_step(value, 0.1)
    return Spoken("twice" if said == 2.0 else f"{_plain(said)} times", said, "", said)


def _to_step(value: float, step: float) -> float:
    return round(max(floor(value / step + 0.5), 1) * step, 6)


def _metric(said_m: float, draw: Draw) -> Spoken:
    if said_m in _HALVES and draw.uniform() < 0.4:
        return Spoken(_HALVES[said_m], said_m, "m", said_m)
    if said_m < 1.0:
        cm = round(100 * said_m, 1)
        word = "cm" if draw.uniform() < 0.5 else ("centimeter" if cm == 1 else "centimeters")
        return Spoken(f"{_plain(cm)} {word}", cm, "cm", said_m)
    word = "m" if draw.uniform() < 0.3 else ("meter" if said_m == 1 else "meters")
    return Spoken(f"{_plain(said_m)} {word}", said_m, "m", said_m)


def _say_imperial(value_m: float, draw: Draw, finer: int) -> Spoken:
    if value_m < 0.3:
        inches = _to_step(value_m / INCH_M, (1.0, 0.5)[finer])
        return Spoken(f"{_plain(inches)} {'inch' if inches == 1 else 'inches'}", inches, "in", inches * INCH_M)
    step = (0.5, 0.25)[finer] if value_m < 3.0 else (1.0, 0.5)[finer]
    feet = _to_step(value_m / FOOT_M, step)
    if feet in _FOOT_HALVES and draw.uniform() < 0.5:
        return Spoken(_FOOT_HALVES[feet], feet, "ft", feet * FOOT_M)
    return Spoken(f"{_plain(feet)} {'foot' if feet == 1 else 'feet'}", feet, "ft", feet * FOOT_M)


def _plain(value: float) -> str:
    digits = max(0, 2 - floor(log10(max(abs(value), 1e-9)))) if value else 0
    return f"{round(value, min(digits, 3)):g}"
