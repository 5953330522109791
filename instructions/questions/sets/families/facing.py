"""Standing at a thing and facing another: where a third is, whether it is seen, which way to turn on a route.

First the reference programs, then whether each question may be asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, degrees, hypot

import numpy as np

from instructions.facts.between import horizontal_distance
from instructions.facts.facing import measure_facing, measure_facing_bearing_deg
from instructions.facts.verdict import SIGMAS, Measured
from instructions.facts.viewer import measure_free_share
from instructions.questions.core.asker import Asker
from instructions.questions.core.types import ALL, SIDES, VIDEO, VSI, QuestionType, about_views
from instructions.questions.core.view_sets import Judged, require
from instructions.questions.core.world import Given, Ids, ProgramScene, ProgramThing, Things, name_quadrant
from recon.geometry import Array

FAMILY = "facing"
BACK_FROM_DEG = 135.0
"""VSI-Bench's border between left or right and back."""
_LEAST_TURN_DEG = 30.0
"""Less is going straight on."""
_LEVEL, _ACROSS = (0.0, 180.0, -180.0), (90.0, -90.0)
"""Bearings between right and left, and between front and back."""
_BACK = (BACK_FROM_DEG, -BACK_FROM_DEG)
HALF_VIEW_DEG = 45.0
LEAST_FREE = 0.3
"""Share of the faces turned to the eye."""
SURELY_FREE = 0.6
"""Share of the faces that nothing hides, for a thing to be surely in view: boxes hide more than what is in them."""
OVER_M = 0.2
"""(Nominal) metres that one's eye must be above what one stands at."""


def face_quadrants(things: Things, scene: ProgramScene, given: Given) -> str:
    """`front-left`, `front-right`, `back-left` or `back-right`, or one half of it."""
    ahead, right = measure_facing(*(thing.body.center for thing in things))
    return name_quadrant(ahead > 0, right > 0, given)


def measure_route_bearings_deg(things: Things) -> tuple[float, float]:
    """Bearings of the next stop at A and at C; right is positive."""
    a, b, c, d = (thing.body.center for thing in things)
    return measure_facing_bearing_deg(a, b, c), measure_facing_bearing_deg(c, c + (c - a), d)


def _name_turn(bearing_deg: float) -> str:
    if abs(bearing_deg) >= BACK_FROM_DEG:
        return "back"
    return "right" if bearing_deg > 0 else "left"


