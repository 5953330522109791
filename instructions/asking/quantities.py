"""Quantities in a text that has its numbers in digits: value, unit, and whether it is the middle of a range."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LENGTHS = {
    "m": (1.0, r"meters?|metres?|mtrs?|m"),
    "cm": (0.01, r"centimet(?:er|re)s?|cms?"),
    "mm": (0.001, r"millimet(?:er|re)s?|mm"),
    "km": (1000.0, r"kilomet(?:er|re)s?|km"),
    "ft": (0.3048, r"feet|foot|ft|'(?!')"),
    "in": (0.0254, r"inch(?:es)?|\"|''|in(?!\w| (?:front|the|this|a|total|height|width|length|depth|line|view|all)\b)"),
    "yd": (0.9144, r"yards?|yds?"),
}
_OTHERS = {
    "m2": (1.0, r"(?:square|sq\.?) ?(?:meters?|metres?|m)|m(?:²|\^2|2(?!\d))"),
    "ft2": (0.09290304, r"(?:square|sq\.?) ?(?:feet|foot|ft)|ft(?:²|\^2)"),
    "m3": (1.0, r"cubic (?:meters?|metres?|m)|m(?:³|\^3|3(?!\d))"),
    "l": (0.001, r"lit(?:er|re)s?"),
    "deg": (1.0, r"degrees?|deg|°"),
    "ratio": (1.0, r"times|fold|x(?!\w)"),
    "percent": (0.01, r"percent|%"),
    "hour": (1.0, r"o' ?clock|o clock|oclock|:00"),
    "s": (1.0, r"seconds?|secs?|s(?!\w)"),
    "min": (60.0, r"minutes?|mins?"),
    "other": (1.0, r"(?:kilograms?|kg|pounds?|lbs?|dollars?|pixels?|px|years?|hours?)(?!\w)"),
}
FAMILY = {**dict.fromkeys(_LENGTHS, "m"), "m2": "m2", "ft2": "m2", "m3": "m3", "l": "m3", "deg": "deg"}
FAMILY |= {"ratio": "ratio", "percent": "ratio", "hour": "hour", "s": "s", "min": "s", "other": "other"}
"""The unit that the units of a dimension are turned into."""
_UNITS = {**_OTHERS, **_LENGTHS}
_UNIT = "|".join(f"(?P<{{0}}_{name}>{pattern})" for name, (_, pattern) in _UNITS.items())
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d+(?:[.,]\d+)?(?:e-?\d+)?)"
_PLAIN = rf"(?:(?:\d+[ -])?\d+/\d+|(?<![\w.])-?{_DIGITS}|{_DIGITS})"


def _quantity(slot: str) -> str:
    return rf"(?P<{slot}>{_PLAIN})(?:[ -]?(?:{_UNIT.format(slot)})(?![a-z²³^]))?"


_FEET_INCHES = re.compile(
    rf"(?P<feet>{_DIGITS}) ?(?:'(?!') ?|(?:feet|foot|ft)\.?,? ?(?:and )?)(?P<inches>{_DIGITS}) ?"
    r"(?:\"|''|inch(?:es)?|in\b|(?<=\d)(?![\w.]))"
)
_METERS_CM = re.compile(
    rf"(?P<meters>{_DIGITS}) ?(?:(?:m|meters?|metres?) (?:and )?(?P<cm>\d{{1,2}}) ?(?:cm|centimet(?:er|re)s?)\b"
    r"|m(?P<tight>\d{2})\b)"
)
_RANGE = re.compile(
    rf"(?:{_quantity('a')} ?(?:-|to|or|\.\.\.?) ?{_quantity('b')}"
    rf"|between {_quantity('c')} and {_quantity('d')})"
)
_SINGLE = re.compile(_quantity("q"))


@dataclass(frozen=True)
class Quantity:
    """A number of a text."""

    start: int
    """Where it begins."""
    value: float
    unit: str
    """A name of `FAMILY`; empty where none is said."""
    is_range: bool = False
    """The middle of a range."""

    @property
    def in_base(self) -> float:
        """In the unit of its family; as it is where it has none."""
        return self.value * to_base(self.unit)


def to_base(unit: str) -> float:
    """How many of its family's unit a unit is: 0.3048 for `ft`; 1 for none."""
    return _UNITS[unit][0] if unit in _UNITS else 1.0


def find_quantities(low: str) -> list[Quantity]:
    """All of a text in small letters, in order."""
    out: list[Quantity] = []
    at = 0
    while at < len(low):
        matches = [found for pattern in _READERS if (found := pattern.search(low, at)) is not None]
        if not matches:
            break
        match = min(matches, key=lambda one: one.start())  # of equals the first reader's, which reads most
        out.append(_READERS[match.re](match))
        at = match.end()
    return out


def _read_single(match: re.Match[str], slot: str = "q") -> Quantity:
    return Quantity(match.start(), _to_float(match.group(slot)), _unit_of(match, slot))


def _read_range(match: re.Match[str]) -> Quantity:
    one, other = ("a", "b") if match.group("a") else ("c", "d")
    low, high = _read_single(match, one), _read_single(match, other)
    unit = high.unit or low.unit
    if low.unit and high.unit:
        middle = (low.in_base + high.in_base) / 2 / _UNITS[unit][0]
    else:
        middle = (low.value + high.value) / 2
    return Quantity(match.start(), middle, unit, True)


def _read_feet(match: re.Match[str]) -> Quantity:
    return Quantity(match.start(), _to_float(match.group("feet")) + _to_float(match.group("inches")) / 12, "ft")


def _read_meters(match: re.Match[str]) -> Quantity:
    cm = match.group("cm") or match.group("tight")
    return Quantity(match.start(), _to_float(match.group("meters")) + float(cm) / 100, "m")


_READERS = {_FEET_INCHES: _read_feet, _METERS_CM: _read_meters, _RANGE: _read_range, _SINGLE: _read_single}


def _unit_of(match: re.Match[str], slot: str) -> str:
    return next((name for name in _UNITS if match.group(f"{slot}_{name}")), "")


def _to_float(text: str) -> float:
    if "/" in text:
        *whole, part = re.split(r"[ -]", text)
        over, under = part.split("/")
        return float(whole[0] if whole else 0) + (float(over) / float(under) if float(under) else 0.0)
    if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        return float(text.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", text):
        text = text.replace(".", "")
    return float(text.replace(",", "."))
