"""Has a language model join two believed questions into one that needs both; what it writes is read, never trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from pydantic import BaseModel, ConfigDict, Field

from instructions.asking.answers import find_named, read_number, read_yes_no
from instructions.asking.draws import Draw
from instructions.language.model import Message
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.programs.asked.asking import FreeAsker, FreeQuestion
from instructions.programs.asked.programming import Programs
from instructions.programs.asked.wording import find_fault, find_unit
from instructions.programs.running.values import PlainValue
from instructions.questions.core.types import Form, about_views
from instructions.questions.core.view_sets import Truth
from instructions.questions.core.world import Value
from instructions.questions.wording.words import say_truth
from instructions.rows import row_id

LEAST_WORDS, MOST_WORDS = 2, 40
_NO_ANSWER = re.compile(r"(?i)\b(unable|unknown|invalid|not found|cannot|can't|no idea|not sure)\b")


def is_free_text(said: str) -> bool:
    """Whether an answer is a text that may say something: some words, and none that refuse to answer."""
    words = re.findall(r"[^\W\d_]+", said)
    return LEAST_WORDS <= len(words) <= MOST_WORDS and _NO_ANSWER.search(said) is None


def settle_form(question: FreeQuestion, programs: Programs) -> FreeQuestion | None:
    """The question with the form and value of what its programs computed; None where they have no form in common.

    Only a text that no reader of ours takes for a value goes to the judge, and a judge that errs cannot make a row
    untrue: the row says what the programs compute, in our words.
    """
    ids = {question.names[thing].text.casefold(): thing for thing in question.truth.things}
    found = [
        value for program in programs if program.raw is not None and (value := _read(program.raw, ids)) is not None
    ]
    if not found or len({form for form, _ in found}) > 1:
        return None
    form, value = found[0]
    unit = find_unit(str(question.truth.value)) if form == "number" else ""  # a length in the question may be a bound
    if form == "number" and not unit and value != round(float(str(value))):
        return None  # how many times as much: nothing of ours says it
    kind = replace(question.truth.kind, form=form, unit=unit)
    return replace(question, truth=replace(question.truth, kind=kind, value=value))


def _read(raw: PlainValue, ids: Mapping[str, str]) -> tuple[Form, Value] | None:
    if isinstance(raw, bool):
        return "yes_no", raw
    if isinstance(raw, int | float):
        return "number", float(raw)
    if isinstance(raw, str) and raw.strip().casefold() in ids:
        return "thing", ids[raw.strip().casefold()]
    if isinstance(raw, list) and raw and all(isinstance(one, str) and one.strip().casefold() in ids for one in raw):
        listed = tuple(ids[str(one).strip().casefold()] for one in raw)
        return ("order", listed) if len(set(listed)) == len(listed) else None
    return None


NAME = "compound_free"


class ComposedQuestion(BaseModel):
    """A reply: the new question, and what the model takes for its answer."""

    model_config = ConfigDict(extra="ignore")

    question: str = Field(min_length=12, max_length=400)
    answer: str = Field(min_length=1, max_length=200)
    uses: list[int] = Field(min_length=1, max_length=4)


class Following(BaseModel):
    """A reply: whether the proposed answer follows from the two given ones."""

    model_config = ConfigDict(extra="ignore")

    follows: bool
    why: str = Field(default="", max_length=400)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two believed questions about the same views that share a thing."""

    asker: FreeAsker
    first: FreeQuestion
    second: FreeQuestion

    @property
    def told(self) -> list[dict[str, object]]:
        """Both as the model is told them."""
        return [
            {"question": one.instruction, "answer": say_truth(one.truth, one.names), "objects": one.objects}
            for one in (self.first, self.second)
        ]


def find_pairs(asker: FreeAsker, believed: Sequence[FreeQuestion], most: int) -> list[Pair]:
    """Pairs that share a thing and are not the same type about the same things, by a lot that hangs on their words."""
    found = [
        Pair(asker, one, other)
        for one, other in combinations(believed, 2)
        if set(one.truth.things) & set(other.truth.things)
        and (one.truth.kind.name, set(one.truth.things)) != (other.truth.kind.name, set(other.truth.things))
    ]
    lots = {id(pair): Draw(asker.seed, pair.first.instruction, pair.second.instruction).uniform() for pair in found}
    return sorted(found, key=lambda pair: lots[id(pair)])[:most]


