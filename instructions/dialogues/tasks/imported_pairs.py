"""Questions with answers of other data sets as plain statements, which a writer is told like captions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from instructions.dialogues.tasks.annotations import Annotation, AskedPair
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Request, StrictModel
from instructions.language.runner import ask_all
from instructions.rows import row_id
from instructions.wording.english import NUMBER_WORDS, capital, pluralize

MOST_PAIRS = 30
"""Of one call to a language model."""
LINE = "\n***\n"
"""Between two pairs of a call."""
_YES_NO = re.compile(r"^\s*(yes|no)\b", re.I)
_WORD = r"[a-z][a-z'-]*"
_THING = rf"the (?:{_WORD} ){{0,3}}?{_WORD}"
_THERE = re.compile(r"^(is|are) there (?:an?|any) (.+?)\?*$", re.I)
_BE = re.compile(rf"^(is|are) (this|it|they|{_THING}) ({_WORD} ?.*?)\?*$", re.I)
_COUNT = re.compile(rf"^how many ((?:{_WORD} ){{0,2}}{_WORD}) (?:are|can|do|does)\b(.*?)\?*$", re.I)
_OF = re.compile(rf"^what (?:is|are) (?:its|their|the) ({_WORD})(?: of ({_THING}))?\?*$", re.I)
_WHAT = re.compile(rf"^what (colou?r|shape|size|material) (?:is|are) ({_THING})\?*$", re.I)
_AT = "on|in|at|under|next to|behind|near|above|below|beside|between"
_PREDICATE = re.compile(
    rf"^(?:an?|the|{_AT}|open|closed|empty|made|left|right|black|white|gr[ea]y|red|blue|green|brown|beige|yellow|wooden|"
    r"round|square)\b",
    re.I,
)


def state(pair: AskedPair, about: str = "the scene") -> str | None:
    """A pair as one sentence by rules for yes and no, counts and properties; None where no rule fits."""
    question, answer = " ".join(pair.question.split()), " ".join(pair.answer.split()).rstrip(".")
    if not answer or len(answer.split()) > 12:
        return None
    said = _YES_NO.match(answer)
    if said:
        return _agree(question, said.group(1).lower() == "yes")
    return _count(question, answer) or _property(question, answer, about)


def _agree(question: str, is_so: bool) -> str | None:
    """A question of yes and no as what it says, or denies."""
    there, found = _THERE.match(question), _BE.match(question)
    if there is not None:
        verb, thing = (part.lower() for part in there.groups())
        article = re.match(r"(?:is|are) there (an?) ", question, re.I)
        if not is_so:
            return f"There {verb} no {thing}."
        return f"There {verb} {f'{article.group(1).lower()} ' if article and verb == 'is' else ''}{thing}."
    if found is None:
        return None
    verb, subject, rest = (part.lower().strip() for part in found.groups())
    if not _PREDICATE.match(rest):
        return None  # where the name of the thing ends nobody can tell: `is the sofa bed open`
    return capital(f"{subject} {verb} {'' if is_so else 'not '}{rest}.")


def _count(question: str, answer: str) -> str | None:
    found = _COUNT.match(question)
    number = re.fullmatch(rf"(\d+|{'|'.join(NUMBER_WORDS)})(?: {_WORD}){{0,3}}", answer, re.I)
    if found is None or number is None:
        return None
    said, noun = number.group(1).lower(), found.group(1).lower()
    value = int(said) if said.isdigit() else NUMBER_WORDS.index(said)
    if value == 1:
        stems = (noun.removesuffix("s"), noun.removesuffix("es"))
        one = next((stem for stem in stems if pluralize(stem) == noun), None)
        return f"There is one {one}." if one else None
    return f"There are {NUMBER_WORDS[value] if value < len(NUMBER_WORDS) else value} {noun}."


def _property(question: str, answer: str, about: str) -> str | None:
    found = _OF.match(question) or _WHAT.match(question)
    if found is None:
        return None
    return capital(f"the {found.group(1).lower()} of {(found.group(2) or about).lower()} is {answer}.")


class Statements(StrictModel):
    """Pairs as a language model puts them: as many sentences, in their order."""

    sentences: Annotated[list[Annotated[str, Field(min_length=3, max_length=400)]], Field(min_length=1)]


def find_statement_fault(pairs: Sequence[AskedPair], value: Statements) -> str | None:
    """Why the sentences do not stand for the pairs; None if they may.

    Numbers and negations must be those of the pair: a sentence that changes one says something else.
    """
    if len(value.sentences) != len(pairs):
        return f"{len(value.sentences)} sentences for {len(pairs)} pairs"
    for number, (pair, sentence) in enumerate(zip(pairs, value.sentences, strict=True)):
        if _YES_NO.match(sentence):
            return f"sentence {number} begins with yes or no"
        if sentence.rstrip().endswith("?"):
            return f"sentence {number} is a question"
        told = _numbers(f"{pair.question} {pair.answer}")
        if not _numbers(sentence) <= told:
            return f"sentence {number} has a number that its pair has not"
        said = _YES_NO.match(pair.answer)
        if said and (said.group(1).lower() == "no") != _denies(sentence) and not _denies(pair.question):
            return f"sentence {number} says yes for no, or no for yes"
    return None


def _numbers(text: str) -> set[int]:
    out = {int(one) for one in re.findall(r"\d+", text) if len(one) < 9}
    return out | {NUMBER_WORDS.index(one) for one in re.findall(r"[a-z-]+", text.lower()) if one in NUMBER_WORDS[2:]}


def _denies(text: str) -> bool:
    return bool(re.search(r"\b(?:no|not|none|never|without|nothing|cannot)\b|n't\b", text, re.I))


def state_by_rules(annotations: Sequence[Annotation]) -> Mapping[AskedPair, str]:
    """Statements of all pairs that a rule fits."""
    return {pair: told for annotation in annotations for pair in annotation.pairs if (told := state(pair)) is not None}


def state_by_model(
    annotations: Sequence[Annotation],
    *,
    tour: str,
    seed: int,
    replies: Path,
    options: LanguageOptions,
    connect: Callable[[], TextModel],
) -> tuple[Mapping[AskedPair, str], int, OpenQuestions]:
    """Statements of all pairs by a language model, many pairs to a call; of a rejected or open call by rules.

    Returns:
        The statements, how many calls were rejected, and what was asked.
    """
    pairs = list(dict.fromkeys(pair for annotation in annotations for pair in annotation.pairs))
    groups = [pairs[begin : begin + MOST_PAIRS] for begin in range(0, len(pairs), MOST_PAIRS)]
    prompt = load("instructions.dialogues", "statements")
    requests: list[Request[BaseModel]] = []
    for number, group in enumerate(groups):
        told = LINE.join(f"{clean(one.question, 400)}\n{clean(one.answer, 400)}" for one in group)
        messages = (Message("system", prompt.text), Message("user", told))
        requests.append(
            Request(row_id(tour, "statements", number), messages, Statements, seed, likely_tokens=20 * len(group))
        )
    found = ask_all(requests, connect, replies, options)
    out, rejected = dict(state_by_rules(annotations)), 0
    for group, answer in zip(groups, found.answers, strict=True):
        if not isinstance(answer.value, Statements):
            continue
        if find_statement_fault(group, answer.value) is not None:
            rejected += 1
            continue
        out |= {pair: clean(one, 400) for pair, one in zip(group, answer.value.sentences, strict=True)}
    return out, rejected, found.open
