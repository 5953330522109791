"""Has a language model write three programs per question, by three prompts and seeds, blind to the scene's values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from instructions.language.model import Message
from instructions.language.prompts import Prompt, load
from instructions.language.requests import Request
from instructions.programs.asked.asking import FreeQuestion
from instructions.programs.asked.metadata import EXAMPLE, explain_metadata
from instructions.programs.running.source_check import MAX_BYTES
from instructions.questions.core.types import QuestionType
from instructions.questions.core.world import Given
from instructions.rows import row_id

PROMPTS = ("program_direct", "program_helpers", "program_definition")
"""(a) direct with two worked examples of other types, (b) helpers first, (c) from the definition alone."""
TEMPERATURE = 0.7
"""Of the paper; three different programs are wanted, not one thrice."""
_UNITS = {"m": "meters", "cm": "centimeters", "m2": "square meters", "m3": "cubic meters"}


class WrittenProgram(BaseModel):
    """A reply."""

    model_config = ConfigDict(extra="ignore")

    program: str = Field(min_length=1, max_length=MAX_BYTES)


def prompts_of() -> tuple[Prompt, ...]:
    """The three prompts, with the versions that rows name."""
    return tuple(load("instructions.programs", name) for name in PROMPTS)


def make_requests(question: FreeQuestion, seed: int) -> tuple[Request[WrittenProgram], ...]:
    """Three requests for programs that answer one question; none holds a value of the scene."""
    kind = question.truth.kind
    names = question.objects
    categories = [_category(question, one) for one in question.truth.things]
    has_camera = question.truth.views.medium == "image"
    told = {
        "question": question.instruction,
        "objects": names,
        "objects_category": categories or [question.truth.given.category],
        "answer_form": say_form(kind, question.truth.given, names),
    }
    requests = []
    for number, prompt in enumerate(prompts_of()):
        said = {**told, "definition": kind.definition} if prompt.name == "program_definition" else told
        messages = write_messages(prompt, said, with_camera=has_camera)
        about = f"programs/{row_id(question.instruction, *question.truth.views.frames)}/{prompt.name}"
        requests.append(
            Request(about, messages, WrittenProgram, seed=seed + number, temperature=TEMPERATURE, likely_tokens=300)
        )
    return tuple(requests)


def write_messages(prompt: Prompt, told: Mapping[str, object], *, with_camera: bool = False) -> tuple[Message, ...]:
    """What a model is told of one question: the prompt, the fields of the metadata, and the question as data."""
    data = f"{explain_metadata(with_camera=with_camera)}\n\nOne thing of another scene:\n{json.dumps(EXAMPLE)}"
    return (Message("system", f"{prompt.text}\n\n{data}"), Message("user", json.dumps(told, ensure_ascii=False)))


def say_form(kind: QuestionType, given: Given, names: Sequence[str]) -> str:
    """In words what a program must return."""
    if kind.form == "text":
        listed = ", ".join(names)
        return (
            "whatever answers it, as one plain value: True or False, a number in the unit that the question names, the "
            f"id of one of {listed}, or a list of such ids"
        )
    if kind.form == "number":
        return f"a number, in {_UNITS[kind.unit]}" if kind.unit else "a whole number"
    if kind.form == "yes_no":
        return "True or False"
    if kind.form == "label":
        return f"one of these texts: {', '.join(kind.labels_of(given))}"
    if kind.form == "thing":
        rest = names if kind.things[0] == 2 else names[1:]
        return f"the id of one of: {', '.join(rest)}"
    if kind.form == "order":
        return "a list of all these ids in the order asked for"
    return "a list of the ids that the question asks for"


def _category(question: FreeQuestion, thing: str) -> str:
    known = question.truth.views.known[thing].thing
    return known.category or known.alias