def ask_to_compose(pair: Pair) -> Request[ComposedQuestion]:
    """The request for a question that needs both."""
    views = pair.asker.asker.views
    told = {
        "medium": views.medium,
        "questions": pair.told,
        "things": [naming.text for naming in pair.asker.names.values()],
    }
    return _request("compose", told, ComposedQuestion, pair, pair.asker.seed)


def ask_if_follows(pair: Pair, composed: ComposedQuestion) -> Request[Following]:
    """The request for a second opinion, with another seed."""
    told = {"given": pair.told, "new": {"question": composed.question, "answer": composed.answer}}
    return _request("follows", told, Following, pair, pair.asker.seed + 1)


def read_composed(pair: Pair, composed: ComposedQuestion) -> FreeQuestion | str:
    """The new question with the proposed answer as its value, or the code of what is wrong with it.

    An answer that is no value of ours is kept as it is: form `text`, until programs say what is computed.
    """
    text = clean(composed.question, 400)
    if sorted(set(composed.uses)) != [1, 2] or _is_joining(text, pair):
        return "not_composed"
    names = {one: naming.text for one, naming in pair.asker.names.items()}
    ids = list(names)
    things = tuple(ids[at] for at in find_named(text, list(names.values())))
    if not all(set(things) & set(part.truth.things) for part in (pair.first, pair.second)):
        return "not_named"
    said = clean(composed.answer, 200)
    read = _read_answer(said, {thing: names[thing] for thing in things})
    if read is None and not is_free_text(said):
        return "bad_answer"
    form, value, unit = read or ("text", said, "")
    medium, define = pair.asker.asker.views.medium, _define(pair)
    kind = about_views("compound", NAME, (medium,), form, (2, len(things)), unit, "none", define)
    parts = tuple(
        f"{one.truth.kind.name}({', '.join(one.truth.things)}) = {one.truth.value}" for one in (pair.first, pair.second)
    )
    evidence = pair.first.truth.evidence + pair.second.truth.evidence
    truth = Truth(kind, pair.asker.asker.views, things, (), value, evidence=evidence, source="composed", parts=parts)
    question = FreeQuestion(text, truth, pair.asker.names)
    return question if find_wording_fault(pair, question) is None else "bad_wording"


def find_wording_fault(pair: Pair, question: FreeQuestion) -> str | None:
    """What a composed question says that one with an answer of its form may not say; None if nothing."""
    rest = pair.asker.hide_names(question.instruction, question.truth.things)
    is_video = question.truth.views.medium in ("video", "scan")
    return find_fault(question.truth.kind, rest, is_video=is_video)


def _request(name: str, told: Mapping[str, object], schema: type, pair: Pair, seed: int) -> Request:
    messages = (
        Message("system", load("instructions.programs", name).text),
        Message("user", json.dumps(told, ensure_ascii=False)),
    )
    about = row_id(pair.first.instruction, pair.second.instruction, *pair.asker.asker.views.frames)
    return Request(f"programs/{about}/{name}", messages, schema, seed=seed, likely_tokens=120)


def _is_joining(text: str, pair: Pair) -> bool:
    """Whether the two merely stand beside each other: the words of either, or two questions."""
    plain = text.casefold()
    parts = [one.instruction.casefold().rstrip("?. ") for one in (pair.first, pair.second)]
    return text.count("?") != 1 or any(part in plain for part in parts)


def _read_answer(said: str, names: Mapping[str, str]) -> tuple[Form, Value, str] | None:
    """Form, value and unit of what the model takes for the answer; None if it is of no form that can be checked."""
    listed: list[PlainValue] = [part.strip(" .") for part in re.split(r",| and ", said)]
    named = _read(listed if len(listed) > 1 else listed[0], {name.casefold(): one for one, name in names.items()})
    if named is not None:
        return (*named, "")
    affirmed = read_yes_no(said)
    if affirmed is not None and re.fullmatch(r"(?i)\W*(yes|no)\W*", said):
        return "yes_no", affirmed, ""
    unit = find_unit(said)
    number = read_number(said, unit or "count")
    if number is None or number.is_range or not re.fullmatch(r"(?i)\W*[\d.]+ ?[\w ]*\W*", said):
        return None
    return "number", float(number.value), unit


def _define(pair: Pair) -> str:
    """What the parts mean, without their answers."""
    return " ".join(
        f'"{one.instruction}" means: {one.truth.kind.definition}' for one in (pair.first, pair.second)
    )  # fmt: skip
