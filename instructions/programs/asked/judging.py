"""The world of one question as its programs see it, and what becomes of the programs that were written for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from instructions.language.prompts import load
from instructions.language.requests import Answer
from instructions.programs.asked.asking import AskedQuestions, FreeQuestion
from instructions.programs.asked.believing import (
    Answerable,
    Belief,
    Outcome,
    WrittenSource,
    believe,
    digest_of,
    run_all,
)
from instructions.programs.asked.composing import ComposedQuestion
from instructions.programs.asked.metadata import describe_camera, describe_things
from instructions.programs.asked.programming import WrittenProgram, prompts_of
from instructions.questions.core.asker import Asker
from instructions.questions.core.records import PROGRAMS, Question
from instructions.questions.wording import rows
from instructions.questions.wording.words import Said, say_truth
from instructions.rows import row_id
from instructions.wording.english import capital


def make_row(
    tour: str,
    question: FreeQuestion,
    answer: Answer[AskedQuestions] | Answer[ComposedQuestion] | None,
    belief: Belief,
    perception: str,
    seed: int,
) -> Question:
    """The row of one question. Its truth is the reference's, whatever the programs say; that of a composed question is
    what the model proposed, on which all programs agreed if it is kept.

    Args:
        tour: Id of the scene.
        question: That may be asked.
        answer: The reply that asked it; None where a person did.
        belief: What became of its programs.
        perception: What knew the things.
        seed: Of the request.
    """
    truth, views = question.truth, question.truth.views
    about = (seed, PROGRAMS, "llm", views.medium, *views.frames, truth.kind.name, *truth.things, question.instruction)
    said = Said(question.instruction, capital(say_truth(truth, question.names)) + ".", "free")
    return rows.make_row(
        truth,
        said,
        [question.names[one] for one in truth.things],
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


World = tuple[list[dict[str, Any]], dict[str, Any] | None, Answerable]


def describe_world(asker: Asker, question: FreeQuestion) -> World:
    """Metadata, camera and what a value must be. What has no name of its own can be counted, not asked for."""
    truth = question.truth
    things = [asker.scene.things[one] for one in asker.views.seen]
    names = {thing.id: question.names[thing.id].text for thing in things if thing.id in question.names}
    metadata = describe_things(things, {thing.id: names.get(thing.id, "") for thing in things})
    for place, one in enumerate(metadata):
        one["id"] = one["id"] or f"unnamed {one['category']} {place}"
    camera = describe_camera(asker.scene.cameras[0]) if truth.views.medium == "image" else None
    asked_names = {question.names[one].text: one for one in truth.things}
    return metadata, camera, Answerable.of(truth.kind, truth.given, asked_names)


@dataclass(frozen=True, eq=False)
class RanPrograms:
    """The programs that were written for one question, and what each did in its world."""

    written: tuple[WrittenSource, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def texts(self) -> dict[str, str]:
        """Every program by its sha256."""
        return {digest_of(one.source): one.source for one in self.written}


def run_written(
    asker: Asker, question: FreeQuestion, answers: Sequence[Answer[WrittenProgram]], model: str
) -> RanPrograms | None:
    """Run what was written for one question: every program once, whatever its value is read as afterwards.

    None where a program is missing: without its third witness a question stays open.
    """
    labels = [prompt.label for prompt in prompts_of()]
    written = tuple(
        WrittenSource(answer.value.program, answer.served_by or model, label)
        for answer, label in zip(answers, labels, strict=True)
        if answer.value is not None
    )
    if len(written) < len(labels):
        return None
    metadata, camera, _ = describe_world(asker, question)
    return RanPrograms(written, run_all([one.source for one in written], metadata, camera))


def judge(asker: Asker, question: FreeQuestion, ran: RanPrograms) -> Belief:
    """Whether the programs of a question are believed."""
    metadata, camera, answerable = describe_world(asker, question)
    return believe(ran.written, ran.outcomes, metadata, camera, answerable, question.truth.value)
