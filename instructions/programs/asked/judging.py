"""The world of one question as its programs see it, and what becomes of the programs that were written for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from instructions.language.requests import Answer
from instructions.programs.asked.asking import FreeQuestion
from instructions.programs.asked.believing import Answerable, Belief, WrittenSource, believe
from instructions.programs.asked.metadata import describe_camera, describe_things
from instructions.programs.asked.programming import WrittenProgram, prompts_of
from instructions.programs.judge.asker import SetAsker

World = tuple[list[dict[str, Any]], dict[str, Any] | None, Answerable]


def describe_world(asker: SetAsker, question: FreeQuestion) -> World:
    """Metadata, camera and what a value must be. What has no name of its own can be counted, not asked for."""
    truth = question.truth
    things = [asker.scene.things[one] for one in asker.views.seen]
    names = {thing.id: question.names[thing.id].text for thing in things if thing.id in question.names}
    metadata = describe_things(things, {thing.id: names.get(thing.id, "") for thing in things})
    for place, one in enumerate(metadata):
        one["id"] = one["id"] or f"unnamed {one['category']} {place}"
    camera = describe_camera(asker.scene.cameras[0]) if truth.views.medium == "image" else None
    assert not isinstance(camera, list)
    asked_names = {question.names[one].text: one for one in truth.things}
    return metadata, camera, Answerable.of(truth.kind, truth.given, asked_names)


def judge(
    asker: SetAsker,
    question: FreeQuestion,
    answers: Sequence[Answer[WrittenProgram]],
    model: str,
) -> tuple[Belief, dict[str, str]]:
    """Run the programs that were written for one question; their texts by sha256.

    A request without a usable reply leaves the question without its third witness: it is rejected with that reason.
    """
    truth = question.truth
    labels = [prompt.label for prompt in prompts_of()]
    written = [
        WrittenSource(answer.value.program, answer.served_by or model, label)
        for answer, label in zip(answers, labels, strict=True)
        if answer.value is not None
    ]
    metadata, camera, answerable = describe_world(asker, question)
    belief = believe(written, metadata, camera, answerable, truth.value)
    missing = next((answer for answer in answers if answer.value is None), None)
    if missing is not None:
        code = missing.rejected_because or "open"
        told = missing.rejection or "the budget is spent"
        belief = Belief(belief.runs, (), None, code, f"{len(written)} of {len(answers)} programs were written: {told}")
    return belief, {run.source_sha256: one.source for run, one in zip(belief.runs, written, strict=True)}
