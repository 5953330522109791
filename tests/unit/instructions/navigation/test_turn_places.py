"""What is ahead and what is on a side, and where turns are made: each told so that a listener finds the place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.facts.along import ThingAlongWalk
from instructions.facts.picture_bearing import ShownSpan
from instructions.facts.walk import Walk
from instructions.navigation.places import PlaceOptions, Seen, find_aside
from instructions.records import Claim, Observation, SceneObject
from instructions.truth.claims import check_claims
from tests.support.worlds.boxworld import make_world
from tests.unit.instructions.navigation.test_stops import COUNTER, furnish, write


def _stand_at_end(x: float, left_deg: float, right_deg: float) -> tuple[Seen, int]:
    """The counter with its middle at x, of which the last picture shows what lies between two angles off the view."""
    world, objects, _ = furnish(replace(COUNTER, x=x))
    walk = Walk.of(world.trajectory)
    counter = next(one for one in objects if one.category == "counter")
    end = len(walk.frames) - 1
    heading_deg, frame = float(walk.heading_deg[end]), walk.frames[end]
    shown = {frame: ShownSpan(heading_deg + left_deg, heading_deg + right_deg)}
    along = ThingAlongWalk(walk, replace(counter, frames=(*counter.frames, frame)), world.model.nominal_metre)
    return Seen(along, 1.0, True, {}, {frame: 0.2}, shown, frozenset({frame})), end


@pytest.mark.parametrize(
    ("x", "left_deg", "right_deg", "is_told"),
    [
        pytest.param(5.7, 31.0, 14.0, False, id="one end of what stands across"),
        pytest.param(5.7, 45.0, -20.0, False, id="the picture shows it across"),
        pytest.param(4.4, 70.0, 30.0, True, id="wholly on the left"),
        pytest.param(4.4, 70.0, -5.0, True, id="its edge reaches the middle"),
        pytest.param(4.4, 50.0, -25.0, False, id="a third of it lies beyond the middle"),
    ],
)
def test_on_a_side_is_only_what_the_middle_of_the_view_does_not_meet(x, left_deg, right_deg, is_told):
    seen, end = _stand_at_end(x, left_deg, right_deg)
    event = find_aside([seen], [], end, "start", PlaceOptions())
    assert (event is not None and event.side == "left") == is_told


@pytest.mark.parametrize(("x", "is_true"), [(5.7, False), (4.4, True)])
def test_the_judge_takes_nothing_to_be_aside_that_stands_across(x: float, is_true: bool):
    world, objects, _ = furnish(replace(COUNTER, x=x))
    counter = next(one for one in objects if one.category == "counter")
    end = world.trajectory.frames[-1]
    things = [replace(one, frames=(*one.frames, end)) if one is counter else one for one in objects]
    claim = Claim("side", "with it on the left", counter.id, "left", None, end, end)
    check = check_claims(world.scene, world.trajectory, things, [claim])[0]
    assert check.true == is_true, check.reason
    assert is_true or "reaches" in check.reason


def test_of_two_things_on_a_side_the_one_that_less_hides_is_told():
    seen, end = _stand_at_end(4.4, 70.0, 30.0)
    thing = seen.along.thing
    x, y, z = thing.obb.center
    position = np.array(make_world().trajectory.points[-1].position)
    nearer = position + 0.25 * (np.array([x, y, z]) - position)
    low = replace(thing, id="table", obb=replace(thing.obb, center=(*nearer[:2], z), half_extents=(0.2, 0.2, z)))
    before = replace(seen, along=ThingAlongWalk(seen.along.walk, low, seen.along.metre), salience=0.0)
    hidden = find_aside([seen, before], [seen.along, before.along], end, "start", PlaceOptions())
    open_ = find_aside([seen, before], [], end, "start", PlaceOptions())
    assert [one.object for one in (hidden, open_) if one is not None] == ["table", thing.id]


def _place(name: str, ahead_m: float) -> tuple[list[SceneObject], list[Observation]]:
    """One thing alone: before the walker where the first leg of the corridor ends, in view from shortly before."""
    world, objects, observations = furnish()
    x, y, _ = world.trajectory.points[33].position
    chair = next(one for one in objects if one.category == "chair")
    frames = tuple(range(27, 36))
    box = replace(chair.obb, center=(x + ahead_m + 0.3, y, 0.4), half_extents=(0.3, 0.3, 0.4))
    thing = replace(chair, category=name, alias=name, obb=box, frames=frames, points=())
    seen = replace(observations[0], object=thing.id, box_xyxy=(120.0, 80.0, 200.0, 160.0))
    return [thing], [replace(seen, frame=frame) for frame in frames]


def test_a_leg_ends_in_front_of_what_it_has_come_to():
    world = make_world()
    near = [row.text for row in write(world, *_place("chair", 1.0))]
    far = [row.text for row in write(world, *_place("chair", 4.5))]
    assert any("until you are in front of the chair" in text for text in near), near
    assert far
    assert not any("in front of the chair" in text for text in far), far


def test_a_turn_that_no_leg_places_tells_what_one_faces_then():
    world, objects, observations = furnish()
    cabinet = [one for one in objects if one.category == "cabinet"]
    texts = [row.text for row in write(world, cabinet, [one for one in observations if one.object == cabinet[0].id])]
    assert texts
    assert all("left until you face the cabinet" in text or "towards the cabinet" in text for text in texts), texts


def test_of_doors_side_by_side_nobody_has_to_know_which_one_is_walked_up_to():
    world, objects, observations = furnish()
    cabinet = next(one for one in objects if one.category == "cabinet")
    seen = [one for one in observations if one.object == cabinet.id]
    x, y, z = cabinet.obb.center
    door = replace(cabinet, category="door", alias="door", obb=replace(cabinet.obb, half_extents=(0.45, 0.05, z)))
    doors = [replace(door, id=f"door{n}", obb=replace(door.obb, center=(x + n * 1.0, y, z)), points=()) for n in (0, 1)]
    sightings = [replace(one, object=door.id) for door in doors for one in seen]
    texts = [row.text for row in write(world, doors, sightings)]
    assert any("towards the doors" in text for text in texts), texts
    assert not any("towards a door" in text for text in texts), texts
    unsure = replace(doors[1], categories=(("door", 0.55), ("cabinet", 0.45)))
    assert not any("the doors" in row.text for row in write(world, [doors[0], unsure], sightings)), "may be no door"
    aside = replace(doors[1], obb=replace(doors[1].obb, center=(x + 9.0, y, z)))
    assert not any("the doors" in row.text for row in write(world, [doors[0], aside], sightings))


@pytest.mark.parametrize(("seen_from", "is_told"), [(0, False), (5, True)])
def test_where_a_leg_ends_is_not_told_by_what_is_on_that_side_all_along(seen_from: int, is_told: bool):
    world = make_world(legs=(("walk", 2.4), ("turn", 90.0), ("walk", 3.6)))
    _, objects, observations = furnish()
    frames = world.trajectory.frames[seen_from:14]
    box = replace(objects[0].obb, center=(4.0, -1.2, 0.4), half_extents=(0.3, 0.3, 0.4))
    lamp = replace(objects[0], category="lamp", alias="lamp", obb=box, frames=tuple(frames), points=())
    seen = replace(observations[0], object=lamp.id, box_xyxy=(200.0, 80.0, 280.0, 160.0))
    texts = [row.text for row in write(world, [lamp], [replace(seen, frame=frame) for frame in frames])]
    assert texts
    assert any("until the lamp is on your right" in text for text in texts) == is_told, texts
