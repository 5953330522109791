"""Distances between things, what is near what, and what lies between two.

First the reference programs, then whether each question may be asked.
"""

from __future__ import annotations

from instructions.facts.between import distance, gap
from instructions.facts.facing import lies_between, measure_corridor, measure_reaches
from instructions.facts.verdict import SIGMAS, Measured
from instructions.questions.core.asker import Asker
from instructions.questions.core.types import ALL, VSI, QuestionType, about_views
from instructions.questions.core.view_sets import Judged, Refused, refuse, require
from instructions.questions.core.world import Given, Ids, ProgramScene, ProgramThing, Things

FAMILY = "distances"
MOST_LISTED = 10
_EDGE_M = 0.15
"""Metres from the limit within which nobody says whether a thing is nearby."""


def measure_apart(a: ProgramThing, b: ProgramThing, given: Given) -> float:
    """Between the nearest points where that is asked for, else between the centres."""
    return gap(a.body, b.body) if given.sense == "nearest" else distance(a.body, b.body)


def measure_distance(things: Things, scene: ProgramScene, given: Given) -> float:
    """Between A and B."""
    return measure_apart(things[0], things[1], given)


def find_nearest(things: Things, scene: ProgramScene, given: Given) -> str:
    """The id of the one nearest to (or furthest from) A."""
    pick = min if given.word == "nearest" else max
    return pick(things[1:], key=lambda one: measure_apart(things[0], one, given)).id


def is_between(things: Things, scene: ProgramScene, given: Given) -> bool:
    """Whether the centre of A lies in the corridor from B to C on the floor plan."""
    along, beside, length = measure_corridor(*(thing.body.center for thing in things))
    start, end, half = measure_reaches(things[1].body, things[2].body)
    return bool(start < along < length - end and beside <= half)


def judge_distance(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Between two things."""
    pair = asker.pair(*things)
    if given.sense == "nearest":
        require(pair.gap > 0.0, "touching")
        refuse(asker.hide_size(things[0]) or asker.hide_size(things[1]))
    value = pair.gap if given.sense == "nearest" else pair.distance
    return asker.judge_length(kind, things, value, asker.sigma(*things))


def judge_nearest(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Several things from one."""
    a, *others = (asker.scene.things[name] for name in things)
    answer = str(asker.answer(kind, things, given))
    away = {other.id: measure_apart(a, other, given) for other in others}
    rest = sorted((value for name, value in away.items() if name != answer), key=lambda v: abs(v - away[answer]))
    require(away[answer] > 0.0 or given.sense != "nearest", "touching")
    return asker.judge_best(away[answer], rest[0], asker.sigma(*things[:2]))


def judge_nearby(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Those of several within so many metres of one."""
    require(asker.has_scale, "no_scale")
    scale = asker.views.model.scale.sigma
    limit, evidence = given.within_m, []
    for name in things[1:]:
        away = distance(asker.known(things[0]).body, asker.known(name).body)
        sigma = (asker.sigma(things[0], name) ** 2 + (scale * away) ** 2) ** 0.5
        require(abs(away - limit) >= max(_EDGE_M, SIGMAS * sigma), "near_limit")
        evidence.append(Measured(f"distance of {name}", away, "m", sigma))
    answer = asker.answer(kind, things, given)
    if not isinstance(answer, tuple) or not 1 <= len(answer) <= min(MOST_LISTED, len(things) - 2):
        raise Refused("none_or_too_many")
    return Judged(answer, evidence=tuple(evidence))


def judge_between(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Whether A lies between B and C."""
    a, b, c = (asker.known(name) for name in things)
    found = lies_between(a, b, c, asker.metre)
    require(found.state is not None, found.reason)
    along, beside, length = measure_corridor(a.body.center, b.body.center, c.body.center)
    evidence = (
        Measured("along the way", along, asker.unit, found.sigma),
        Measured("beside it", beside, asker.unit, found.sigma),
        Measured("length of the way", length, asker.unit, 0.0),
        Measured("half the corridor", found.margin, asker.unit, 0.0),
    )
    return Judged(evidence=evidence)


_NEARER = (Given(word="nearest"), Given(word="furthest"))
_SENSES = (Given(sense="center"), Given(sense="nearest"))
TYPES = (
    about_views(FAMILY, "absolute_distance", ALL, "number", (2, 2), "m", "none",
        "Between the centers, or between the nearest points of the boxes; the question says which.", _SENSES,
        spellings=("object_abs_distance", "object_absolute_distance", "abs_distance"),
        reference=measure_distance, judge=judge_distance),
    about_views(FAMILY, "relative_distance", ALL, "thing", (3, 5), "", "none",
        "Whose center is nearest to (or furthest from) the center of A.", _NEARER,
        spellings=("object_rel_distance", "object_relative_distance", "rel_distance"),
        reference=find_nearest, judge=judge_nearest),
    about_views(FAMILY, "nearby", ALL, "things", (3, 6), "", "none",
        "All of those named whose center is at most so far from that of A, the border included.",
        tuple(Given(within_m=float(metres)) for metres in (1, 2, 3, 4, 5)),
        spellings=("nearby_objects", "object_nearby"),
        reference=lambda things, scene, given: tuple(
            sorted(thing.id for thing in things[1:] if distance(things[0].body, thing.body) <= given.within_m)),
        judge=judge_nearby),
    about_views(FAMILY, "vsi_absolute_distance", VSI, "number", (2, 2), "m", "none",
        "Between the nearest points of the boxes.",
        (Given(sense="nearest"),), words="absolute_distance", spellings=("object_abs_distance_vsi",), options="never",
        reference=measure_distance, judge=judge_distance),
    about_views(FAMILY, "vsi_relative_distance", VSI, "thing", (5, 5), "", "none", "Nearest of four by nearest points.",
        (Given(word="nearest", sense="nearest"),), words="relative_distance", options="always",
        reference=find_nearest, judge=judge_nearest),
    about_views(FAMILY, "in_between", ALL, "yes_no", (3, 3), "", "none",
        "Whether the center of A lies, seen from above, in the corridor from B to C, as wide as the narrower of them.",
        reference=is_between, judge=judge_between),
)  # fmt: skip
