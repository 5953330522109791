"""What a language model's text must not hold, by code and in this order; nothing here asks whether it is true."""

from __future__ import annotations

import re
from collections.abc import Sequence

from instructions.asking.names import word_cosine
from instructions.claims.stated import FAULTS

REASONS = {
    "coordinates": "it has numbers in brackets or with a decimal point",
    "leak": "it speaks of captions, boxes or given data, or has a label's name with an underscore",
    "uncertain": "it hedges",
    "repeat": "it says again what was said",
    **FAULTS,
    "unsupported": "its text does not support it",
    "too_short": "fewer than two turns, or under 40 words, are left",
}
"""Why a row of a language model was rejected."""
_COORDINATES = re.compile(r"[\[(]\s*-?\d[^\])]*[\])]|\d\.\d")
_LEAK = re.compile(
    r"\b(captions?|bounding box(?:es)?|given|provided|data|dataset|coordinates?|annotations?|json|metadata)\b|\w_\w",
    re.I,
)
_UNSURE = re.compile(
    r"\b(unclear|hard to (?:tell|say)|speculat\w*|cannot be determined|not possible to say|i am not sure|perhaps|"
    r"it seems|might be|possibly|presumably)\b",
    re.I,
)
REPEAT_COSINE = 0.85


def find_form_fault(text: str, answers: str | None = None) -> str | None:
    """The first code of form that a text breaks.

    Args:
        text: Of the whole row.
        answers: Its answers alone: a question may ask what could possibly be.
    """
    told = text if answers is None else answers
    for code, pattern, where in (
        ("coordinates", _COORDINATES, text),
        ("leak", _LEAK, text),
        ("uncertain", _UNSURE, told),
    ):
        if pattern.search(where):
            return code
    return None


def is_repeat(text: str, earlier: Sequence[str]) -> bool:
    """Whether a text says what an earlier one said."""
    return any(word_cosine(text, other) >= REPEAT_COSINE for other in earlier)
