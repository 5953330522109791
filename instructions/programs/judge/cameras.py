"""What one camera sees: whether it may be asked."""

from __future__ import annotations

from math import hypot

from instructions.asking.gates import hide_pair
from instructions.facts.measured import Measured
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.truths import Judged
from instructions.programs.reference import analyse
from instructions.programs.types import ProgramType
from instructions.programs.world import Given

Things = tuple[str, ...]


def judge_range(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """From the eye to the centre of one thing."""
    if (reason := asker.hide_size(things[0])) is not None:
        return reason
    value = asker.views.views[0].viewer.range(asker.known(things[0]).body.center)
    return asker.judge_length(kind, things, value, hypot(asker.sigma(*things), asker.standpoint.eye_sigma))


def judge_nearer(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Two things from the eye."""
    found = asker.pair(*things).is_nearer(asker.standpoint)
    return asker.judge_relation(found, "lead of the nearer", str(analyse(kind.name, things, asker.scene, given)))


def judge_direction(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Front or back, left or right of each other."""
    a, b = (asker.views.seen[name][0] for name in things)
    if (reason := hide_pair(a, b, asker.bars)) is not None:
        return reason
    pair, at = asker.pair(*things), asker.standpoint
    told = {"ahead": pair.is_behind(at), "right": pair.is_right(at, (a.box, b.box))}
    told.pop({"left_right": "ahead", "front_back": "right"}.get(given.word, ""), None)
    unit = "m" if asker.has_scale else "unit"
    evidence = []
    for name, found in told.items():
        if found.state is None:
            return found.reason or "undecided"
        evidence += [Measured(name, found.value, unit, found.sigma), Measured("margin", found.margin, unit, 0.0)]
    return Judged(analyse(kind.name, things, asker.scene, given), evidence=tuple(evidence))
