"""Numbers in words to digits: `two and a half feet` to `2.5 feet`, `half a meter` to `0.5 meter`."""

from __future__ import annotations

import re

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
_UNIT = r"(?:meters?|metres?|m|cm|centimet(?:er|re)s?|feet|foot|ft|inch(?:es)?|yards?|hours?|times)"
_UNICODE = {"½": ".5", "¼": ".25", "¾": ".75", "⅓": ".333", "⅔": ".667", "’": "'", "′": "'", "″": '"', "”": '"'}
_UNICODE |= {"“": '"', "−": "-", "–": "-", "—": " - ", "\u00a0": " ", "×": "x", "‐": "-", "‑": "-"}


def say_count(count: int) -> str:
    """A count in words, below twenty: `three`; in digits from there on."""
    small = (*_ONES, *_TEENS)
    return small[count] if 0 <= count < len(small) else str(count)


def write_digits(text: str) -> str:
    """The text in small letters with its numbers in digits; `one` only where it counts something.

    Args:
        text: An answer in any spelling; fraction signs and typographic quotes are read too.
    """
    for sign, plain in _UNICODE.items():
        text = text.replace(sign, plain)
    low = " ".join(text.lower().split())
    low = re.sub(r"(?<=\d) (?=\.(?:5|25|75|333|667)\b)", "", low)
    low = re.sub(r"(?<![\d.])\.(?=\d)", "0.", low)
    # `a foot and a half`, `a meter and a quarter`
    low = re.sub(
        rf"\b(?:an?|one) ({_UNIT}) and (?:an?|one) ({_PART_WORD})\b",
        lambda match: f"{1 + _part(match.group(2)):g} {match.group(1)}",
        low,
    )
    low = re.sub(r"(\d+(?:\.\d+)?) and (?:an?|one) (half|quarter|third)\b", _digits_and_part, low)
    low = re.sub(r"\ba couple(?: of)?\b", "2", low)
    low = re.sub(r"\b(?:a |one )?dozen\b", "12", low)
    low = re.sub(r"\b(?:twice|double)\b", "2 times", low)
    low = re.sub(r"\b(?:thrice|triple)\b", "3 times", low)
    low = _CLOCK.sub(lambda match: f"{_value(match.group(1)):g}", low)
    low = _NUMBER.sub(lambda match: _number(match, low), low)
    # `three quarters of a meter` has become `3 quarters of a meter`
    low = re.sub(
        rf"\b(?:(\d+)[ -]|an? )?({_PART_WORD})(?: of)?(?: an?| one)?(?= {_UNIT}\b)",
        lambda match: f"{float(match.group(1) or 1) * _part(match.group(2)):.4g}",
        low,
    )
    return re.sub(rf"\b(?:an?|one) (?={_UNIT}\b)", "1 ", low)


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
    return bool(re.match(rf"[ -]{_UNIT}\b", text[match.end() :])) or not re.search(
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


def _digits_and_part(match: re.Match[str]) -> str:
    return f"{float(match.group(1)) + _part(match.group(2)):.4g}"
