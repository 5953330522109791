"""What the answer would be if a thing stood elsewhere: the same reference over the same world with one box moved."""

from __future__ import annotations

from dataclasses import replace

from instructions.errors import InstructionError
from instructions.programs.asked.asking import FreeAsker, FreeQuestion
from instructions.questions.sets.judging import analyse
from instructions.questions.wording.words import say_truth
from instructions.records import Vec3

BY_VIEWS = frozenset({"counting", "in_same", "in_frame", "appearance_order", "temporal_sequence"})
"""Types that hang on what views show: nobody knows what they would show."""


def suppose_moved(asker: FreeAsker, question: FreeQuestion, name: str, by_m: Vec3) -> str:
    """The answer in words with one thing moved and nothing else; no gate says whether its margin would be enough.

    It is moved by metres along the world's axes, z up.

    Raises:
        InstructionError: If no thing of the views has the name, there are no metres, or the type hangs on views.
    """
    kind = question.truth.kind
    if kind.name in BY_VIEWS:
        raise InstructionError(f"ask: {kind.name} hangs on what views show, and no view shows what is supposed")
    if not asker.asker.has_scale:
        raise InstructionError("ask: the scale of this run is not known, so nothing can be moved by metres")
    wanted = name.strip().casefold().removeprefix("the ")
    ids = {naming.text.casefold().removeprefix("the "): one for one, naming in asker.names.items()}
    ids |= {way.phrase.casefold(): one for one in asker.names for way in asker.list_ways(one)}
    if wanted not in ids:
        known = ", ".join(sorted(naming.text for naming in asker.names.values()))
        raise InstructionError(f"ask: no thing of these views is called {name!r}. Things here: {known}")
    scene = asker.asker.scene
    thing = scene.things[ids[wanted]]
    x, y, z = (at + by * asker.asker.metre for at, by in zip(thing.obb.center, by_m, strict=True))
    moved = replace(thing, obb=replace(thing.obb, center=(x, y, z)))
    value = analyse(
        kind.name, question.truth.things, replace(scene, things={**scene.things, thing.id: moved}), question.truth.given
    )
    return say_truth(replace(question.truth, value=value), question.names)
