"""What one camera sees: how far, how far ahead, and to which side.

First the reference programs, then whether each question may be asked.
"""

from __future__ import annotations

from math import hypot

from instructions.asking.gates import hide_pair
from instructions.facts.between import ahead_difference, lateral_difference
from instructions.facts.measured import Measured
from instructions.questions.core.asker import Asker
from instructions.questions.core.truths import Judged
from instructions.questions.core.types import QuestionType, about_views
from instructions.questions.core.world import Given, Ids, ProgramScene, Things

FAMILY = "cameras"


def measure_range(things: Things, scene: ProgramScene, given: Given) -> float:
    """From the eye of the first view to the centre of A."""
    return scene.cameras[0].viewer.range(things[0].body.center)


def compare_ranges(things: Things, scene: ProgramScene, given: Given) -> str:
    """The id of the nearer, or further, of two."""
    pick = min if given.word == "nearer" else max
    return pick(things, key=lambda one: scene.cameras[0].viewer.range(one.body.center)).id


def direct_quadrants(things: Things, scene: ProgramScene, given: Given) -> str:
    """`front-left`, `front-right`, `back-left` or `back-right`: A against B."""
    viewer = scene.cameras[0].viewer
    ahead = ahead_difference(things[0].body, things[1].body, viewer)
    right = lateral_difference(things[0].body, things[1].body, viewer)
    return ("front" if ahead < 0 else "back") + "-" + ("right" if right > 0 else "left")


def direct_halves(things: Things, scene: ProgramScene, given: Given) -> str:
    """`left` or `right`, or `front` or `back`: A against B."""
    front, _, side = direct_quadrants(things, scene, given).partition("-")
    return side if given.word == "left_right" else front


def judge_range(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """From the eye to the centre of one thing."""
    if (reason := asker.hide_size(things[0])) is not None:
        return reason
    value = asker.views.views[0].viewer.range(asker.known(things[0]).body.center)
    return asker.judge_length(kind, things, value, hypot(asker.sigma(*things), asker.standpoint.eye_sigma))


def judge_nearer(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """Two things from the eye."""
    found = asker.pair(*things).is_nearer(asker.standpoint)
    return asker.judge_relation(found, "lead of the nearer", str(asker.answer(kind, things, given)))


def judge_direction(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
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
    return Judged(asker.answer(kind, things, given), evidence=tuple(evidence))


TYPES = (
    about_views(FAMILY, "camera_distance_absolute", ("image",), "number", (1, 1), "m", "ahead",
        "From the eye of the view to the center.",
        spellings=("object_distance_camera_abs", "object_distence_camera_abs"),
        reference=measure_range, judge=judge_range),
    about_views(FAMILY, "camera_distance_relative", ("image",), "thing", (2, 2), "", "ahead",
        "Whose center is nearer to (or further from) the eye of the view.",
        (Given(word="nearer"), Given(word="further")), has_twin=True,
        spellings=("object_distance_camera_rel", "object_distence_camera_rel"),
        reference=compare_ranges, judge=judge_nearer),
    about_views(FAMILY, "camera_direction_complex", ("image",), "label", (2, 2), "", "lateral",
        "A against B as this camera sees it: front is less far ahead, right is further to the right.", has_twin=True,
        spellings=("object_direction_camera_complex", "camera_direction"),
        reference=direct_quadrants, judge=judge_direction),
    about_views(FAMILY, "camera_direction_simple", ("image",), "label", (2, 2), "", "lateral",
        "The same with one of the two only: right or left, or in front or behind.",
        (Given(word="left_right"), Given(word="front_back")), has_twin=True,
        spellings=("object_direction_camera_simple",),
        reference=direct_halves, judge=judge_direction),
)  # fmt: skip
"""Of the family."""
