"""The walk of the camera and the things beside it.

First the reference programs, then whether each question may be asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import atan2, degrees, dist, hypot

import numpy as np

from instructions.facts.facing import measure_facing_bearing_deg
from instructions.facts.verdict import Measured
from instructions.questions.core.asker import Asker, Judge
from instructions.questions.core.types import SIDES, VIDEO, QuestionType, about_views
from instructions.questions.core.view_sets import Judged, Refused, require
from instructions.questions.core.world import (
    Given,
    Ids,
    ProgramCamera,
    ProgramScene,
    ProgramThing,
    Things,
    name_quadrant,
    pick_by,
)
from instructions.questions.sets.families.facing import judge_borders
from instructions.questions.sets.families.times import find_first_s, find_first_view, measure_step_s
from instructions.questions.sets.families.walks import PATH_SHARE
from recon.conventions import wrap_deg
from recon.geometry import Array, path_length

FAMILY = "ways"
_AROUND = 3
"""Frames before and after the nearest one, from which the direction of the walk is taken."""
LEAST_TURN_DEG, MOST_TURN_DEG = 30.0, 150.0
"""A turn is clearly to one side between these."""
BESIDE_DEG = 30.0
"""A thing is beside the walk where it is at most so far from straight to the left or right."""
_LEVEL = 0.3
"""Length on the floor of a direction from which one can tell left from right."""


def measure_floor_path(scene: ProgramScene) -> Array:
    """Floor positions of all frames, (N, 2).

    Raises:
        ValueError: If no walk is known.
    """
    if not len(scene.path):
        raise ValueError("no walk is known")
    return np.array(scene.path, dtype=np.float64)[:, :2]


def find_camera(scene: ProgramScene, given: Given) -> ProgramCamera:
    """Where the walk starts, or where it ends."""
    return scene.cameras[0 if given.word == "start" else -1]


def measure_bearing(camera: ProgramCamera, thing: ProgramThing) -> float:
    """Of a thing against where the camera looks: degrees, right is positive."""
    eye = np.array(camera.position)
    return measure_facing_bearing_deg(eye, eye + np.array(camera.forward), thing.body.center)


def measure_floor_range(place: Sequence[float] | Array, thing: ProgramThing) -> float:
    """From a place to the centre of a thing, over the floor."""
    return float(np.hypot(*(thing.body.center[:2] - np.asarray(place)[:2])))


def measure_between(things: Things, scene: ProgramScene, given: Given) -> float:
    """Way of the camera from the first view of A to the first view of B, along the floor.

    Raises:
        ValueError: If a view is no frame of the walk.
    """
    frames = [scene.cameras[find_first_view(one, scene)].frame for one in things]
    ends = sorted(map(list(scene.path_frames).index, frames))
    path = measure_floor_path(scene)[ends[0] : ends[1] + 1]
    return path_length(np.column_stack([path, np.zeros(len(path))]))


def measure_turn_deg(one: ProgramCamera, other: ProgramCamera) -> float:
    """How far the second looks to the left of the first, -180 to 180."""
    headings = [float(np.degrees(np.arctan2(camera.forward[1], camera.forward[0]))) for camera in (one, other)]
    return wrap_deg(headings[1] - headings[0])


def _name_turn(one: ProgramCamera, other: ProgramCamera) -> str:
    """To which side of the first camera's direction the second looks."""
    return "left" if measure_turn_deg(one, other) > 0 else "right"


def measure_range_at(thing: ProgramThing, scene: ProgramScene, given: Given) -> float:
    """From where the camera is at the start or the end, over the floor."""
    return measure_floor_range(find_camera(scene, given).position, thing)


def measure_closest_range(thing: ProgramThing, scene: ProgramScene, given: Given) -> float:
    """Least distance of the walk from the centre of a thing, over the floor."""
    return float(np.linalg.norm(measure_floor_path(scene) - thing.body.center[:2], axis=1).min())


def tell_quadrant_at(things: Things, scene: ProgramScene, given: Given) -> str:
    """One of the four quadrants around the camera at the start or the end."""
    bearing = measure_bearing(find_camera(scene, given), things[0])
    return name_quadrant(abs(bearing) < 90, bearing > 0, Given())


