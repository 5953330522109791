"""Has a language model write three programs per question, by three prompts and seeds, blind to the scene's values; and
what becomes of the question when they have run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from instructions.asking.counts import NotAsked
from instructions.language.budget import Usage
from instructions.language.model import Message
from instructions.language.open_questions import OpenQuestions
from instructions.language.prompts import Prompt, load
from instructions.language.requests import Answer, Answers, Request
from instructions.programs.asked.asking import (
    EXAMPLE,
    FreeAsker,
    FreeQuestion,
    describe_camera,
    describe_things,
    explain_metadata,
)
from instructions.programs.asked.believing import Answerable, Belief, Program, World, believe
from instructions.programs.running.source_check import MAX_BYTES
from instructions.questions.core.records import PROGRAMS, Question
from instructions.questions.core.types import QuestionType
from instructions.questions.core.world import Given
from instructions.questions.wording.rows import make_row as make_plain_row
from instructions.questions.wording.words import UNIT_WORDS, Said, say_truth
from instructions.rows import row_id
from instructions.wording.english import capital
from recon.findings import Finding

Ask = Callable[..., Answers[Any]]
"""Has requests answered in their order: `(requests, progress=None)`."""
Programs = tuple[Program, ...]

PROMPTS = ("program_direct", "program_helpers", "program_definition")
"""(a) direct with two worked examples of other types, (b) helpers first, (c) from the definition alone."""
TEMPERATURE = 0.7
"""Of the paper; three different programs are wanted, not one thrice."""


class WrittenProgram(BaseModel):
    """A reply."""

    model_config = ConfigDict(extra="ignore")

    program: str = Field(min_length=1, max_length=MAX_BYTES)


@dataclass(frozen=True, eq=False)
class AskedRows:
    """Rows of freely asked questions, with their programs and what that cost."""

    rows: tuple[Question, ...]
    sources: Mapping[str, str]
    """Every program's text by its sha256."""
    usage: Usage
    open: OpenQuestions
    dropped: NotAsked = field(default_factory=Counter)
    """Questions that were no row: by type and reason."""
    findings: tuple[Finding, ...] = ()


def prompts_of() -> tuple[Prompt, ...]:
    """The three prompts, with the versions that rows name."""
    return tuple(load("instructions.programs", name) for name in PROMPTS)


def make_requests(question: FreeQuestion, seed: int) -> tuple[Request[WrittenProgram], ...]:
    """Three requests for programs that answer one question; none holds a value of the scene."""
    kind = question.truth.kind
    names = question.objects
    categories = [_category(question, thing) for thing in question.truth.things]
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
        return f"a number, in {UNIT_WORDS[kind.unit]}" if kind.unit else "a whole number"
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


def write_programs(
    questions: Sequence[tuple[FreeAsker, FreeQuestion]], ask: Ask, model: str, seed: int
) -> tuple[list[Programs | None], Answers[WrittenProgram]]:
    """Have programs written for questions, and run each once, whatever its value is read as afterwards.

    Returns:
        By question its programs, None where one is missing: without its third witness a question stays open.
    """
    labels = [prompt.label for prompt in prompts_of()]
    told = ask([request for _, question in questions for request in make_requests(question, seed)])
    out: list[Programs | None] = []
    for number, (asker, question) in enumerate(questions):
        answers = told.answers[number * len(labels) : (number + 1) * len(labels)]
        programs = [
            Program(answer.value.program, answer.served_by or model, label)
            for answer, label in zip(answers, labels, strict=True)
            if answer.value is not None
        ]
        world = describe_world(asker, question)
        out.append(tuple(program.run(world) for program in programs) if len(programs) == len(labels) else None)
    return out, told


def describe_world(asker: FreeAsker, question: FreeQuestion) -> World:
    """What programs of a question see. What has no name of its own can be counted, not asked for."""
    truth, scene = question.truth, asker.asker.scene
    things = [scene.things[one] for one in asker.asker.views.seen]
    metadata = describe_things(
        things, {thing.id: question.names[thing.id].text if thing.id in question.names else "" for thing in things}
    )
    for place, one in enumerate(metadata):
        one["id"] = one["id"] or f"unnamed {one['category']} {place}"
    camera = describe_camera(scene.cameras[0]) if truth.views.medium == "image" else None
    asked_names = {question.names[thing].text: thing for thing in truth.things}
    return World(metadata, camera, Answerable.of(truth.kind, truth.given, asked_names))


def judge(asker: FreeAsker, question: FreeQuestion, programs: Programs) -> Belief:
    """Whether the programs of a question are believed."""
    return believe(programs, describe_world(asker, question), question.truth.value)


def make_row(
    tour: str, question: FreeQuestion, answer: Answer[Any] | None, belief: Belief, perception: str, seed: int
) -> Question:
    """The row of one question. Its truth is the reference's, whatever the programs say; that of a composed question is
    what the model proposed, on which all programs agreed if it is kept.

    There is no answer where a person asked.
    """
    truth, views = question.truth, question.truth.views
    about = (seed, PROGRAMS, "llm", views.medium, *views.frames, truth.kind.name, *truth.things, question.instruction)
    said = Said(question.instruction, capital(say_truth(truth, question.names)) + ".", "free")
    return make_plain_row(
        truth,
        said,
        [question.names[thing] for thing in truth.things],
        tour,
        perception,
        seed,
        id=f"{tour}_m{views.model.name}_p{row_id(*about)}",
        writer="embedded" if answer is None else f"llm {answer.served_by or ''}".strip(),
        prompt=None if answer is None else load("instructions.programs", "compose" if truth.parts else "ask").label,
        reply=None if answer is None else answer.reply_key,
        accepted=belief.rejected_because is None,
        rejected_because=belief.rejected_because,
        rejection=belief.rejection,
        truth_source="programs" if truth.parts else "reference",  # what was composed has programs and no reference
        programs=belief.runs,
        laws=belief.laws,
    )
