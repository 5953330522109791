"""A freely asked question and what became of its programs, as a row."""

from __future__ import annotations

from instructions.language.prompts import load
from instructions.language.requests import Answer
from instructions.programs.asked.asking import AskedQuestions, FreeQuestion
from instructions.programs.asked.believing import Belief
from instructions.programs.asked.composing import ComposedQuestion
from instructions.programs.judge.asker import SetAsker
from instructions.programs.records import KIND, ProgramQuestion, Reference, spell_category
from instructions.programs.rows import tell_given
from instructions.programs.seen_names import find_seen_names, name_seers
from instructions.programs.words import say_value, sigma_of
from instructions.programs.world import Value
from instructions.rows import row_id


def make_row(
    tour: str,
    asker: SetAsker,
    question: FreeQuestion,
    answer: Answer[AskedQuestions] | Answer[ComposedQuestion] | None,
    belief: Belief,
    perception: str,
    seed: int,
) -> ProgramQuestion:
    """The row of one question. Its truth is the reference's, whatever the programs say; that of a composed question is
    what the model proposed, on which all programs agreed if it is kept.

    Args:
        tour: Id of the scene.
        asker: Of the question's views.
        question: That may be asked.
        answer: The reply that asked it; None where a person did.
        belief: What became of its programs.
        perception: What knew the things.
        seed: Of the request.
    """
    truth = question.truth
    kind, views = truth.kind, truth.views
    about = row_id(seed, KIND, "llm", views.medium, *views.frames, kind.name, *truth.things, question.instruction)
    said = _say(question, truth.value)
    return ProgramQuestion(
        id=f"{tour}_m{views.model.name}_p{about}",
        tour=tour,
        model=views.model.name,
        views=views.frames,
        scale_status=views.model.scale.status,
        perception=name_seers(
            perception, find_seen_names(views.seen_names, truth.things, [question.names[one] for one in truth.things])
        ),
        writer="embedded" if answer is None else f"llm {answer.served_by or ''}".strip(),
        prompt=None if answer is None else load("instructions.programs", "compose" if truth.parts else "ask").label,
        reply=None if answer is None else answer.reply_key,
        seed=seed,
        accepted=belief.rejected_because is None,
        rejected_because=belief.rejected_because,
        rejection=belief.rejection,
        type=kind.name,
        category=spell_category(kind.name),
        medium=views.medium,
        question=question.instruction,
        answer=f"{said[:1].upper()}{said[1:]}.",
        form=kind.form,
        truth=truth.value,
        truth_source="programs" if truth.parts else "reference",  # what was composed has programs and no reference
        answer_unit=kind.unit,
        given=tuple((part.partition("=")[0], part.partition("=")[2]) for part in tell_given(truth.given)),
        references=tuple(_refer(asker, question, one) for one in truth.things),
        measured=truth.measured,
        parts=truth.parts,
        evidence=truth.evidence,
        programs=belief.runs,
        laws=belief.laws,
        template="free",
    )


def _say(question: FreeQuestion, value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    plain = ",".join(value) if isinstance(value, tuple) else str(value)
    return say_value(question.truth, plain, question.names, sigma_of(question.truth))


def _refer(asker: SetAsker, question: FreeQuestion, thing: str) -> Reference:
    """The view that shows a thing best."""
    seen = asker.views.seen[thing]
    if not seen:
        naming = question.names[thing]
        return Reference(thing, f"the {naming.phrase}", naming.clause, asker.known(thing).thing.category, None, None)
    place = max(seen, key=lambda at: (seen[at].seen.visible_fraction, -at))
    naming = question.names[thing]
    known = asker.known(thing).thing
    return Reference(
        thing,
        f"the {naming.phrase}",
        naming.clause,
        known.category,
        asker.views.frames[place],
        seen[place].box,
    )