def judge_facing(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Standing at A, facing B: where is C."""
    stand, look, target = (asker.known(name).body for name in things)
    _require_room(asker, (things[0], things[1]), (things[0], things[2]))
    bearing = measure_facing_bearing_deg(stand.center, look.center, target.center)
    sigma = estimate_bearing_sigma(asker, things[0], things[1], things[2])
    return judge_borders(asker, [(bearing, sigma)], _borders_of(kind, given))


def judge_route(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """From A facing B to C and on to D."""
    a, b, c, d = things
    _require_room(asker, (a, b), (a, c), (c, d))
    first, second = measure_route_bearings_deg([asker.scene.things[name] for name in things])
    require(min(abs(first), abs(second)) >= _LEAST_TURN_DEG, "near_border")
    bearings = [(first, estimate_bearing_sigma(asker, a, b, c)), (second, estimate_bearing_sigma(asker, c, a, d))]
    return judge_borders(asker, bearings, (*_LEVEL, *_BACK))


def _borders_of(kind: QuestionType, given: Given) -> tuple[float, ...]:
    if kind.name == "vsi_direction_medium":
        return (0.0, *_BACK)
    if given.word == "left_right":
        return _LEVEL
    return _ACROSS if given.word == "front_back" else (*_LEVEL, *_ACROSS)


def _require_room(asker: Asker, *pairs: tuple[str, str]) -> None:
    """Where the two of a pair are near each other, nobody can stand there and tell directions."""
    away = min(horizontal_distance(asker.known(a).body, asker.known(b).body) for a, b in pairs)
    require(away >= asker.own.least_stand_m * asker.metre, "stands_too_near")


def estimate_bearing_sigma(asker: Asker, stand: str, look: str, target: str) -> float:
    """Error of a direction by the boxes of all three, in degrees."""
    out = []
    for name in (look, target):
        away = horizontal_distance(asker.known(stand).body, asker.known(name).body)
        out.append(atan2(asker.sigma(stand, name), away))
    return degrees(hypot(*out))


def judge_borders(
    asker: Asker, bearings: list[tuple[float, float]], borders: Sequence[float], least_deg: float = 0.0
) -> Judged:
    """Bearings with their errors, each of which must be clear of the borders between two answers; all in degrees."""
    evidence = []
    for bearing, sigma in bearings:
        margin = max(asker.own.off_border_deg, SIGMAS * sigma, least_deg)
        require(min(abs(bearing - border) for border in borders) >= margin, "near_border")
        evidence += [Measured("bearing", bearing, "deg", sigma), Measured("margin", margin, "deg", 0.0)]
    return Judged(evidence=tuple(evidence))


def stand_over(thing: ProgramThing, scene: ProgramScene) -> Array:
    """An eye right over the middle of a thing, as high as the camera is carried.

    Raises:
        ValueError: If no walk is known.
    """
    if not len(scene.path):
        raise ValueError("no walk is known")
    x, y, _ = thing.obb.center
    return np.array([x, y, float(np.median([place[2] for place in scene.path]))])


def is_seen_from(things: Things, scene: ProgramScene, given: Given) -> bool:
    """Whether C is in view from over A, looking towards B: 90 degrees across, not hidden by the boxes of things."""
    stand, look, target = things
    eye = stand_over(stand, scene)
    if abs(measure_facing_bearing_deg(eye, look.body.center, target.body.center)) > HALF_VIEW_DEG:
        return False
    others = [thing.obb for thing in scene.things.values() if thing.id != target.id]
    return measure_free_share(eye, target.obb, others) >= LEAST_FREE


def judge_seen_from(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Over A, facing B: C is surely out of the field of view, or surely in it and free; walls need known rooms."""
    a, b, c = (asker.scene.things[name] for name in things)
    _require_room(asker, (a.id, b.id), (a.id, c.id))
    eye = stand_over(a, asker.scene)
    require(float(a.body.points[:, 2].max()) <= eye[2] - OVER_M * asker.metre, "stands_too_near")
    margin = max(asker.own.off_border_deg, SIGMAS * estimate_bearing_sigma(asker, a.id, b.id, c.id))
    bearings = [abs(measure_facing_bearing_deg(eye, b.body.center, corner)) for corner in c.body.points]
    evidence = (
        Measured("bearing", measure_facing_bearing_deg(eye, b.body.center, c.body.center), "deg", 0.0),
        Measured("margin", margin, "deg", 0.0),
    )
    if min(bearings) > HALF_VIEW_DEG + margin:
        return Judged(False, evidence=evidence)
    require(max(bearings) <= HALF_VIEW_DEG - margin, "near_border")
    require(a.room is not None and a.room == c.room, "no_rooms")
    others = [thing.obb for thing in asker.scene.things.values() if thing.id != c.id]
    free = measure_free_share(eye, c.obb, others, grow=SIGMAS * asker.sigma(a.id, c.id))
    require(free >= SURELY_FREE, "half_seen")
    return Judged(True, evidence=(*evidence, Measured("free of other things", free, "ratio", 0.0)))


_TURNS = tuple(f"turn {one}, then turn {other}" for one in (*SIDES, "back") for other in (*SIDES, "back"))
TYPES = (
    about_views(FAMILY, "facing_complex", ALL, "label", (3, 3), "", "lateral",
        "Standing at A and facing B, C is ahead or behind by (C - A) . f and right or left by (C - A) . r, with "
        "f = (B - A) on the floor and r = (f_y, -f_x).",
        spellings=("facing_direction_complex", "object_facing_complex"),
        reference=face_quadrants, judge=judge_facing),
    about_views(FAMILY, "facing_simple", ALL, "label", (3, 3), "", "lateral",
        "The same with one of the two only: right or left, or ahead or behind.",
        (Given(word="left_right"), Given(word="front_back")),
        spellings=("facing_direction_simple", "object_facing_simple"),
        reference=face_quadrants, judge=judge_facing),
    about_views(FAMILY, "vsi_direction_easy", VSI, "label", (3, 3), "", "lateral", "Left or right.",
        (Given(word="left_right"),), words="facing_simple", spellings=("object_rel_direction_easy",), options="always",
        reference=face_quadrants, judge=judge_facing),
    about_views(FAMILY, "vsi_direction_medium", VSI, "label", (3, 3), "", "lateral",
        "Left, right, or back from 135 degrees on.",
        words="direction_medium", spellings=("object_rel_direction_medium",), options="always",
        labels=("left", "right", "back"),
        reference=lambda things, scene, given: _name_turn(
            measure_facing_bearing_deg(*(one.body.center for one in things))),
        judge=judge_facing),
    about_views(FAMILY, "vsi_direction_hard", VSI, "label", (3, 3), "", "lateral", "One of the four quadrants.",
        words="facing_complex", spellings=("object_rel_direction_hard",), options="always",
        reference=face_quadrants, judge=judge_facing),
    about_views(FAMILY, "vsi_route_plan", VSI, "label", (4, 4), "", "lateral",
        "From A facing B to C and on to D: left, right or back at either stop.", words="route_plan",
        spellings=("route_planning", "route_plan"), options="always",
        labels=_TURNS, judge=judge_route,
        reference=lambda things, scene, given: ", then ".join(
            f"turn {_name_turn(bearing)}" for bearing in measure_route_bearings_deg(things))),
    about_views("sight", "seen_from", VIDEO, "yes_no", (3, 3), "", "none",
        "Whether C is in view from right over A, as high as the camera is carried, looking towards B, 90 degrees "
        "across, with at least 0.3 of its faces not hidden by other boxes.",
        reference=is_seen_from, judge=judge_seen_from),
)  # fmt: skip
