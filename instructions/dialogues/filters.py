"""What a language model's text must not hold, by code and in this order; nothing here asks whether it is true."""

from __future__ import annotations

import re
from collections.abc import Sequence

from instructions.asking.names import word_cosine

REASONS = {
    "coordinates": "it has numbers in brackets or with a decimal point",
    "leak": "it speaks of captions, boxes or given data, or has a label's name with an underscore",
    "uncertain": "it hedges",
    "repeat": "it says again what was said",
    "needs_viewpoint": "left and right in a cloud need a stated place and facing",
    "false_claim": "geometry contradicts it",
    "unread": "it tells something of things that the check cannot read, so nobody knows whether it is so",
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
_SIDES = re.compile(
    r"\b(?:left|right)\b(?! (?:beside|next|away|angle|now|behind|on top|that|in that|to say|to think|number|"
    r"count|figure|"
    r"amount|beneath|under|underneath|below|above|word|answer|name|"
    r"choice))",
    re.I,
)
_AGREEMENT = re.compile(
    r"\b(?:(?:get|got|have|had|do|did|put) (?:it|that|this|them)|am i|is (?:it|that|this|he|she)|are (?:you|we|"
    r"they)) right(?=\s*(?:[?.,;]|$))",
    re.I,
)
"""Right as in true, which is no side."""
_STATED = re.compile(r"\b(?:standing|stand|sitting|sit|at|from)\b.*\b(?:facing|face|looking (?:at|towards?))\b", re.I)


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


def needs_viewpoint(text: str) -> bool:
    """Whether a text about a cloud tells left or right without a stated place and facing."""
    return bool(_SIDES.search(_AGREEMENT.sub("", text))) and not _STATED.search(text)


def is_repeat(text: str, earlier: Sequence[str]) -> bool:
    """Whether a text says what an earlier one said."""
    return any(word_cosine(text, other) >= REPEAT_COSINE for other in earlier)
