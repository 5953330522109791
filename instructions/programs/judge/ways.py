"""The walk of the camera and the things beside it: whether they may be asked about."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, degrees, hypot

import numpy as np

from instructions.facts.measured import Measured
from instructions.facts.verdict import SIGMAS
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.truths import Judged
from instructions.programs.judge.walks import PATH_SHARE
from instructions.programs.reference import analyse
from instructions.programs.reference.times import find_first_view
from instructions.programs.reference.ways import (
    find_camera,
    measure_bearing,
    measure_closest_range,
    measure_floor_path,
    measure_floor_range,
    measure_pass_bearing_deg,
    measure_turn_deg,
)
from instructions.programs.types import ProgramType
from instructions.programs.world import Given, ProgramCamera

Things = tuple[str, ...]
LEAST_TURN_DEG, MOST_TURN_DEG = 30.0, 150.0
"""A turn is clearly to one side between these."""
BESIDE_DEG = 30.0
"""A thing is beside the walk where it is at most so far from straight to the left or right."""
_LEVEL = 0.3
"""Length on the floor of a direction from which one can tell left from right."""


def judge_between(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Way from the first view of A to that of B: a view earlier or later must not matter much."""
    firsts = _first_views(asker, things)
    if isinstance(firsts, str):
        return firsts
    value = float(analyse(kind.name, things, asker.scene, given))  # type: ignore[arg-type]  # a number
    steps = [_step_length(asker, view) for view in firsts]
    return asker.judge_length(kind, (), value, hypot(*steps, PATH_SHARE * value))


