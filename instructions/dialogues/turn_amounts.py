"""Numbers and lengths of a turn as marks: `%3`, `^2.5` metres, and bounds of both: `%>3`, `%<=3`, `^<1`, `^>20`."""

from __future__ import annotations

import re

from instructions.wording.english import NUMBER_WORDS

_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred")
_NUMBERS = (
    {word: value for value, word in enumerate(NUMBER_WORDS) if value >= 2}
    | {"zero": 0}
    | {word: 13 + place for place, word in enumerate(_TEENS)}
    | {word: 20 + 10 * place for place, word in enumerate(_TENS)}
)
_WORDS = re.compile(rf"\b({'|'.join(_NUMBERS)})\b")
_SETS = (
    (re.compile(r"\bhalf a dozen\b"), "6"),
    (re.compile(r"\b(?:a|one) dozen\b"), "12"),
    (re.compile(r"\ba (?:couple|pair)\b(?: of(?= (?:any )?(?:@\S+\*|them)))?(?! of)"), "2"),
)
_HALVES = (
    (re.compile(r"\bhalf (?:a|of a|of one) met(?:re|er)\b"), "^0.5"),
    (re.compile(r"\b(?:a|one) met(?:re|er) and a half\b|\b(?:one|a) and a half met(?:re|er)s?\b"), "^1.5"),
    (
        re.compile(
            r"(?<!of )(?<!is )(?<!each )\b(?:a|one|1) (?:single )?met(?:re|er)\b(?! (?:mark|sticks?|rule|wide|steps?))"
        ),
        "^1",
    ),
)
_UNITS = (
    (re.compile(r"%([\d.]+)(?:-| )(?:met(?:re|er)s?|m)\b"), 1.0),
    (re.compile(r"%([\d.]+)(?:-| )?(?:centimet(?:re|er)s?|cm)\b"), 0.01),
    (re.compile(r"%([\d.]+)(?:-| )?(?:feet|foot|ft)\b"), 0.3048),
)
_BOUNDS = (
    (r"(?:no|not) more than|at (?:the )?most|up to|a maximum of", "<=", "[%^]"),
    (r"(?:no|not) (?:fewer|less) than|at (?:the )?least|a minimum of", ">=", "[%^]"),
    (r"more than|upwards of|in excess of", ">", "[%^]"),
    (r"fewer than|less than", "<", "[%^]"),
    (r"(?:no|not) (?:further|farther) (?:away |off )?than", "<=", r"\^"),
    (r"over|above|beyond|(?:further|farther) (?:away |off )?than", ">", r"\^"),
    (r"under|below|within|not even|(?:closer|nearer) than", "<", r"\^"),
)
"""Words before an amount, its mark, and of what: `over two chairs` counts nothing."""
_BOUNDED = tuple(
    (re.compile(rf"\b(?:{words}) (?:about |roughly )?({sign})(?=\d)"), mark) for words, mark, sign in _BOUNDS
)
_IN_REACH = re.compile(
    r"\b(?:with)?in (?:easy )?(?:touching distance|(?:an |my |your )?(?:arm'?s )?reach)\b|"
    r"\b(?:at|within) (?:an )?arm'?s length\b|\bless than an arm'?s length\b"
)
REACH_M = 1.0
"""What an arm reaches."""


def mark_amounts(plain: str) -> str:
    """Mark what a text in lower case counts and measures.

    Args:
        plain: With the marks of its things.
    """
    for words, number in _SETS:
        plain = words.sub(number, plain)
    for words, mark in _HALVES:
        plain = words.sub(mark, plain)
    plain = _WORDS.sub(lambda one: f"%{_NUMBERS[one.group(1)]}", plain)
    plain = re.sub(r"(?<![\w%^.])(\d+)(?![\w.]*\d)", r"%\1", plain)
    plain = re.sub(r"(?<=%)(\d+) and a half\b", r"\1.5", plain)
    for words, metres in _UNITS:
        plain = words.sub(lambda one, metres=metres: f"^{round(float(one.group(1)) * metres, 2):g}", plain)
    for words, mark in _BOUNDED:
        plain = words.sub(rf"\g<1>{mark}", plain)
    plain = re.sub(r"(\b(?:way|path|route|walk|trip|distance)\b[^.;,]*\^[\d.]+) long\b", r"\1", plain)
    return _IN_REACH.sub(f"^<{REACH_M:g}", plain)
