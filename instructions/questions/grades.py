"""One answer against the truth of one spatial question: read, then compared. Nothing here sees the picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from instructions.asking.accuracy import grade_number
from instructions.asking.answers import is_refusal, read_choice, read_number, read_yes_no, says_out_of_view
from instructions.asking.bars import Dimension
from instructions.questions.records import NOT_VISIBLE
from instructions.questions.registry import ALL_TYPES
from instructions.questions.types import QuestionType

Side = Literal["more", "less"]
TOO_CLOSE = "too close"
RANGES = {"in [50, 200] %": (0.5, 2.0), "in [66.7, 150] %": (2 / 3, 1.5), "in [90, 110] %": (0.9, 1.1)}
"""Of the truth: the ranges of SpatialVLM (CVPR 2024), the narrow one of its ablation."""
_SIDES: dict[Dimension, tuple[str, str]] = {
    "lateral": (r"right(?:most|wards?)?", r"left(?:most|wards?)?"),
    "vertical": (r"above|higher|over|atop|on top", r"below|lower|under|underneath|beneath"),
    "ahead": (
        r"behind|(?:further|farther)(?: away| back| from)?(?! to the (?:left|right|top|bottom))|deeper",
        r"(?:in )?front|nearer|closer",
    ),
    "height": (r"taller|higher|tall", r"shorter|lower|short"),
    "width": (r"wider|broader|wide", r"narrower|thinner|slimmer|narrow|thin"),
    "volume": (r"bigger|larger|big|large", r"smaller|small"),
}
_LESS = re.compile(r"\b(?:not (?:as|so)|less) (?:tall|high|wide|broad|big|large|far)\b")
_ALIKE = re.compile(
    r"\btoo close\b|\bneither\b|\bno telling\b|\b(?:about|roughly|nearly|almost) (?:the same|equal|level)\b|\bequally\b"
    r"|\bthe same (?:height|level|width|size|volume|distance|depth|place)\b|\blevel with\b|\bline[ds]? up\b|\baligned\b"
    r"|\bside by side\b|(?<!not )(?<!times )(?<!twice )\bas (?:tall|wide|big|high|far)(?: ahead)? as\b|\ba tie\b"
)
_ASKED_UNITS = (("cm", r"cm|centimet(?:er|re)s"), ("ft", r"feet|foot"), ("in", r"inches"), ("m", r"met(?:er|re)s?"))


@dataclass(frozen=True)
class SpatialTruth:
    """What is right, as every format of ours tells it."""

    id: str
    tour: str
    type: str
    question: str
    solution: str
    unit: str
    sigma: float
    choices: tuple[str, ...] = ()
    twin: str | None = None
    group: str = ""

    @property
    def kind(self) -> QuestionType:
        """Its row in the table of types."""
        return ALL_TYPES[self.type]


@dataclass(frozen=True)
class Grade:
    """What an answer was read as, and what it is worth."""

    truth: SpatialTruth
    read: str | float | None
    """A word, the phrase of an option, `too close`, or a number in the unit of the truth; None where nothing was."""
    is_refusal: bool = False
    is_range: bool = False
    """The number is the middle of a range."""

    @property
    def right(self) -> bool:
        """Of a question for a word: whether the answer is the truth."""
        return self.read is not None and self.read == self.truth.solution

    @property
    def share(self) -> float | None:
        """Of a question for a number: what was said over what is true."""
        return self.read / float(self.truth.solution) if isinstance(self.read, float) else None

    @property
    def mra(self) -> float:
        """Mean relative accuracy; 0 without a number."""
        return grade_number(self.read, float(self.truth.solution)) if isinstance(self.read, float) else 0.0

    @property
    def fair_mra(self) -> float:
        """Mean relative accuracy over all truths that the error bar allows, as a share of what the best answer gets.

        A number within the error of the measure is hardly blamed, and one that happens to meet the measure is not
        praised for decimals that nobody knows.
        """
        if not isinstance(self.read, float):
            return 0.0
        truth = float(self.truth.solution)
        possible = [t for t in truth + self.truth.sigma * _NODES if t > 0]
        best = sum(grade_number(truth, t) for t in possible)
        return min(sum(grade_number(self.read, t) for t in possible) / best, 1.0) if best else 0.0


def grade_answer(truth: SpatialTruth, answer: str) -> Grade:
    """Read an answer to a question and set it against the truth.

    Args:
        truth: Of the question.
        answer: What was answered, in any words; an empty text is no answer.
    """
    if truth.kind.form == "unseen":
        return Grade(truth, NOT_VISIBLE if is_refusal(answer) or says_out_of_view(answer) else None)
    if is_refusal(answer):
        return Grade(truth, None, is_refusal=True)
    if truth.kind.form == "number":
        number = read_number(answer, truth.unit, find_asked_unit(truth.question))
        return Grade(truth, None) if number is None else Grade(truth, float(number.value), is_range=number.is_range)
    return Grade(truth, _read_word(truth, answer))


def find_asked_unit(question: str) -> str:
    """The unit that a question names behind itself (`Answer in feet.`); empty where it leaves that open."""
    behind = re.split(r"[?.] ", question, maxsplit=1)[1:]
    return next((unit for unit, words in _ASKED_UNITS if re.search(rf"\b(?:{words})\b", " ".join(behind).lower())), "")


def read_marks(answer: str, choices: Sequence[str]) -> str | None:
    """Which mark, or which order of marks, the numbers of an answer say, however they are set; None for neither.

    An order that is no option is read all the same: it is an answer, and a wrong one.
    """
    said = re.findall(r"\d+", answer)
    if choices and all(_ORDER.fullmatch(one) for one in choices):
        wanted = len(choices[0].split(", "))
        said = list(said[0]) if len(said) == 1 and len(said[0]) == wanted else said
        return ", ".join(said) if len(said) == wanted == len(set(said)) else None
    if choices and all(one.startswith("mark ") for one in choices):
        meant = {f"mark {one}" for one in said} & set(choices)
        return meant.pop() if len(meant) == 1 else None
    return None


def read_side(text: str, dimension: Dimension) -> Side | None:
    """Which of two words of a comparison a text says: `taller` is more, `shorter` less; None for none or for a list."""
    low = re.sub(r"\b(?:that|this) is right\b", "", text.lower())
    if _LESS.search(low):
        return "less"
    more, less = _SIDES[dimension]
    found = [
        (match, side)
        for match in re.finditer(rf"\b(?:(?P<more>{more})|(?P<less>{less}))\b", low)
        if not re.search(r"\bnot (?:to the |on the |in |the )?$", low[: match.start()])
        for side in (("more" if match.group("more") else "less"),)
    ]
    if not found:
        return None
    if len({side for _, side in found}) == 2:
        (one, _), (other, _) = found[:2]
        if re.fullmatch(r"\W*(?:and|or)?\W*(?:to the |on the )?", low[one.end() : other.start()]):
            return None
    return found[0][1]  # type: ignore[return-value]  # one of the two


_ORDER = re.compile(r"\d+(?:, \d+)+")
_NODES = np.array([-1.645, -1.036, -0.674, -0.385, -0.126, 0.126, 0.385, 0.674, 1.036, 1.645])
"""Middles of ten equal parts of the normal distribution."""


def _read_word(truth: SpatialTruth, answer: str) -> str | None:
    kind = truth.kind
    if kind.has_hours:
        hour = read_number(answer, "hour")
        return None if hour is None else f"{hour.value:g}"
    if kind.comparison is not None and _ALIKE.search(answer.lower()):
        return TOO_CLOSE
    if kind.form == "yes_no":
        affirmed = read_yes_no(answer)
        return None if affirmed is None else "yes" if affirmed else "no"
    if kind.comparison is None:
        place = read_choice(answer, truth.choices)
        return read_marks(answer, truth.choices) if place is None else truth.choices[place]
    if kind.form == "class":
        side = read_side(answer, kind.dimension)
        return None if side is None else kind.comparison.say_more if side == "more" else kind.comparison.say_less
    return _read_winner(answer, truth.choices, kind)


def _read_winner(answer: str, choices: Sequence[str], kind: QuestionType) -> str | None:
    """The option that an answer says has more of what was asked; one that is said to have less means the other."""
    place = read_choice(answer, choices)
    if place is None or kind.comparison is None:
        return None
    said = answer.lower()
    for phrase in sorted(choices, key=len, reverse=True):
        said = said.replace(phrase.lower().removeprefix("the "), "_")
    side = read_side(said, kind.dimension)
    asked: Side = "more" if kind.word == kind.comparison.more else "less"
    if side is not None and side != asked and len(choices) == 2:
        place = 1 - place
    return choices[place]
