"""Numbers with their nouns, for everything that people read: messages, findings, pages."""

from __future__ import annotations

import re

_Y = re.compile(r"(?<=[^aeiou])y$")
_HISSING = re.compile(r"(?:s|x|ch|sh)$")


def count(number: int, noun: str) -> str:
    """`1 model`, `2 models`, `0 queries`, `3 boxes`; the last word of the noun takes the plural."""
    if number == 1:
        return f"1 {noun}"
    if _HISSING.search(noun):
        return f"{number} {noun}es"
    return f"{number} {_Y.sub('ie', noun)}s"
