"""Composed questions of a language model, from pairs to rows: composed, seconded, programmed, checked."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.claims.entailment import Sameness, ask_if_same, explain_difference
from instructions.language.budget import sum_usage
from instructions.language.open_questions import sum_open
from instructions.language.requests import Answer, Request
from instructions.programs.asked.asking import FreeAsker, FreeQuestion
from instructions.programs.asked.believing import Belief, World
from instructions.programs.asked.composing import (
    NAME,
    ComposedQuestion,
    Pair,
    ask_if_follows,
    ask_to_compose,
    find_pairs,
    find_wording_fault,
    read_composed,
    settle_form,
)
from instructions.programs.asked.programming import (
    Ask,
    AskedRows,
    Programs,
    describe_world,
    judge,
    make_row,
    write_programs,
)
from instructions.programs.running.sandbox import run_program
from instructions.programs.running.values import ProgramError
from instructions.questions.core.world import Value
from instructions.questions.wording.words import say_truth
from instructions.rows import row_id

Things = list[dict[str, Any]]
MOST_WORLDS = 6
LEAST_MOVE_M = 0.05
"""Things move at least so far, also where they are known exactly."""
_SIGMAS = 2.0


def find_weakness(
    source: str, world: World, value: Value, parts: Sequence[Collection[str]], moves: Mapping[str, float], draw: Draw
) -> str | None:
    """A code of `REJECTIONS`, or None if there is none: found by running a program in changed worlds.

    What stays the same although the things of one part have other boxes does not need that part; what stays the same
    although all things have changed boxes is told by names; what changes although everything moved by no more than its
    error is undecided. By name, `moves` has how far a thing may be off, in metres.
    """
    things = [dict(thing) for thing in world.things]
    own = [set(names) - set().union(*(other for other in parts if other is not names)) for names in parts]

    def changes(worlds: Sequence[Things]) -> bool:
        return any(not _gives(source, replace(world, things=one), value) for one in worlds)

    if not changes(_deal_all(things)):
        return "told_by_names"
    for names, mine in zip(parts, own, strict=True):
        if not changes(_deal_some(things, mine or set(names))):
            return "part_unneeded"
    if world.answerable.form != "number" and changes([_shake(things, moves, draw) for _ in range(MOST_WORLDS)]):
        return "unsteady"
    return None


def _gives(source: str, world: World, value: Value) -> bool:
    try:
        found = world.answerable.read(run_program(source, world.things, world.camera))
    except ProgramError:
        return False
    return world.answerable.agree(found, value)


def _deal_all(things: Things) -> list[Things]:
    """Everything has the box, frames and room of the thing some places further on."""
    return [
        [_with_body(one, things[(at + step) % len(things)]) for at, one in enumerate(things)]
        for step in range(1, min(MOST_WORLDS, len(things) - 1) + 1)
    ]


def _deal_some(things: Things, names: Collection[str]) -> list[Things]:
    """The named things have those of others, each of another one."""
    others = [thing for thing in things if thing["id"] not in names]
    place = {one["id"]: at for at, one in enumerate(one for one in things if one["id"] in names)}

    def change(one: dict[str, Any], step: int) -> dict[str, Any]:
        if one["id"] not in place:
            return copy.deepcopy(one)
        return _with_body(one, others[(step + place[one["id"]]) % len(others)])

    return [[change(thing, step) for thing in things] for step in range(min(MOST_WORLDS, len(others)))]


def _with_body(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    return {**copy.deepcopy(second), "id": first["id"], "category": first["category"]}


def _shake(things: Things, moves: Mapping[str, float], draw: Draw) -> Things:
    """Every thing a little elsewhere, in some direction."""
    out = copy.deepcopy(things)
    for one in out:
        reach = max(LEAST_MOVE_M, _SIGMAS * moves.get(one["id"], 0.0))
        one["obb"]["center"] = [part + reach * (2 * draw.uniform() - 1) for part in one["obb"]["center"]]
    return out


@dataclass(frozen=True, eq=False)
class _Composed:
    """A composed question with what became of its programs."""

    pair: Pair
    question: FreeQuestion
    answer: Answer[ComposedQuestion]
    belief: Belief
    said: str | None
    """The proposed answer where it is free text, which a model compares with what was computed."""


def compose_questions(
    tour: str,
    believed: Sequence[tuple[FreeAsker, FreeQuestion]],
    most: int,
    perception: str,
    ask: Ask,
    model: str,
    dropped: NotAsked,
    *,
    seed: int = 0,
) -> AskedRows:
    """Join believed questions about the same views, two at a time.

    A composed question is kept if a second request says that its answer follows, three programs give that answer and
    keep every law, and running them in changed worlds shows that both parts are needed, that names do not tell the
    answer, and that no error of a box decides it. Where the proposed answer is free text, its truth is what programs
    compute, and one more request says whether the text says the same.

    Raises:
        InstructionError: If the server cannot be used. Replies so far are kept.
    """
    by_asker = {id(asker): (asker, [one for other, one in believed if other is asker]) for asker, _ in believed}
    pairs = [pair for asker, questions in by_asker.values() for pair in find_pairs(asker, questions, most)]
    first = ask([ask_to_compose(pair) for pair in pairs])
    composed: list[tuple[Pair, FreeQuestion, Answer[ComposedQuestion]]] = []
    for pair, answer in zip(pairs, first.answers, strict=True):
        if answer.value is None:
            continue
        question = read_composed(pair, answer.value)
        if isinstance(question, str):
            dropped[NAME, question] += 1
        else:
            composed.append((pair, question, answer))
    second = ask([ask_if_follows(pair, answer.value) for pair, _, answer in composed if answer.value is not None])
    following: list[tuple[Pair, FreeQuestion, Answer[ComposedQuestion]]] = []
    for one, answer in zip(composed, second.answers, strict=True):
        if answer.value is not None and answer.value.follows:
            following.append(one)
        elif answer.value is not None:
            dropped[NAME, "does_not_follow"] += 1
    written, third = write_programs([(pair.asker, question) for pair, question, _ in following], ask, model, seed)
    sources = {program.digest: program.source for programs in written for program in programs or ()}
    made = [_believe(*one, programs) for one, programs in zip(following, written, strict=True) if programs is not None]
    to_compare = [one for one in made if one.said is not None and one.belief.rejected_because is None]
    fourth = ask([_ask_if_same(one, seed) for one in to_compare])
    judged = {
        id(one): _apply_judgement(one.belief, answer) for one, answer in zip(to_compare, fourth.answers, strict=True)
    }
    beliefs = [(one, judged.get(id(one), one.belief)) for one in made]
    rows = (make_row(tour, one.question, one.answer, belief, perception, seed) for one, belief in beliefs if belief)
    told = (first, second, third, fourth)
    return AskedRows(tuple(rows), sources, sum_usage(*(one.usage for one in told)), sum_open(one.open for one in told))


def _believe(pair: Pair, question: FreeQuestion, answer: Answer[ComposedQuestion], programs: Programs) -> _Composed:
    """Judge the programs; a question answered in free text takes the form of what they compute."""
    said = str(question.truth.value) if question.truth.kind.form == "text" else None
    settled = question if said is None else settle_form(question, programs)
    belief = judge(pair.asker, settled or question, programs)
    if settled is None:
        if belief.rejected_because is None:
            told = "the programs compute nothing of one form that could be compared with the text"
            belief = replace(belief, rejected_because="bad_value", rejection=told)
        return _Composed(pair, question, answer, belief, said)
    if said is not None and belief.rejected_because is None:
        # The words were read before anything said of what form the answer is.
        fault = find_wording_fault(pair, settled)
        belief = belief if fault is None else belief.reject("bad_wording", fault)
    if belief.rejected_because is None and belief.value is not None and programs:
        code = _find_weakness(pair, settled, programs, belief.value)
        belief = belief if code is None else belief.reject(code)
    return _Composed(pair, settled, answer, belief, said)


def _ask_if_same(composed: _Composed, seed: int) -> Request[Sameness]:
    asked, said = composed.question.instruction, composed.said or ""
    computed = say_truth(composed.question.truth, composed.question.names)
    about = row_id(asked, said, *composed.question.truth.views.frames)
    return ask_if_same(f"programs/{about}", (asked, computed), (asked, said), seed)


def _apply_judgement(belief: Belief, answer: Answer[Sameness]) -> Belief | None:
    """The belief, lost where the judge says that the text says something else; None where it gives no judgement."""
    if answer.value is None:
        return None
    why = explain_difference(answer)
    return belief if why is None else belief.reject("judged_different", why)


def _find_weakness(pair: Pair, question: FreeQuestion, programs: Programs, value: Value) -> str | None:
    """What shows that a question is none that needs both parts and the world."""
    asker, names = pair.asker.asker, pair.asker.names
    parts = [[names[thing].text for thing in part.truth.things] for part in (pair.first, pair.second)]
    moves = {names[thing].text: asker.sigma(thing) / asker.metre for thing in question.truth.things}
    draw = Draw(pair.asker.seed, NAME, question.instruction)
    return find_weakness(programs[0].source, describe_world(pair.asker, question), value, parts, moves, draw)
