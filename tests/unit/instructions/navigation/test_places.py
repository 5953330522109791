"""Starts, ends and targets of turns: told by what stands there, where its name and its place are sure."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from instructions.facts.placing import ShownSpan
from instructions.facts.walk import ThingAlongWalk, Walk
from instructions.navigation.grammar_writer import WriterOptions
from instructions.navigation.way.places import PlaceOptions, Seen, find_ahead
from instructions.navigation.way.way_facts import measure_clear_m
from instructions.navigation.way.ways import WayOptions
from instructions.records import SceneObject
from tests.support.worlds.boxworld import Box
from tests.support.worlds.furnished import COUNTER, Furnished, furnish


@cache
def corridor() -> Furnished:
    return furnish()


def put(one: SceneObject, x: float, y: float, z: float | None = None, half=None, **changes) -> SceneObject:
    """A thing elsewhere."""
    box = replace(
        one.obb, center=(x, y, one.obb.center[2] if z is None else z), half_extents=half or one.obb.half_extents
    )
    return replace(one, obb=box, **changes)


def alone(name: str, x: float, y: float, frames, box_xyxy, world: Furnished | None = None) -> Furnished:
    """One thing, of which no point is known, seen by some frames in one place of the picture."""
    world = world or corridor()
    frames = tuple(frames)
    thing = put(world["chair"], x, y, 0.4, (0.3, 0.3, 0.4), category=name, alias=name, frames=frames, points=())
    seen = replace(world.observations[0], object=thing.id, box_xyxy=box_xyxy)
    return world.only(thing, seen=[replace(seen, frame=frame) for frame in frames])


# Starts and turns


def test_a_text_says_where_it_starts_what_a_turn_leads_to_and_where_it_ends():
    texts = corridor().texts()
    assert len(texts) == 2
    assert texts[0].startswith("Start facing the lamp")
    assert texts[1].startswith("Start facing the lamp, with the sofa on your left")
    assert all(re.search(r"towards the cabinet,? and stop in front of it\.$", text) for text in texts)


def test_things_without_a_sure_category_are_named_only_where_nothing_has_one():
    nameless = replace(corridor()["cabinet"], category=None, alias="blue object")
    assert not any("object" in text for text in corridor().but(nameless).texts())
    bare = corridor().but(*(replace(one, category=None, alias=f"{one.color} object") for one in corridor().objects))
    assert all("object" in text for text in bare.texts())
    unsure = replace(nameless, categories=(("cabinet", 0.8),))
    assert not any("cabinet" in text for text in corridor().but(unsure).texts())


# What one walks towards, between, or to


def test_one_walks_towards_what_the_way_leads_to_and_nothing_hides():
    """The cabinet at the end of the corridor is walked up to, unless something stands before it."""
    cabinet = corridor()["cabinet"]
    x, y, _ = cabinet.obb.center
    before = put(cabinet, x, y - 0.9, id="sofa2", category="sofa")
    beside = put(before, x + 2.5, y - 0.9)
    glimpse = corridor().forget(cabinet.id, corridor().world.trajectory.frames[:-2])
    told = [one.told("approach") for one in (corridor(), corridor().but(beside), corridor().but(before), glimpse)]
    assert [cabinet.id in one for one in told] == [True, True, False, False]


def test_a_leg_ends_where_a_thing_is_on_a_side_or_ahead():
    """The only thing with a name stands where the first leg ends: not passed, and nobody is sent on from there."""
    x, y, _ = corridor().world.trajectory.points[33].position
    world = alone("chair", x + 1.2, y - 0.8, range(20, 35), (192.0, 20.0, 304.0, 120.0))
    drawn = WriterOptions(place_sigma_m=10.0)  # boxes are where the test wants them, not where the chair is
    aside = [row for row in world.write(options=drawn) if row.kind == "instruction"]
    assert any(row.text.endswith("stop with the chair on your right.") for row in aside), aside
    frames = corridor().world.trajectory.frames
    assert all(frames.index(row.views[-1]) <= 35 for row in aside), "a row has the views of what its text tells"
    whole = replace(drawn, ways=WayOptions(unknown_end=0.0))
    told = [row.text for row in world.write(options=whole)]
    assert any("until the chair is on your right" in text for text in told), told
    near, far = (
        alone("chair", x + ahead, y, range(27, 36), (120.0, 80.0, 200.0, 160.0)).write(options=whole)
        for ahead in (1.3, 4.8)
    )
    assert any("until you are in front of the chair" in row.text for row in near), near
    assert far
    assert not any("in front of the chair" in row.text for row in far), far


def test_a_turn_that_no_leg_places_tells_what_one_faces_then():
    cabinet = corridor()["cabinet"]
    texts = corridor().only(cabinet, seen=corridor().seen(cabinet.id)).texts()
    assert texts
    assert all("left until you face the cabinet" in text or "towards the cabinet" in text for text in texts), texts


# What is ahead where one stands


def stand_at_end(x: float, left_deg: float, right_deg: float) -> tuple[Seen, int]:
    """The counter with its middle at x, of which the last picture shows what lies between two angles off the view."""
    found = furnish(replace(COUNTER, x=x))
    walk, counter = Walk.of(found.world.trajectory), found["counter"]
    end = len(walk.frames) - 1
    heading_deg, frame = float(walk.heading_deg[end]), walk.frames[end]
    shown = {frame: ShownSpan(heading_deg + left_deg, heading_deg + right_deg)}
    thing = replace(counter, frames=(*counter.frames, frame))
    along = ThingAlongWalk(walk, thing, found.world.model.nominal_metre)
    return Seen(along, 1.0, True, {}, {frame: 0.2}, shown, frozenset({frame})), end


def test_nobody_stops_in_front_of_what_has_something_nameless_before_it():
    found = corridor()
    model = found.world.model
    frame = found.world.trajectory.frames[-1]
    pose, floor_z = model.world_from_cam[frame], model.floor_z or 0.0
    ahead = np.array([*pose.forward[:2], 0.0]) / np.linalg.norm(pose.forward[:2])

    def clear_m(away_m: float, height_m: float, count: int) -> float:
        """With points on the line of sight, and no others."""
        xyz = np.tile([*pose.center[:2], floor_z + height_m] + away_m * ahead, (count, 1))
        tracks = replace(model.tracks, xyz=xyz, rgb=np.zeros((count, 3), np.uint8), error_px=np.zeros(count))
        return measure_clear_m(replace(model, tracks=tracks), frame, 1.0)

    assert clear_m(0.8, 0.7, 20) == pytest.approx(0.8)
    assert clear_m(0.8, 0.7, 3) == clear_m(0.8, 0.05, 20) == clear_m(-0.8, 0.7, 20) == float("inf")
    seen, end = stand_at_end(5.7, 10.0, -10.0)
    distance = float(seen.along.distance[end])
    for free_m, kind in ((distance, "stop_at"), (distance - 0.6, "see")):
        event = find_ahead([seen], [], end, "end", PlaceOptions(), free_m)
        assert event is not None
        assert event.kind == kind


# Where one stops: ahead and on a side, though no network named it in the last frames


def test_the_end_tells_what_is_ahead_and_what_is_on_a_side():
    found = furnish(Box("white", 5.6, 5.2, (0.5, 0.5, 1.0)))
    ends = r"stop in front of (it|the cabinet), with the counter on your left\.$"
    assert any(re.search(ends, text) for text in found.texts())
    for row in found.write():
        told = [check.claim for check in row.claims if check.claim.first_frame == found.world.trajectory.frames[-1]]
        assert len({one.object for one in told}) == len(told)


def test_one_stops_in_front_of_a_long_counter_wherever_its_middle_is():
    ahead = furnish(COUNTER).texts()
    assert ahead
    assert all(text.endswith("stop in front of the counter.") for text in ahead)
    assert not any("in front of the counter" in text for text in furnish(replace(COUNTER, x=4.4)).texts())
