"""Whether an answer is supported by a text: its numbers, dates and names stand there, and most of its words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from instructions.dialogues.words import STOP_WORDS

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
        "rug carpet",
        "cloth fabric textile", "comfortable comfortably comfy", "usual usually common commonly typical typically",
        "make made build built", "stand place located", "keep hold", "big large", "small little", "bin can",
        "warm warmer",
        "soft softer", "wooden wood", "metallic metal", "use used", "help helps",
    )
)  # fmt: skip


def find_unsupported(answer: str, texts: Iterable[str]) -> str | None:
    """Why an answer is not supported, in words; None if it is.

    Args:
        answer: What is said.
        texts: What it may rest on: a reference text, facts of the view, and the question.
    """
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
