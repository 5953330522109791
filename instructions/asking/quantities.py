"""Numbers in words to digits (`two and a half feet` to `2.5 feet`), and the quantities of such a text: value, unit, and
whether it is the middle of a range.
"""

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
    unit = next((name for name in _UNITS if match.group(f"{slot}_{name}")), "")
    return Quantity(match.start(), _to_float(match.group(slot)), unit)


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


_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {word: float(value) for value, word in enumerate((*_ONES, *_TEENS))}
_VALUES |= {word: 10.0 * (place + 2) for place, word in enumerate(_TENS)}
_PARTS = {"half": 1 / 2, "halves": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fourth": 1 / 4, "fifth": 1 / 5}
_PART_WORD = "(?:" + "|".join(f"{word}s?" for word in _PARTS) + ")"
_BELOW_20 = "|".join(sorted((*_ONES, *_TEENS), key=len, reverse=True))
_SMALL = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_ONES[1:])}))?|{_BELOW_20})"
_NUMBER = re.compile(
    rf"\b(?P<whole>(?:(?:{_SMALL}|an?) (?:hundred|thousand)(?: and)?(?: {_SMALL})?|{_SMALL})(?: hundred)?)"
    rf"(?P<point> point(?: (?:{'|'.join(_ONES)}))+)?"
    rf"(?P<part> and (?:an?|one) {_PART_WORD})?(?! o'? ?clock)(?![a-z])"
)
_CLOCK = re.compile(rf"\b({_SMALL})(?= o'? ?clock)")
_UNIT_WORD = r"(?:meters?|metres?|m|cm|centimet(?:er|re)s?|feet|foot|ft|inch(?:es)?|yards?|hours?|times)"
_UNICODE = {"½": ".5", "¼": ".25", "¾": ".75", "⅓": ".333", "⅔": ".667", "’": "'", "′": "'", "″": '"', "”": '"'}
_UNICODE |= {"“": '"', "−": "-", "–": "-", "—": " - ", "\u00a0": " ", "×": "x", "‐": "-", "‑": "-"}


def say_count(count: int) -> str:
    """A count in words, below twenty: `three`; in digits from there on."""
    small = (*_ONES, *_TEENS)
    return small[count] if 0 <= count < len(small) else str(count)


def write_digits(text: str) -> str:
    """The text in small letters with its numbers in digits; `one` only where it counts something. Fraction signs and
    typographic quotes are read too.
    """
    for sign, plain in _UNICODE.items():
        text = text.replace(sign, plain)
    low = " ".join(text.lower().split())
    low = re.sub(r"(?<=\d) (?=\.(?:5|25|75|333|667)\b)", "", low)
    low = re.sub(r"(?<![\d.])\.(?=\d)", "0.", low)
    # `a foot and a half`, `a meter and a quarter`
    low = re.sub(
        rf"\b(?:an?|one) ({_UNIT_WORD}) and (?:an?|one) ({_PART_WORD})\b",
        lambda match: f"{1 + _part(match.group(2)):g} {match.group(1)}",
        low,
    )
    low = re.sub(
        r"(\d+(?:\.\d+)?) and (?:an?|one) (half|quarter|third)\b",
        lambda match: f"{float(match.group(1)) + _part(match.group(2)):.4g}",
        low,
    )
    low = re.sub(r"\ba couple(?: of)?\b", "2", low)
    low = re.sub(r"\b(?:a |one )?dozen\b", "12", low)
    low = re.sub(r"\b(?:twice|double)\b", "2 times", low)
    low = re.sub(r"\b(?:thrice|triple)\b", "3 times", low)
    low = _CLOCK.sub(lambda match: f"{_value(match.group(1)):g}", low)
    low = _NUMBER.sub(lambda match: _number(match, low), low)
    # `three quarters of a meter` has become `3 quarters of a meter`
    low = re.sub(
        rf"\b(?:(\d+)[ -]|an? )?({_PART_WORD})(?: of)?(?: an?| one)?(?= {_UNIT_WORD}\b)",
        lambda match: f"{float(match.group(1) or 1) * _part(match.group(2)):.4g}",
        low,
    )
    return re.sub(rf"\b(?:an?|one) (?={_UNIT_WORD}\b)", "1 ", low)


def _number(match: re.Match[str], text: str) -> str:
    whole, point, part = match.group("whole"), match.group("point"), match.group("part")
    if whole == "one" and not point and not part and not _counts(match, text):
        return match.group()
    value = f"{_value(whole):g}"
    if point:
        value += "." + "".join(f"{_VALUES[word]:g}" for word in point.split()[1:])
    if part:
        value = f"{float(value) + _part(part.split()[-1]):.4g}"
    return value


def _counts(match: re.Match[str], text: str) -> bool:
    """Whether this `one` is a number: before a unit, or the whole answer."""
    around = text[: match.start()] + text[match.end() :]
    return bool(re.match(rf"[ -]{_UNIT_WORD}\b", text[match.end() :])) or not re.search(
        r"[a-z]", re.sub(r"\b(?:about|around|roughly|approximately|only|just)\b", "", around)
    )


def _value(words: str) -> float:
    total, small = 0.0, 0.0
    for word in re.split(r"[ -]", words):
        if word in ("hundred", "thousand"):
            total += max(small, 1.0) * (100.0 if word == "hundred" else 1000.0)
            small = 0.0
        elif word not in ("a", "an", "and"):
            small += _VALUES[word]
    return total + small


def _part(word: str) -> float:
    return _PARTS.get(word) or _PARTS[word.removesuffix("s")]
