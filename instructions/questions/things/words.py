"""Words of questions and answers: templates per type, slots, and numbers as people say them. Words come last."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from instructions.asking.draws import Draw
from instructions.asking.names import Naming
from instructions.asking.rounding import Spoken, say_exactly, say_length, say_ratio
from instructions.facts.measured import Measured, Unit
from instructions.questions.things.truths import Truth
from instructions.questions.types import QuestionType
from instructions.wording.english import fill
from recon.numerals import count_decimals

EXACT_SHARE = 0.10
"""Of the questions for a length: asks for two decimals, and gets them."""
UNIT_SHARE = 0.30
"""Of the others: names the unit of its answer. The rest leaves it open on purpose."""
UNIT_WORDS = {"m": "meters", "cm": "centimeters", "ft": "feet", "in": "inches"}

Templates = Mapping[str, tuple[str, ...]]


@cache
def templates_of(name: str) -> Templates:
    """The lists of templates of a type, or of `units`: sentences that ask for a unit or for decimals."""
    text = (files("instructions.questions.things") / "templates" / f"{name}.toml").read_text(encoding="utf-8")
    return {key: tuple(values) for key, values in tomllib.loads(text).items()}


@dataclass(frozen=True)
class Wording:
    """Which words a row takes: drawn once for a row and its twin."""

    names: tuple[Naming, ...]
    """Of A and B."""
    questions: str
    question: int
    addition: tuple[str, int] | None = None
    """List and place of a sentence about the unit or decimals."""


@dataclass(frozen=True)
class Said:
    """A row in words."""

    question: str
    answer: str
    template: str
    truth: str
    choices: tuple[str, ...] = ()
    correct: int | None = None
    said: Measured | None = None


def draw_wording(truth: Truth, draw: Draw) -> tuple[Wording, Spoken | None]:
    """Choose words for a row, and how its number is said; the shorter, the likelier."""
    names = tuple(options[draw.shorter([one.text for one in options])] for options in truth.names)
    lists = templates_of(truth.type.name)
    key = "questions"
    if "questions_as_seen" in lists:
        as_seen = len(lists["questions_as_seen"]) / (len(lists["questions_as_seen"]) + len(lists["questions"]))
        if truth.only_as_seen or draw.uniform() < as_seen:
            key = "questions_as_seen"
    question = draw.shorter(lists[key])
    spoken, addition = None, None
    if truth.type.family == "ratio" and truth.measured is not None:
        spoken = say_ratio(truth.measured.value, draw)
    elif truth.type.form == "number" and truth.measured is not None:
        units = templates_of("units")
        value, sigma = truth.measured.value, truth.measured.sigma
        if draw.uniform() < EXACT_SHARE and count_decimals(value, sigma) == 2:
            spoken, addition = say_exactly(value), ("exact", draw.shorter(units["exact"]))
        else:
            spoken = say_length(value, draw, sigma)
            if draw.uniform() < UNIT_SHARE:
                addition = ("named", draw.shorter(units["named"]))
    return Wording(names, key, question, addition), spoken


def compose(truth: Truth, wording: Wording, spoken: Spoken | None, draw: Draw, *, swapped: bool = False) -> Said:
    """Put a row into words.

    Args:
        truth: Of A and B.
        wording: Drawn for it.
        spoken: Its number.
        draw: For the answer.
        swapped: The twin: A and B change places in the same words.
    """
    lists, kind = templates_of(truth.type.name), truth.type
    named = tuple(reversed(wording.names)) if swapped else wording.names
    things = {slot: (one.text, one.plural) for slot, one in zip("AB", named, strict=False)}
    question = fill(lists[wording.questions][wording.question], things, {})
    if wording.addition is not None and spoken is not None:
        key, place = wording.addition
        question += " " + fill(templates_of("units")[key][place], {}, {"unit": UNIT_WORDS.get(spoken.unit, "")})
    verdict = truth.verdict
    if swapped and isinstance(verdict, str):
        verdict = {"more": "less", "less": "more", "too close": "too close"}[verdict]
    told = _answer_of(kind, verdict, truth, swapped, question)
    slots = dict(told.words)
    if spoken is not None:
        slots["q"] = spoken.text
    if told.winner is not None:
        things["W"], things["L"] = things["AB"[told.winner]], things["AB"[1 - told.winner]]
    place = draw.shorter(lists[told.key])
    answer = fill(lists[told.key][place], things, slots)
    addition = "" if wording.addition is None else "/" + "/".join(str(part) for part in wording.addition)
    template = f"{kind.name}/{wording.questions}/{wording.question}/{told.key}/{place}{addition}"
    choices = told.choices
    if kind.form == "choice":
        choices = tuple(one.text for one in named)
    correct = choices.index(told.right) if told.right in choices else told.winner if kind.form == "choice" else None
    return Said(question, answer, template, told.truth, choices, correct, _said(truth, spoken))


@dataclass(frozen=True)
class _Told:
    truth: str
    key: str
    """List of answers."""
    words: tuple[tuple[str, str], ...] = ()
    winner: int | None = None
    choices: tuple[str, ...] = ()
    right: str = ""


def _answer_of(kind: QuestionType, verdict: object, truth: Truth, swapped: bool, question: str) -> _Told:
    if kind.form == "number" and truth.measured is not None:
        return _Told(repr(truth.measured.value), "answers")
    if kind.family == "clock":
        return _Told(str(verdict), "answers", (("hour", str(verdict)),))
    if verdict == "too close":
        return _Told("too close", "too_close", choices=_choices(kind, question))
    comparison = kind.comparison
    if kind.family == "stands_on" or comparison is None:
        word = "yes" if verdict else "no"
        return _Told(word, word, choices=("yes", "no"), right=word)
    if kind.family == "class":
        word = comparison.say_more if verdict == "more" else comparison.say_less
        return _Told(word, "answers", (("word", word),), choices=_choices(kind, question), right=word)
    holds = (verdict == "more") == (kind.word == comparison.more)
    if kind.family == "predicate":
        word = "yes" if holds else "no"
        return _Told(word, word, choices=("yes", "no"), right=word)
    winner = 0 if holds else 1
    things = tuple(reversed(truth.things)) if swapped else truth.things
    return _Told(things[winner].id, "answers", winner=winner)


def _choices(kind: QuestionType, question: str) -> tuple[str, ...]:
    """What may be answered, in the order in which the question says it."""
    if kind.comparison is None or kind.form == "choice":
        return ()
    if kind.form == "yes_no":
        return ("yes", "no")
    low = question.lower()
    words = (kind.comparison.say_more, kind.comparison.say_less)

    def place(word: str) -> int:
        at = low.find(word.removesuffix(" of"))
        return at if at >= 0 else len(low)

    return words if place(words[0]) < place(words[1]) else (words[1], words[0])


def _said(truth: Truth, spoken: Spoken | None) -> Measured | None:
    if spoken is None or truth.measured is None:
        return None
    unit: Unit = "ratio" if spoken.unit == "" else spoken.unit  # type: ignore[assignment]  # the units of `Spoken`
    return Measured(truth.measured.name, spoken.value, unit, 0.0)
