"""The walk and the rooms: whether they may be asked about."""

from __future__ import annotations

from math import hypot

from instructions.facts.measured import Measured
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.truths import Judged
from instructions.programs.reference import analyse
from instructions.programs.types import ProgramType
from instructions.programs.world import Given

Things = tuple[str, ...]
LEAST_PATH_M = 2.0
PATH_SHARE = 0.02
"""Error of a path beyond the scale's: a hand sways, and every sway is walked."""


def judge_path(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """How far the camera went."""
    if not asker.has_scale:
        return "no_scale"
    value = float(analyse(kind.name, things, asker.scene, given))  # type: ignore[arg-type]  # a number
    scale = asker.views.model.scale.sigma
    relative = hypot(scale, 0.0 if asker.exact else PATH_SHARE)
    if value < LEAST_PATH_M:
        return "out_of_range"
    if relative > asker.bars.relative_sigma_bar:
        return "uncertain"
    return Judged(value, Measured(kind.name, value, "m", value * relative))


def judge_floor(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """How large all rooms are together."""
    area = asker.around.floor_area
    if area is None:
        return "no_rooms"
    if asker.around.is_floor_least:
        return "floor_open"
    if not asker.has_scale:
        return "no_scale"
    relative = hypot(2 * asker.views.model.scale.sigma, asker.around.floor_sigma / area)
    if relative > asker.bars.relative_sigma_bar:
        return "uncertain"
    return Judged(area, Measured(kind.name, area, "m2", area * relative))


def judge_transitions(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """How often the room changes."""
    if not asker.around.rooms:
        return "no_rooms"
    value = analyse(kind.name, things, asker.scene, given)
    if not value:
        return "none_or_too_many"
    return Judged(value, Measured(kind.name, float(len(asker.around.rooms) - 1), "", 0.0))
