"""Rooms that are asked about: where a view was taken, and where its things stand."""

from dataclasses import replace

import pytest

from instructions.records import FrameRoom, RoomSpan
from instructions.regions.choose import number_regions
from instructions.regions.facts_qar import write_facts
from instructions.tour import Tour
from tests.support.worlds.apartment_surfaces import Surfaces, know_apartment
from tests.support.worlds.made_view import change, thing, view

SOFA = thing("s", (3.0, 1.5, 0.4), (0.4, 0.9, 0.4), category="sofa", color="red")
CHAIR = thing("c", (2.0, -0.8, 0.45), (0.25, 0.25, 0.45), category="chair", color="gray")
LAMP = thing("l", (2.0, 0.3, 0.2), (0.1, 0.1, 0.2), category="lamp", color="white")


def stand(one, room, sure=0.9):
    return change(one, room=room, room_probability=sure)


HOME = view(
    stand(SOFA, "living room"),
    stand(CHAIR, "kitchen"),
    stand(LAMP, "living room", 0.7),
    numbered=True,
    room="living room",
    room_probability=0.9,
)


def test_rooms_are_asked_only_where_they_are_sure_and_never_with_the_answer_in_the_name():
    numbered, record = number_regions(HOME, "1.jpg", {})
    rows = [one.row for one in write_facts(numbered, record, "made", seed=3) if one.row.task == "room"]
    assert rows
    for row in rows:
        assert row.accepted
        assert row.regions[0].object != "l"
        assert row.solution is not None
        assert row.solution in row.answer
        assert row.solution not in row.question
        assert next(one.state for one in row.verdicts if one.claim.kind == "room") == "true"
    unsure = view(*(stand(one, "kitchen", 0.85) for one in (SOFA, CHAIR)))
    numbered, record = number_regions(unsure, "1.jpg", {})
    assert not [one for one in write_facts(numbered, record, "made") if one.row.task == "room"]
    assert all("kitchen" in word for one in record.regions for word in one.attributes if word.startswith("in the k"))


def test_a_thing_is_as_sure_of_its_room_as_the_frames_of_that_room_that_saw_it():
    times_s = [0.0, 1.0, 2.0]
    world = know_apartment(Surfaces(), times_s)
    sofa = next(
        one for one in world.objects if len({seen.frame for seen in world.observations if seen.object == one.id}) == 3
    )
    objects = [replace(sofa, room="kitchen")]
    frames = [FrameRoom(1, "kitchen", 0.9, "kitchen"), FrameRoom(2, "hall", 1.0, "hall")]
    spans = [RoomSpan("s0", "kitchen", 3, 3, 0.7, None)]
    views = Tour(world.scene, objects, world.observations, rooms=spans, frame_rooms=frames).views(world.scene.models[0])
    assert [one.room for one in views] == ["kitchen", "hall", "kitchen"]
    assert [one.things[0].room_probability for one in views] == pytest.approx([0.8] * 3)
    alone = Tour(world.scene, objects, world.observations).views(world.scene.models[0])[0]
    assert alone.things[0].room_probability == 0.0