def measure_pass_bearing_deg(thing: ProgramThing, scene: ProgramScene) -> float:
    """Of a thing against the direction of the walk where it comes nearest, right is positive.

    Raises:
        ValueError: If the camera stands still there.
    """
    path = measure_floor_path(scene)
    place = int(np.linalg.norm(path - thing.body.center[:2], axis=1).argmin())
    before, after = path[max(place - _AROUND, 0)], path[min(place + _AROUND, len(path) - 1)]
    return measure_facing_bearing_deg(path[place], path[place] + after - before, thing.body.center)


def judge_between(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Way from the first view of A to that of B: a view earlier or later must not matter much."""
    firsts = _first_views(asker, things)
    value = float(asker.answer(kind, things, given))  # type: ignore[arg-type]  # a number
    eyes = [camera.position for camera in asker.scene.cameras]
    # Within the floor distance to the view before, a thing may have appeared.
    steps = [dist(eyes[max(view - 1, 0)][:2], eyes[view][:2]) for view in firsts]
    return asker.judge_length(kind, (), value, hypot(*steps, PATH_SHARE * value))


def judge_straight(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """From the first frame to the last."""
    value = float(asker.answer(kind, things, given))  # type: ignore[arg-type]  # a number
    first, *_, last = asker.views.views
    return asker.judge_length(kind, (), value, hypot(first.standpoint.eye_sigma, last.standpoint.eye_sigma))


def judge_turn_between(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Of first views, each also taken one view earlier and later."""
    firsts = _first_views(asker, things)
    cameras = asker.scene.cameras
    around = [[cameras[at] for at in (view - 1, view, view + 1) if 0 <= at < len(cameras)] for view in firsts]
    return _judge_turns(asker, [(one, other) for one in around[0] for other in around[1]])


def _judge_turns(asker: Asker, pairs: Sequence[tuple[ProgramCamera, ProgramCamera]]) -> Judged:
    require(all(hypot(*camera.forward[:2]) >= _LEVEL for pair in pairs for camera in pair), "no_sides")
    turns = [measure_turn_deg(one, other) for one, other in pairs]
    is_clear = all(LEAST_TURN_DEG <= abs(turn) <= MOST_TURN_DEG for turn in turns)
    require(is_clear and min(turns) * max(turns) >= 0, "near_border")
    return Judged(evidence=(Measured("turn to the left", float(np.median(turns)), "deg", 0.0),))


def closest_by(measure: Callable[[ProgramThing, ProgramScene, Given], float]) -> Judge:
    """The judge of what is nearest by a measure over the floor."""

    def judge(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
        best, second, *_ = sorted(measure(asker.scene.things[name], asker.scene, given) for name in things)
        sigma = hypot(asker.sigma(*things[:2]), asker.views.views[0].standpoint.eye_sigma)
        return asker.judge_best(best, second, sigma)

    return judge


def judge_side_at(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Left or right, or the quadrant, at the start or the end."""
    camera = find_camera(asker.scene, given)
    require(hypot(*camera.forward[:2]) >= _LEVEL, "no_sides")
    away = measure_floor_range(camera.position, asker.scene.things[things[0]])
    bearing = measure_bearing(camera, asker.scene.things[things[0]])
    borders = (0.0, 180.0, -180.0) + ((90.0, -90.0) if kind.name == "walk_quadrant_at" else ())
    return _judge_bearing(asker, things[0], bearing, away, borders)


def judge_pass_side(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """On which side the walk leaves a thing; not where the walk begins or ends there, or turns."""
    thing = asker.scene.things[things[0]]
    path = measure_floor_path(asker.scene)
    ranges = np.linalg.norm(path - thing.body.center[:2], axis=1)
    place = int(ranges.argmin())
    require(3 <= place < len(path) - 3, "ends_there")
    try:
        bearing = measure_pass_bearing_deg(thing, asker.scene)
    except ValueError:
        raise Refused("ends_there") from None
    require(abs(abs(bearing) - 90.0) <= BESIDE_DEG, "ends_there")
    return _judge_bearing(asker, thing.id, bearing, float(ranges[place]), (0.0, 180.0, -180.0))


def _judge_bearing(asker: Asker, name: str, bearing: float, away: float, borders: Sequence[float]) -> Judged:
    require(away >= asker.own.least_stand_m * asker.metre, "stands_too_near")
    sigma = degrees(atan2(hypot(asker.sigma(name), asker.views.views[-1].standpoint.eye_sigma), away))
    half = degrees(atan2(asker.known(name).body.box.half_extents[0], away))
    return judge_borders(asker, [(bearing, sigma)], borders, min(half, 2 * asker.own.off_border_deg))


def judge_approach(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Nearer at the end than at the start."""
    thing = asker.scene.things[things[0]]
    start, end = (measure_floor_range(asker.scene.cameras[at].position, thing) for at in (0, -1))
    sigma = hypot(asker.sigma(*things), asker.views.views[-1].standpoint.eye_sigma)
    return asker.judge_best(min(start, end), max(start, end), sigma)


def _first_views(asker: Asker, things: Ids) -> list[int]:
    """Places of the first views of two things, if they are sure."""
    for name in things:
        require(bool(asker.scene.things[name].appear), "never_shown")
        since_s = find_first_s(asker, name) - asker.sightings[name].since_s
        require(since_s <= measure_step_s(asker) + 1e-6, "unsure_if_seen")
    views = [find_first_view(asker.scene.things[name], asker.scene) for name in things]
    require(abs(views[0] - views[1]) >= asker.own.order_views + 1, "too_near_in_time")
    return views


_ENDS = (Given(word="start"), Given(word="end"))
TYPES = (
    about_views(FAMILY, "walk_between", VIDEO, "number", (2, 2), "m", "none",
        "Way of the camera over the floor from the first view of A to the first view of B.",
        reference=measure_between, judge=judge_between),
    about_views(FAMILY, "walk_straight", VIDEO, "number", (0, 0), "m", "none",
        "Straight over the floor from where the walk begins to where it ends.",
        reference=lambda things, scene, given: float(np.hypot(*np.subtract(*measure_floor_path(scene)[[-1, 0]]))),
        judge=judge_straight),
    about_views(FAMILY, "walk_turned", VIDEO, "label", (0, 0), "", "none",
        "To which side of its first direction the camera looks in the end.", (Given(word="left_right"),),
        reference=lambda things, scene, given: _name_turn(scene.cameras[0], scene.cameras[-1]),
        judge=lambda asker, kind, things, given: (
            _judge_turns(asker, [(asker.scene.cameras[0], asker.scene.cameras[-1])]))),
    about_views(FAMILY, "walk_turned_between", VIDEO, "label", (2, 2), "", "none",
        "To which side of its direction at the first view of A it looks at the first view of B.",
        (Given(word="left_right"),),
        reference=lambda things, scene, given: _name_turn(
            *(scene.cameras[find_first_view(thing, scene)] for thing in things)),
        judge=judge_turn_between),
    about_views(FAMILY, "walk_closest", VIDEO, "thing", (3, 4), "", "none",
        "Whose center the walk comes nearest to, over the floor.", (Given(word="nearest"),),
        reference=pick_by(measure_closest_range), judge=closest_by(measure_closest_range)),
    about_views(FAMILY, "walk_nearest_at", VIDEO, "thing", (3, 4), "", "none",
        "Whose center is nearest to the camera where the walk starts or ends, over the floor.", _ENDS,
        reference=pick_by(measure_range_at), judge=closest_by(measure_range_at)),
    about_views(FAMILY, "walk_side_at", VIDEO, "label", (1, 1), "", "lateral",
        "Left or right of where the camera looks where the walk starts or ends, in view or not.", _ENDS,
        labels=SIDES, reference=lambda things, scene, given: tell_quadrant_at(things, scene, given).partition("-")[2],
        judge=judge_side_at),
    about_views(FAMILY, "walk_quadrant_at", VIDEO, "label", (1, 1), "", "lateral",
        "The quadrant around the camera where the walk starts or ends.", _ENDS,
        reference=tell_quadrant_at, judge=judge_side_at),
    about_views(FAMILY, "walk_approach", VIDEO, "yes_no", (1, 1), "", "none",
        "Whether the camera is nearer to A at the end than at the start, over the floor.",
        reference=lambda things, scene, given: (
            measure_floor_range(scene.cameras[-1].position, things[0])
            < measure_floor_range(scene.cameras[0].position, things[0])),
        judge=judge_approach),
    about_views(FAMILY, "walk_pass_side", VIDEO, "label", (1, 1), "", "lateral",
        "On which side of the walk A is where the walk comes nearest to it.", (Given(word="left_right"),),
        reference=lambda things, scene, given: "right" if measure_pass_bearing_deg(things[0], scene) > 0 else "left",
        judge=judge_pass_side),
)  # fmt: skip
