"""What one camera sees: how far, how far ahead, and to which side.

First the reference programs, then whether each question may be asked.
"""

from __future__ import annotations

from math import hypot

from instructions.asking.gates import hide_pair
from instructions.facts.between import ahead_difference, lateral_difference
from instructions.questions.core.asker import Asker, judge_by
from instructions.questions.core.types import QuestionType, about_views
from instructions.questions.core.view_sets import Judged, refuse
from instructions.questions.core.world import Given, Ids, ProgramScene, Things, name_quadrant, pick_by

FAMILY = "cameras"


def direct_quadrants(things: Things, scene: ProgramScene, given: Given) -> str:
    """`front-left`, `front-right`, `back-left` or `back-right`, or one half of it: A against B."""
    viewer = scene.cameras[0].viewer
    ahead = ahead_difference(things[0].body, things[1].body, viewer)
    right = lateral_difference(things[0].body, things[1].body, viewer)
    return name_quadrant(ahead < 0, right > 0, given)


def judge_range(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """From the eye to the centre of one thing."""
    refuse(asker.hide_size(things[0]))
    value = asker.views.views[0].viewer.range(asker.known(things[0]).body.center)
    return asker.judge_length(kind, things, value, hypot(asker.sigma(*things), asker.standpoint.eye_sigma))


def judge_direction(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Front or back, left or right of each other."""
    a, b = (asker.views.seen[name][0] for name in things)
    refuse(hide_pair(a, b, asker.bars))
    pair, at = asker.pair(*things), asker.standpoint
    told = {"ahead": pair.is_behind(at), "right": pair.is_right(at, (a.box, b.box))}
    told.pop({"left_right": "ahead", "front_back": "right"}.get(given.word, ""), None)
    return Judged(evidence=tuple(one for name in told for one in asker.judge_relation(name, told[name]).evidence))


TYPES = (
    about_views(FAMILY, "camera_distance_absolute", ("image",), "number", (1, 1), "m", "ahead",
        "From the eye of the view to the center.",
        spellings=("object_distance_camera_abs", "object_distence_camera_abs"),
        reference=lambda things, scene, given: scene.cameras[0].viewer.range(things[0].body.center), judge=judge_range),
    about_views(FAMILY, "camera_distance_relative", ("image",), "thing", (2, 2), "", "ahead",
        "Whose center is nearer to (or further from) the eye of the view.",
        (Given(word="nearer"), Given(word="further")), has_twin=True,
        spellings=("object_distance_camera_rel", "object_distence_camera_rel"),
        reference=pick_by(lambda one, scene, given: scene.cameras[0].viewer.range(one.body.center)),
        judge=judge_by("lead of the nearer", lambda asker, things, given: (
            asker.pair(*things).is_nearer(asker.standpoint)))),
    about_views(FAMILY, "camera_direction_complex", ("image",), "label", (2, 2), "", "lateral",
        "A against B as this camera sees it: front is less far ahead, right is further to the right.", has_twin=True,
        spellings=("object_direction_camera_complex", "camera_direction"),
        reference=direct_quadrants, judge=judge_direction),
    about_views(FAMILY, "camera_direction_simple", ("image",), "label", (2, 2), "", "lateral",
        "The same with one of the two only: right or left, or in front or behind.",
        (Given(word="left_right"), Given(word="front_back")), has_twin=True,
        spellings=("object_direction_camera_simple",),
        reference=direct_quadrants, judge=judge_direction),
)  # fmt: skip
