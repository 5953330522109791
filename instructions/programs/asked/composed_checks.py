"""Whether a composed answer hangs on both parts, on more than names, and not on the last centimetres: by running.

The programs of a composed question are run in changed worlds. What stays the same although the things of one part have
other boxes does not need that part; what stays the same although all things have changed boxes is told by names; what
changes although everything moved by no more than its error is undecided.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from instructions.asking.draws import Draw
from instructions.programs.asked.agreement import values_agree
from instructions.programs.asked.believing import Answerable
from instructions.programs.running.program_error import ProgramError
from instructions.programs.running.sandbox import run_program
from instructions.questions.core.world import Value

Things = list[dict[str, Any]]
MOST_WORLDS = 6
LEAST_MOVE_M = 0.05
"""Things move at least so far, also where they are known exactly."""
_SIGMAS = 2.0


def find_weakness(
    source: str,
    metadata: Sequence[Mapping[str, Any]],
    camera: Mapping[str, Any] | None,
    answerable: Answerable,
    value: Value,
    parts: Sequence[Collection[str]],
    moves: Mapping[str, float],
    draw: Draw,
) -> str | None:
    """A code of `REJECTIONS`, or None if there is none.

    Args:
        source: One of the programs, which all agree.
        metadata: As the program saw it.
        camera: Of an image, else None.
        answerable: What a value must be.
        value: Which the programs gave.
        parts: Names of the things of each part.
        moves: By name: how far a thing may be off, in metres.
        draw: Of the moves.
    """
    things = [dict(one) for one in metadata]
    own = [set(names) - set().union(*(other for other in parts if other is not names)) for names in parts]

    def changes(worlds: Sequence[Things]) -> bool:
        return any(not _gives(source, world, camera, answerable, value) for world in worlds)

    if not changes(_deal_all(things)):
        return "told_by_names"
    for names, mine in zip(parts, own, strict=True):
        if not changes(_deal_some(things, mine or set(names))):
            return "part_unneeded"
    if answerable.form != "number" and changes([_shake(things, moves, draw) for _ in range(MOST_WORLDS)]):
        return "unsteady"
    return None


def _gives(source: str, world: Things, camera: Mapping[str, Any] | None, answerable: Answerable, value: Value) -> bool:
    try:
        found = answerable.read(run_program(source, world, camera))
    except ProgramError:
        return False
    return values_agree(found, value, answerable.form, answerable.unit)


def _deal_all(things: Things) -> list[Things]:
    """Everything has the box, frames and room of the thing some places further on."""
    return [
        [_with_body(one, things[(at + step) % len(things)]) for at, one in enumerate(things)]
        for step in range(1, min(MOST_WORLDS, len(things) - 1) + 1)
    ]


def _deal_some(things: Things, names: Collection[str]) -> list[Things]:
    """The named things have those of others, each of another one."""
    others = [one for one in things if one["id"] not in names]
    place = {one["id"]: at for at, one in enumerate(one for one in things if one["id"] in names)}

    def change(one: dict[str, Any], step: int) -> dict[str, Any]:
        if one["id"] not in place:
            return copy.deepcopy(one)
        return _with_body(one, others[(step + place[one["id"]]) % len(others)])

    return [[change(one, step) for one in things] for step in range(min(MOST_WORLDS, len(others)))]


def _with_body(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {**copy.deepcopy(other), "id": one["id"], "category": one["category"]}


def _shake(things: Things, moves: Mapping[str, float], draw: Draw) -> Things:
    """Every thing a little elsewhere, in some direction."""
    out = copy.deepcopy(things)
    for one in out:
        reach = max(LEAST_MOVE_M, _SIGMAS * moves.get(one["id"], 0.0))
        one["obb"]["center"] = [part + reach * (2 * draw.uniform() - 1) for part in one["obb"]["center"]]
    return out
