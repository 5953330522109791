"""What an answer says: numbers in brackets, a count, letters of options, classes; what cannot be read is counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from instructions.asking.quantities import FAMILY, find_quantities, write_digits
from instructions.dialogues.benchmark.words import Lexicon
from instructions.wording.english import pluralize

_BRACKET = re.compile(r"\[[^\[\]()]*\]|\([^\[\]()]*\)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_COUNT = re.compile(r"(?<![\w.])\d{1,9}(?!\w|\.\d)")
_SMALL = {"no": "0", "none": "0", "one": "1"}
_DENY = re.compile(r"(?:\b(?:no|not|without|neither|nor|never)|n't)\s+(?:\w+\s+){0,3}?$", re.I)
"""What stands at most three words before a name that is denied."""
_LETTER = (
    re.compile(r"\(([A-Z])\)"),
    re.compile(r"(?:answer|option|choice|letter)(?: is)?:?\s+\(?([A-Z])\b(?!')", re.I),
    re.compile(r"^\s*([A-Z])\s*(?:[.):,]|$)"),
)
_CONFIDENCE = re.compile(r"(?:confidence|score|probability)(?: of| is|:)?\s*(\d*\.?\d+)\s*(%?)", re.I)


def read_groups(text: str, size: int) -> list[tuple[float, ...]]:
    """Numbers of every bracket, square or round, that holds exactly so many and nothing else; nothing is guessed."""
    return [numbers for _, numbers in find_groups(text, size)]


def find_groups(text: str, size: int) -> list[tuple[int, tuple[float, ...]]]:
    """The same with the place of each bracket in the text."""
    out = []
    for match in _BRACKET.finditer(text):
        parts = [part.strip() for part in match.group()[1:-1].split(",")]
        if len(parts) == size and all(_NUMBER.fullmatch(part) for part in parts):
            numbers = tuple(float(part) for part in parts)
            if all(abs(number) < 1e12 for number in numbers):
                out.append((match.start(), numbers))
    return out


def read_count(text: str) -> int | None:
    """The first whole number or number word outside brackets; None where there is none."""
    digits = write_digits(_BRACKET.sub(" ", text))
    match = _COUNT.search(re.sub(r"\b(?:no|none|one)\b", lambda word: _SMALL[word.group()], digits))
    return int(match.group()) if match else None


def read_metres(text: str) -> float | None:
    """The one length that a text tells, in metres; None where it tells none, or several that differ."""
    told = [one for one in find_quantities(write_digits(text)) if FAMILY.get(one.unit) == "m"]
    found = {round(one.in_base, 4) for one in told}
    return found.pop() if len(found) == 1 and not any(one.is_range for one in told) else None


def read_choice(text: str, choices: Sequence[str]) -> int | None:
    """Which option an answer takes; None where none or several are told."""
    known = [chr(ord("A") + place) for place in range(len(choices))]
    for pattern in _LETTER:
        told = {letter.upper() for letter in pattern.findall(text)} & set(known)
        if told:
            return known.index(told.pop()) if len(told) == 1 else None
    lower = _plain(text)
    named = [place for place, choice in enumerate(choices) if _has_phrase(lower, _plain(choice))]
    # `coffee table` holds `table`: the longer one is meant.
    named = [
        place for place in named
        if not any(other != place and _has_phrase(_plain(choices[other]), _plain(choices[place])) for other in named)
    ]  # fmt: skip
    return named[0] if len(named) == 1 else None


def read_yes_no(text: str) -> str | None:
    """`yes` or `no`, by the first of the two words."""
    match = re.search(r"\b(yes|no)\b", text, re.I)
    return match.group(1).lower() if match else None


NOT_IN_VIEW = "not in view"
_REFUSED = re.compile(
    r"\b(?:not|cannot|nothing|no part|nowhere|elsewhere|outside|out of (?:view|sight|frame)|turn (?:around|or)|"
    r"hidden)\b|n't\b",
    re.I,
)


def read_where(text: str) -> str | None:
    """`left`, `middle` or `right`, or that a thing is `not in view`; None where none or several sides are told."""
    if _REFUSED.search(text):
        return NOT_IN_VIEW
    told = {word.lower() for word in re.findall(r"\b(left|right|middle|cent(?:er|re))\b", text, re.I)}
    sides = {"middle" if word.startswith("cent") else word for word in told}
    return sides.pop() if len(sides) == 1 else None


def names_label(label: str, text: str, words: Lexicon) -> bool:
    """Whether a text names a class: whole phrases, plurals, synonyms; not where it is denied."""
    return bool(_find_label(label, text, words))


def find_labels(labels: Sequence[str], text: str, words: Lexicon) -> list[tuple[int, int, str]]:
    """Where a text names which class: begin, end, label, in order; of names within names the longest."""
    found = sorted(
        ((begin, end, label) for label in labels for begin, end in _find_label(label, text, words)),
        key=lambda one: (one[0], -one[1]),
    )
    out: list[tuple[int, int, str]] = []
    for one in found:
        if not out or one[0] >= out[-1][1]:
            out.append(one)
    return out


def _find_label(label: str, text: str, words: Lexicon) -> list[tuple[int, int]]:
    names = {name for one in words.names(label) for name in (one, pluralize(one))}
    one_of = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    found = re.finditer(rf"(?<![\w-])(?:{one_of})(?![\w-])", text, re.I)
    before = ((match, re.split(r"[.,;!?]", text[: match.start()])[-1]) for match in found)
    return [match.span() for match, clause in before if not _DENY.search(clause)]


def read_detections(
    text: str, labels: Sequence[str], size: int, words: Lexicon
) -> list[tuple[str | None, tuple[float, ...], float]]:
    """Every box of a text with its class and confidence: the class named last before it in its sentence, else next.

    Args:
        text: The answer.
        labels: Classes that may be named.
        size: Numbers of a box.
        words: Synonyms.

    Returns:
        Label (None where no class is named), numbers, and the stated confidence, else one that falls with the order.
    """
    boxes = find_groups(text, size)
    named = find_labels(labels, text, words)
    ends = [match.start() for match in re.finditer(r"[.!?](?=\s|$)|\n", text)]
    out = []
    for number, (place, values) in enumerate(boxes):
        begin = max((end for end in ends if end < place), default=-1)
        end = min((end for end in ends if end > place), default=len(text))
        before = [label for at, _, label in named if begin < at < place]
        after = [label for at, _, label in named if place < at < end]
        told = _CONFIDENCE.search(text[begin + 1 : end])
        confidence = 1.0 / (2 + number)
        if told:
            confidence = float(told.group(1)) / (100 if told.group(2) else 1)
        out.append((before[-1] if before else after[0] if after else None, values, confidence))
    return out


def _plain(text: str) -> str:
    return re.sub(r"^(?:a|an|the) ", "", " ".join(text.lower().split()).rstrip("."))


def _has_phrase(text: str, phrase: str) -> bool:
    return bool(phrase) and re.search(rf"(?<![\w.]){re.escape(phrase)}(?![\w]|\.\d)", text) is not None
