"""One answer against the truth of one question: read, then compared. Nothing here sees the picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from instructions.asking.answers import find_named, is_refusal, read_choice, read_number, read_yes_no, says_out_of_view
from instructions.asking.bars import Dimension
from instructions.asking.reward import ACCURACY, FORM, grade_number, mra, reward, write_solution
from instructions.questions.core.records import NOT_VISIBLE, TOO_CLOSE, Question
from instructions.questions.core.types import Form, QuestionType
from instructions.questions.registry import ALL_TYPES
from instructions.questions.wording.words import LETTERS

Side = Literal["more", "less"]
Read = str | float | tuple[str, ...]
"""A word, a letter, the name of a thing, a number in the unit of the truth, or names."""
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
_ORDER = re.compile(r"\d+(?:, \d+)+")
_WAYS = {"ahead": "front", "forward": "front", "behind": "back"}
_WAY = re.compile(r"\b(front|back|left|right|ahead|forward|behind)\b")
_ARTICLE = re.compile(r"^(?:the|a|an) ")
_NODES = np.array([-1.645, -1.036, -0.674, -0.385, -0.126, 0.126, 0.385, 0.674, 1.036, 1.645])
"""Middles of ten equal parts of the normal distribution."""


@dataclass(frozen=True)
class Solution:
    """What is right, as every format of ours tells it."""

    id: str
    tour: str
    type: str
    """The type, or the task as released files spell it."""
    form: Form
    truth: Read
    """The letter of a multiple choice, `yes`, `no`, a word, a number in `unit`, or names of things."""
    unit: str = ""
    sigma: float = 0.0
    question: str = ""
    choices: tuple[str, ...] = ()
    is_choice: bool = False
    """It is a multiple choice with letters."""
    candidates: tuple[str, ...] = ()
    """Names of the things that the question names, where they are known."""
    twin: str | None = None
    group: str = ""

    @classmethod
    def of(cls, row: Question) -> Solution:
        """What is right about a row."""
        truth = LETTERS[row.correct] if row.is_choice and row.correct is not None else say_truth(row)
        sigma = row.measured.sigma if row.measured is not None and row.form == "number" else 0.0
        names = tuple(reference.name for reference in row.references)
        return cls(
            row.id, row.tour, row.type, row.form, truth, row.answer_unit, sigma, row.question, row.choices,
            row.is_choice, names, row.twin, row.group,
        )  # fmt: skip

    @property
    def number(self) -> float:
        """The truth of an open question for a number."""
        assert isinstance(self.truth, float), self.id
        return self.truth

    @property
    def kind(self) -> QuestionType | None:
        """Its row in the table of types; None for a task that is none of ours."""
        return ALL_TYPES.get(self.type)


def say_truth(row: Question) -> Read:
    """The truth of an open row in words: names for things, `yes` or `no`, a label, or a number."""
    if isinstance(row.truth, tuple):
        return tuple(row.phrase_of(one) for one in row.truth)
    return row.phrase_of(row.truth) if isinstance(row.truth, str) else float(row.truth)


@dataclass(frozen=True)
class Grade:
    """What an answer was read as, and what it is worth."""

    solution: Solution
    read: Read | None
    """As a person would read it; None where it says nothing."""
    strict: float = 0.0
    """0 to 1 as VSI-Bench's published code reads answers, other forms by `instructions.asking.reward`."""
    is_refusal: bool = False
    is_range: bool = False
    """The number is the middle of a range."""

    @property
    def right(self) -> bool:
        """Whether what was read is the truth; of a number: within all thresholds."""
        return self.lenient == 1.0

    @property
    def lenient(self) -> float:
        """0 to 1 of what was read."""
        truth = self.solution.truth
        if isinstance(self.read, float):
            return grade_number(self.read, float(truth)) if truth else float(self.read == truth)  # type: ignore[arg-type]
        if isinstance(self.read, tuple):
            return _grade_plainly(self.solution, ", ".join(self.read))
        return float(self.read is not None and self.read == truth)

    @property
    def share(self) -> float | None:
        """Of a question for a number: what was said over what is true."""
        truth = self.solution.truth
        return self.read / truth if isinstance(self.read, float) and isinstance(truth, float) and truth else None

    @property
    def fair_mra(self) -> float:
        """Mean relative accuracy over all truths that the error bar allows, as a share of what the best answer gets.

        A number within the error of the measure is hardly blamed, and one that happens to meet the measure is not
        praised for decimals that nobody knows.
        """
        if not isinstance(self.read, float) or not isinstance(self.solution.truth, float):
            return 0.0
        truth = self.solution.truth
        possible = [t for t in truth + self.solution.sigma * _NODES if t > 0]
        best = sum(grade_number(truth, t) for t in possible)
        return min(sum(grade_number(self.read, t) for t in possible) / best, 1.0) if best else 0.0


