"""Answers to questions answered by programs, graded as the benchmark's published code does and as people read them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from instructions.asking.accuracy import grade_number, mra
from instructions.asking.answers import read_choice, read_number, read_yes_no
from instructions.asking.reward import ACCURACY, FORM, reward, write_solution
from instructions.programs.choices import LETTERS
from instructions.programs.records import ProgramQuestion
from instructions.programs.types import Form

_WAYS = {"ahead": "front", "forward": "front", "behind": "back"}
_WAY = re.compile(r"\b(front|back|left|right|ahead|forward|behind)\b")
_ARTICLE = re.compile(r"^(?:the|a|an) ")


@dataclass(frozen=True)
class ProgramTruth:
    """What is right, as every format of ours tells it."""

    id: str
    tour: str
    task: str
    """The type as the released files spell it."""
    form: Form
    truth: str | float | tuple[str, ...]
    """The letter of a multiple choice, `yes` or `no`, a label, a number in `unit`, or phrases of things."""
    unit: str = ""
    choices: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    """Phrases of the things that the question names, where they are known."""


@dataclass(frozen=True)
class ProgramGrade:
    """What one answer is worth."""

    truth: ProgramTruth
    read: str | float | tuple[str, ...] | None
    """As a person would read it; None for what says nothing."""
    strict: float
    """0 to 1 as the published code reads answers; forms that it does not have by `instructions.asking.reward`."""
    lenient: float
    """0 to 1 of what was read."""

    @property
    def right(self) -> bool:
        """Whether what was read is the truth; of a number: within all thresholds."""
        return self.lenient == 1.0

    @property
    def share(self) -> float | None:
        """Of a question for a number: what was said over what is true."""
        if isinstance(self.read, float) and isinstance(self.truth.truth, float) and self.truth.truth:
            return self.read / self.truth.truth
        return None


def truth_of(row: ProgramQuestion) -> ProgramTruth:
    """What is right about a row."""
    candidates = tuple(one.phrase + (f" {one.clause}" if one.clause else "") for one in row.references)
    truth = LETTERS[row.correct] if row.correct is not None else say_truth(row)
    return ProgramTruth(
        row.id, row.tour, row.category, row.form, truth, row.answer_unit, row.choices, candidates
    )  # fmt: skip


def say_truth(row: ProgramQuestion) -> str | float | tuple[str, ...]:
    """The truth of an open row in words: phrases for things, `yes` or `no`, a label, or a number."""
    phrase = {one.object: one.phrase + (f" {one.clause}" if one.clause else "") for one in row.references}
    if row.form == "yes_no":
        return "yes" if row.truth else "no"
    if isinstance(row.truth, tuple):
        return tuple(phrase.get(one, one) for one in row.truth)
    return phrase.get(row.truth, row.truth) if isinstance(row.truth, str) else float(row.truth)


def grade_answer(truth: ProgramTruth, answer: str) -> ProgramGrade:
    """Grade one answer, in any words; an empty text is no answer."""
    read = _read(truth, answer)
    return ProgramGrade(truth, read, _grade_strictly(truth, answer), 0.0 if read is None else _grade(truth, read))


def _grade_strictly(truth: ProgramTruth, answer: str) -> float:
    """Choices by the first word, numbers by the first word's mean relative accuracy, as VSI-Bench's code does."""
    if truth.choices:
        return float(answer.split(" ")[0].rstrip(".").strip().lower() == str(truth.truth).lower())
    if truth.form == "number" and truth.truth:
        return mra(answer, float(truth.truth))  # type: ignore[arg-type]  # a number
    return _grade_plainly(truth, answer)


def _grade_plainly(truth: ProgramTruth, answer: str) -> float:
    """What the reward gives for the answer, without its form."""
    solution = write_solution(truth.form, truth.truth, truth.unit, len(truth.choices))
    return max(0.0, (reward([f"<think></think><answer>{answer}</answer>"], [solution])[0] - FORM) / ACCURACY)


def _grade(truth: ProgramTruth, read: str | float | tuple[str, ...]) -> float:
    if isinstance(read, float):
        value = float(truth.truth)  # type: ignore[arg-type]  # a number
        return grade_number(read, value) if value else float(read == value)
    if isinstance(read, tuple):
        return _grade_plainly(truth, ", ".join(read))
    return float(read == truth.truth)


def _read(truth: ProgramTruth, answer: str) -> str | float | tuple[str, ...] | None:
    if truth.choices:
        place = read_choice(answer, truth.choices)
        return None if place is None else LETTERS[place]
    if truth.form == "number":
        number = read_number(answer, truth.unit or "count")
        return None if number is None else float(number.value)
    if truth.form == "yes_no":
        affirmed = read_yes_no(answer)
        return None if affirmed is None else "yes" if affirmed else "no"
    if truth.form == "label":
        return _read_label(str(truth.truth), answer)
    if truth.form == "thing":
        options = truth.candidates or (str(truth.truth),)
        place = read_choice(answer, options)
        return None if place is None else options[place]
    if truth.form in ("order", "things"):
        named = _find_named(answer, truth.candidates)
        return named or None
    return None


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


def _find_named(answer: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """Candidates in the order in which an answer names them, each once; the longer names are looked for first."""
    left, found = answer.lower(), list[tuple[int, str]]()
    for phrase in sorted(candidates, key=len, reverse=True):
        name = _ARTICLE.sub("", phrase.lower())
        match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", left)
        if match is not None:
            found.append((match.start(), phrase))
            left = left[: match.start()] + "\0" * len(name) + left[match.end() :]
    return tuple(phrase for _, phrase in sorted(found))
