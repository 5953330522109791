"""Distances, what is near what, and what lies between two: whether they may be asked."""

from __future__ import annotations

from instructions.facts.between import distance
from instructions.facts.facing import lies_between, measure_corridor
from instructions.facts.measured import Measured
from instructions.facts.verdict import SIGMAS
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.truths import Judged
from instructions.programs.reference import analyse
from instructions.programs.reference.distances import measure_apart
from instructions.programs.types import ProgramType
from instructions.programs.world import Given

Things = tuple[str, ...]
MOST_LISTED = 10
_EDGE_M = 0.15
"""Metres from the limit within which nobody says whether a thing is nearby."""


def judge_distance(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Between two things."""
    pair = asker.pair(*things)
    if given.sense == "nearest":
        if pair.gap == 0.0:
            return "touching"
        if (reason := asker.hide_size(things[0]) or asker.hide_size(things[1])) is not None:
            return reason
    value = pair.gap if given.sense == "nearest" else pair.distance
    return asker.judge_length(kind, things, value, asker.sigma(*things))


def judge_nearest(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Several things from one."""
    a, *others = (asker.scene.things[name] for name in things)
    answer = str(analyse(kind.name, things, asker.scene, given))
    away = {one.id: measure_apart(a, one, given) for one in others}
    rest = sorted((value for name, value in away.items() if name != answer), key=lambda v: abs(v - away[answer]))
    if away[answer] == 0.0 and given.sense == "nearest":
        return "touching"
    return asker.judge_best([away[answer], rest[0]], asker.sigma(*things[:2]), answer)


def judge_nearby(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Those of several within so many metres of one."""
    if not asker.has_scale:
        return "no_scale"
    scale = asker.views.model.scale.sigma
    limit, evidence = given.within_m, []
    for name in things[1:]:
        away = distance(asker.known(things[0]).body, asker.known(name).body)
        sigma = (asker.sigma(things[0], name) ** 2 + (scale * away) ** 2) ** 0.5
        if abs(away - limit) < max(_EDGE_M, SIGMAS * sigma):
            return "near_limit"
        evidence.append(Measured(f"distance of {name}", away, "m", sigma))
    answer = analyse(kind.name, things, asker.scene, given)
    if not isinstance(answer, tuple) or not 1 <= len(answer) <= min(MOST_LISTED, len(things) - 2):
        return "none_or_too_many"
    return Judged(answer, evidence=tuple(evidence))


def judge_between(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Whether A lies between B and C."""
    a, b, c = (asker.known(name) for name in things)
    found = lies_between(a, b, c, asker.metre)
    if found.state is None:
        return found.reason
    along, beside, length = measure_corridor(a.body.center, b.body.center, c.body.center)
    unit = "m" if asker.has_scale else "unit"
    evidence = (
        Measured("along the way", along, unit, found.sigma),
        Measured("beside it", beside, unit, found.sigma),
        Measured("length of the way", length, unit, 0.0),
        Measured("half the corridor", found.margin, unit, 0.0),
    )
    return Judged(bool(analyse(kind.name, things, asker.scene, given)), evidence=evidence)