def grade_answer(solution: Solution, answer: str) -> Grade:
    """Read an answer in any words and set it against the truth; an empty text is no answer."""
    strict = _grade_strictly(solution, answer)
    if solution.truth == NOT_VISIBLE:
        is_seen_so = is_refusal(answer) or says_out_of_view(answer)
        return Grade(solution, NOT_VISIBLE if is_seen_so else None, strict)
    if is_refusal(answer):
        return Grade(solution, None, strict, is_refusal=True)
    if solution.form == "number" and not solution.is_choice:
        number = read_number(answer, solution.unit or "count", find_asked_unit(solution.question))
        if number is None:
            return Grade(solution, None, strict)
        return Grade(solution, float(number.value), strict, is_range=number.is_range)
    return Grade(solution, _read_word(solution, answer), strict)


def _grade_strictly(solution: Solution, answer: str) -> float:
    """Choices by the first word, numbers by the first word's mean relative accuracy, as VSI-Bench's code does."""
    if solution.is_choice:
        return float(answer.split(" ")[0].rstrip(".").strip().lower() == str(solution.truth).lower())
    if solution.form == "number" and solution.truth:
        return mra(answer, solution.number)
    return _grade_plainly(solution, answer)


def _grade_plainly(solution: Solution, answer: str) -> float:
    """What the reward gives for the answer, without its form."""
    choices = len(solution.choices) if solution.is_choice else 0
    told = write_solution(solution.form, solution.truth, solution.unit, choices)
    return max(0.0, (reward([f"<think></think><answer>{answer}</answer>"], [told])[0] - FORM) / ACCURACY)


def find_asked_unit(question: str) -> str:
    """The unit that a question names behind itself (`Answer in feet.`); empty where it leaves that open."""
    behind = re.split(r"[?.] ", question, maxsplit=1)[1:]
    return next((unit for unit, words in _ASKED_UNITS if re.search(rf"\b(?:{words})\b", " ".join(behind).lower())), "")


def read_marks(answer: str, choices: Sequence[str]) -> str | None:
    """Which mark, or which order of marks, the numbers of an answer say, however they are set; None for neither.

    An order that is no option is read all the same: it is an answer, and a wrong one.
    """
    said = re.findall(r"\d+", answer)
    if choices and all(_ORDER.fullmatch(choice) for choice in choices):
        wanted = len(choices[0].split(", "))
        said = list(said[0]) if len(said) == 1 and len(said[0]) == wanted else said
        return ", ".join(said) if len(said) == wanted == len(set(said)) else None
    if choices and all(choice.startswith("mark ") for choice in choices):
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


def _read_word(solution: Solution, answer: str) -> Read | None:
    kind = solution.kind
    if solution.is_choice:
        place = read_choice(answer, solution.choices)
        return None if place is None else LETTERS[place]
    if kind is not None and kind.name.endswith("clock"):
        hour = read_number(answer, "hour")
        return None if hour is None else f"{hour.value:g}"
    if kind is not None and kind.comparison is not None and _ALIKE.search(answer.lower()):
        return TOO_CLOSE
    if solution.form == "yes_no":
        affirmed = read_yes_no(answer)
        return None if affirmed is None else "yes" if affirmed else "no"
    if kind is not None and kind.comparison is not None:
        if kind.form == "label":
            side = read_side(answer, kind.dimension)
            return None if side is None else kind.comparison.say_more if side == "more" else kind.comparison.say_less
        return _read_winner(answer, solution.choices, kind)
    if solution.form == "thing":
        options = solution.candidates or (str(solution.truth),)
        place = read_choice(answer, options)
        return None if place is None else options[place]
    if solution.form in ("order", "things"):
        named = find_named(answer, [_ARTICLE.sub("", candidate.lower()) for candidate in solution.candidates])
        return tuple(solution.candidates[at] for at in named) or None
    if solution.choices:
        place = read_choice(answer, solution.choices)
        return read_marks(answer, solution.choices) if place is None else solution.choices[place]
    return _read_label(str(solution.truth), answer) if solution.form == "label" else None


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


def _read_label(truth: str, answer: str) -> str | None:
    """Directions of an answer spelt as the truth spells its own; of one place in any order, of several in theirs."""
    said, want = _list_ways(answer), _list_ways(truth)
    if not said:
        return None
    is_way = truth.startswith("turn ")
    return truth if (said == want if is_way else sorted(said) == sorted(want)) else "-".join(said)


def _list_ways(text: str) -> list[str]:
    words: list[str] = _WAY.findall(text.lower())
    return [_WAYS.get(word, word) for word in words]