def judge_straight(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """From the first frame to the last."""
    value = float(analyse(kind.name, things, asker.scene, given))  # type: ignore[arg-type]  # a number
    frames = asker.views.model.frames
    return asker.judge_length(kind, (), value, hypot(_eye_sigma(asker, frames[0]), _eye_sigma(asker, frames[-1])))


def judge_turn(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Of the last view against the first."""
    return _judge_turns(asker, kind, things, given, [(asker.scene.cameras[0], asker.scene.cameras[-1])])


def judge_turn_between(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Of first views, each also taken one view earlier and later."""
    firsts = _first_views(asker, things)
    if isinstance(firsts, str):
        return firsts
    cameras = asker.scene.cameras
    around = [[cameras[at] for at in (view - 1, view, view + 1) if 0 <= at < len(cameras)] for view in firsts]
    return _judge_turns(asker, kind, things, given, [(one, other) for one in around[0] for other in around[1]])


def _judge_turns(
    asker: SetAsker,
    kind: ProgramType,
    things: Things,
    given: Given,
    pairs: Sequence[tuple[ProgramCamera, ProgramCamera]],
) -> Judged | str:
    if any(hypot(*camera.forward[:2]) < _LEVEL for pair in pairs for camera in pair):
        return "no_sides"
    turns = [measure_turn_deg(one, other) for one, other in pairs]
    if any(not LEAST_TURN_DEG <= abs(turn) <= MOST_TURN_DEG for turn in turns) or min(turns) * max(turns) < 0:
        return "near_border"
    evidence = (Measured("turn to the left", float(np.median(turns)), "deg", 0.0),)
    return Judged(analyse(kind.name, things, asker.scene, given), evidence=evidence)


def judge_closest(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """What the walk comes nearest to."""
    return _judge_ranges(
        asker,
        kind,
        things,
        given,
        {name: measure_closest_range(asker.scene.things[name], asker.scene) for name in things},
    )


def judge_nearest_at(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """What is nearest at the start or the end."""
    place = find_camera(asker.scene, given).position
    return _judge_ranges(
        asker, kind, things, given, {name: measure_floor_range(place, asker.scene.things[name]) for name in things}
    )


def _judge_ranges(
    asker: SetAsker, kind: ProgramType, things: Things, given: Given, ranges: dict[str, float]
) -> Judged | str:
    values = sorted(ranges.values())
    sigma = hypot(asker.sigma(*things[:2]), _eye_sigma(asker, asker.views.frames[0]))
    return asker.judge_best(values[:2], sigma, analyse(kind.name, things, asker.scene, given))


def judge_side_at(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Left or right, or the quadrant, at the start or the end."""
    camera = find_camera(asker.scene, given)
    if hypot(*camera.forward[:2]) < _LEVEL:
        return "no_sides"
    away = measure_floor_range(camera.position, asker.scene.things[things[0]])
    bearing = measure_bearing(camera, asker.scene.things[things[0]])
    borders = (0.0, 180.0, -180.0) + ((90.0, -90.0) if kind.name == "walk_quadrant_at" else ())
    return _judge_bearing(asker, kind, things, given, (bearing, away), borders)


def judge_pass_side(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """On which side the walk leaves a thing; not where the walk begins or ends there, or turns."""
    thing = asker.scene.things[things[0]]
    path = measure_floor_path(asker.scene)
    ranges = np.linalg.norm(path - thing.body.center[:2], axis=1)
    place = int(ranges.argmin())
    if not 3 <= place < len(path) - 3:
        return "ends_there"
    try:
        bearing = measure_pass_bearing_deg(thing, asker.scene)
    except ValueError:
        return "ends_there"
    if abs(abs(bearing) - 90.0) > BESIDE_DEG:
        return "ends_there"
    return _judge_bearing(asker, kind, things, given, (bearing, float(ranges[place])), (0.0, 180.0, -180.0))


def _judge_bearing(
    asker: SetAsker,
    kind: ProgramType,
    things: Things,
    given: Given,
    bearing_away: tuple[float, float],
    borders: Sequence[float],
) -> Judged | str:
    bearing, away = bearing_away
    if away < asker.own.least_stand_m * asker.metre:
        return "stands_too_near"
    sigma = degrees(atan2(hypot(asker.sigma(things[0]), _eye_sigma(asker, asker.views.frames[-1])), away))
    half = degrees(atan2(asker.known(things[0]).body.box.half_extents[0], away))
    margin = max(asker.own.off_border_deg, SIGMAS * sigma, min(half, 2 * asker.own.off_border_deg))
    if min(abs(bearing - border) for border in borders) < margin:
        return "near_border"
    evidence = (Measured("bearing", bearing, "deg", sigma), Measured("margin", margin, "deg", 0.0))
    return Judged(analyse(kind.name, things, asker.scene, given), evidence=evidence)


def judge_approach(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Nearer at the end than at the start."""
    thing = asker.scene.things[things[0]]
    start, end = (measure_floor_range(asker.scene.cameras[at].position, thing) for at in (0, -1))
    sigma = hypot(asker.sigma(*things), _eye_sigma(asker, asker.views.frames[-1]))
    return asker.judge_best([min(start, end), max(start, end)], sigma, analyse(kind.name, things, asker.scene, given))


def _first_views(asker: SetAsker, things: Things) -> list[int] | str:
    """Places of the first views of two things, if they are sure."""
    for name in things:
        thing = asker.scene.things[name]
        if not thing.appear:
            return "never_shown"
        first_s = asker.views.time_s[asker.scene.cameras[find_first_view(thing, asker.scene)].frame]
        times = [asker.views.time_s[frame] for frame in asker.views.frames]
        if first_s - asker.sightings[name].since_s > float(np.median(np.diff(times))) + 1e-6:
            return "unsure_if_seen"
    views = [find_first_view(asker.scene.things[name], asker.scene) for name in things]
    return "too_near_in_time" if abs(views[0] - views[1]) < asker.own.order_views + 1 else views


def _step_length(asker: SetAsker, view: int) -> float:
    """Floor distance to the view before, within which the thing may have appeared."""
    cameras = asker.scene.cameras
    one, other = cameras[max(view - 1, 0)].position, cameras[view].position
    return hypot(one[0] - other[0], one[1] - other[1])


def _eye_sigma(asker: SetAsker, frame: int) -> float:
    sigma = asker.views.model.pose_sigma.get(frame)
    return sigma.position if sigma else 0.0
