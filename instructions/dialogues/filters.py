"""What a language model's text must not hold, and whether a text supports an answer; not whether it is true."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from instructions.asking.names import word_cosine
from instructions.claims.stated import FAULTS
from instructions.dialogues.templates import STOP_WORDS

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


LEAST_SHARE = 0.80
_NUMBERS = re.compile(
    r"\b((?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundred|thousand|million)s?)\b"
)
_EMPTY = STOP_WORDS | frozenset(
    "kind mostly often one ones say says well what people person thing things usually yes".split()  # noqa: SIM905
)
"""What an answer may say though no text has it."""
_SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "sofa couch", "picture painting", "screen monitor display", "cabinet cupboard", "refrigerator fridge",
        "rug carpet", "cloth fabric textile", "comfortable comfortably comfy",
        "usual usually common commonly typical typically", "make made build built", "stand place located", "keep hold",
        "big large", "small little", "bin can", "warm warmer", "soft softer", "wooden wood", "metallic metal",
        "use used", "help helps",
    )
)  # fmt: skip


def find_unsupported(answer: str, texts: Iterable[str]) -> str | None:
    """Why an answer is not supported, in words; None if it is."""
    ground = " ".join(texts)
    known = {_stem(word) for word in _words(ground)}
    for number in re.findall(r"\d[\d.,:/-]*\d|\d", answer):
        if not re.search(rf"(?<![\d.]){re.escape(number)}(?![\d]|[.,]\d)", ground):
            return f"the number {number} stands nowhere"
    told = {word.removesuffix("s") for word in _NUMBERS.findall(ground.lower())}
    for word in _NUMBERS.findall(answer.lower()):
        if word.removesuffix("s") not in told:
            return f"the number {word} stands nowhere"
    for name in re.findall(r"(?<![.!?]\s)(?<!^)(?<!\")\b[A-Z][\w'-]+", answer):
        if name.lower() not in ground.lower():
            return f"the name {name} stands nowhere"
    content = [word for word in _words(answer) if word not in _EMPTY]
    found = sum(_stem(word) in known or any(_stem(other) in known for other in _same(word)) for word in content)
    if content and found < LEAST_SHARE * len(content):
        return f"{found} of its {len(content)} words stand in the text, need {LEAST_SHARE:.0%}"
    return None


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+(?:'[a-z]+)?", text.lower())


def _same(word: str) -> frozenset[str]:
    return next((group for group in _SYNONYMS if word in group or _stem(word) in group), frozenset())


def _stem(word: str) -> str:
    """Without the endings that change with number and tense."""
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending) + ("y" if ending == "ies" else "")
            break
    return word.removesuffix("e")
