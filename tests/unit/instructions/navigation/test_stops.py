"""Where one stops, in words of things: ahead and on a side, though no network named them in the last frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from instructions.facts.along import ThingAlongWalk
from instructions.facts.walk import Walk
from instructions.navigation.grammar_writer import write_instructions
from instructions.navigation.places import measure_ahead_m
from instructions.navigation.records import Instruction
from instructions.records import Claim, Observation, SceneObject
from instructions.truth.claims import check_claims
from tests.support.worlds.boxworld import CORRIDOR, Box, World, make_world, true_objects
from trajectories.records import Trajectory

COUNTER = Box("white", 5.7, 4.9, (3.3, 0.5, 1.4))
"""The walk ends at (6.8, 3.6) and looks along y: the counter is 1.05 m ahead, its middle 40 degrees to the left."""


def furnish(*boxes: Box) -> tuple[World, list[SceneObject], list[Observation]]:
    """A world with things of known category, each with the points of the model that lie on it."""
    names = {"red": "sofa", "green": "lamp", "blue": "cabinet", "yellow": "chair", "white": "counter"}
    world = make_world((*CORRIDOR, *boxes))
    objects, observations = true_objects(world)
    named = []
    for one, box in zip(objects, world.boxes, strict=True):
        off = np.abs((world.model.tracks.xyz - box.center) @ box.axes)
        points = tuple(np.flatnonzero(np.all(off <= box.half + 0.01, axis=1)).tolist())
        named.append(replace(one, category=names[box.color], alias=names[box.color], points=points))
    by_id = {one.id: one for one in named}
    return world, named, [_box_points(world, by_id[one.object], one) for one in observations]


def _box_points(world: World, thing: SceneObject, seen: Observation) -> Observation:
    """The observation with the box of all points of the thing that its frame follows."""
    tracks = world.model.tracks
    rows = tracks.rows_of_frame(seen.frame)
    pixels = tracks.obs_xy[rows][np.isin(tracks.obs_point[rows], thing.points)]
    if not len(pixels):
        return seen
    (x0, y0), (x1, y1) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
    return replace(seen, box_xyxy=(x0, y0, x1, y1))


def write(
    world: World, objects: Sequence[SceneObject], observations: Sequence[Observation], walk: Trajectory | None = None
) -> list[Instruction]:
    rows = write_instructions(world.scene, [walk or world.trajectory], objects, observations)
    return [row for row in rows if row.kind == "instruction"]


def forget(
    objects: Sequence[SceneObject], observations: Sequence[Observation], name: str, frames: Sequence[int]
) -> tuple[list[SceneObject], list[Observation]]:
    """The same where no network named a thing in these frames."""
    brief = [
        replace(one, frames=tuple(frame for frame in one.frames if frame not in frames)) if one.id == name else one
        for one in objects
    ]
    return brief, [one for one in observations if one.object != name or one.frame not in frames]


def test_the_end_tells_what_is_ahead_and_what_is_on_a_side():
    world, objects, observations = furnish(Box("white", 5.6, 5.2, (0.5, 0.5, 1.0)))
    texts = [row.text for row in write(world, objects, observations)]
    assert any(re.search(r"stop in front of (it|the cabinet), with the counter on your left\.$", one) for one in texts)
    for row in write(world, objects, observations):
        told = [check.claim for check in row.claims if check.claim.first_frame == world.trajectory.frames[-1]]
        assert len({one.object for one in told}) == len(told)


def test_one_stops_in_front_of_a_long_counter_wherever_its_middle_is():
    world, objects, observations = furnish(COUNTER)
    assert all(row.text.endswith("stop in front of the counter.") for row in write(world, objects, observations))
    beside = furnish(replace(COUNTER, x=4.4))
    assert not any("in front of the counter" in row.text for row in write(*beside))


def test_what_stands_behind_the_front_of_a_near_thing_is_not_where_one_stops():
    world, objects, observations = furnish(COUNTER)
    counter = next(one for one in objects if one.category == "counter")
    x, y, _ = counter.obb.center
    hung = replace(counter.obb, center=(x, y + 0.2, 1.7), half_extents=(1.6, 0.15, 0.3))
    unit = replace(counter, id="unit", category="cabinet", alias="cabinet", obb=hung)
    seen = [replace(one, object="unit") for one in observations if one.object == counter.id]
    rows = write(world, [*objects, unit], [*observations, *seen])
    assert {check.claim.object for row in rows for check in row.claims if check.claim.kind == "stop_at"} == {counter.id}


def test_points_tell_what_no_network_named_at_the_end():
    world, objects, observations = furnish(COUNTER)
    counter = next(one for one in objects if one.category == "counter")
    walk = replace(world.trajectory, id="part", points=world.trajectory.points[:-5])

    def stops(unnamed: int, *, has_points: bool = True) -> bool:
        """Whether a text stops at the counter that the last frames of the walk do not name."""
        things, seen = forget(objects, observations, counter.id, walk.frames[-unnamed:])
        kept = [one if has_points or one.id != counter.id else replace(one, points=()) for one in things]
        checks = [check for row in write(world, kept, seen, walk) for check in row.claims]
        return any(check.claim.kind == "stop_at" and check.claim.object == counter.id for check in checks)

    assert stops(3), "named 1.0 s before the end"
    assert not stops(3, has_points=False)
    assert not stops(9), "named 3.0 s before it"


def test_a_part_of_a_walk_knows_what_the_whole_tour_saw():
    """A thing that the part sees once, but the tour often, ends it; one that the tour sees once as well does not."""
    world, objects, observations = furnish(COUNTER)
    counter = next(one for one in objects if one.category == "counter")
    points = world.trajectory.points
    part = replace(world.trajectory, id="part", points=points[:-6])
    end = part.frames[-1]
    only = [frame for frame in part.frames if frame != end]
    things, seen = forget(objects, observations, counter.id, only)
    assert all("counter" in row.text for row in write(world, things, seen, part))
    glimpse = forget(things, seen, counter.id, [frame for frame in world.trajectory.frames if frame != end])
    assert not any("counter" in row.text for row in write(world, *glimpse, part))


@pytest.mark.parametrize(("x", "unseen", "is_true"), [(5.7, 0, True), (4.4, 0, False), (5.7, 6, True), (5.7, 9, False)])
def test_the_judge_looks_with_the_box(x: float, unseen: int, is_true: bool):
    """In front: where the picture would show the thing to both sides of its middle, named at most 2.5 s ago."""
    world, objects, observations = furnish(replace(COUNTER, x=x))
    counter = next(one for one in objects if one.category == "counter")
    end = world.trajectory.frames[-1]
    if unseen:
        objects, observations = forget(objects, observations, counter.id, world.trajectory.frames[-unseen:])
    claim = Claim("stop_at", "stop in front of it", counter.id, None, None, end, end)
    assert check_claims(world.scene, world.trajectory, objects, [claim])[0].true == is_true


def test_the_view_meets_a_box_ahead_and_none_behind():
    world, objects, _ = furnish(COUNTER)
    walk = Walk.of(world.trajectory)
    along = ThingAlongWalk(walk, next(one for one in objects if one.category == "counter"), 1.0)
    red = ThingAlongWalk(walk, next(one for one in objects if one.category == "sofa"), 1.0)
    last = len(walk.frames) - 1
    assert measure_ahead_m(along, last) == pytest.approx(1.05, abs=0.05)
    assert measure_ahead_m(along, 0) == float("inf")
    assert measure_ahead_m(red, last) == float("inf"), "behind"
