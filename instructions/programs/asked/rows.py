"""A freely asked question and what became of its programs, as a row."""

from __future__ import annotations

from instructions.language.prompts import load
from instructions.language.requests import Answer
from instructions.programs.asked.asking import AskedQuestions, FreeQuestion
from instructions.programs.asked.believing import Belief
from instructions.programs.asked.composing import ComposedQuestion
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
