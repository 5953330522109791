"""Input that is poor or broken: what cannot be asked is left out, and what is dropped is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from instructions.records import Obb
from instructions.spatial.options import ChoiceOptions, SpatialOptions
from instructions.spatial.types import TYPES
from instructions.spatial.writer import write_questions
from tests.support.worlds.box_rooms import Block, Room, make_room

ALL = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False))
CHAIR = Block("chair", (4.0, 1.0, 0.45), (0.5, 0.6, 0.9))
LAMP = Block("lamp", (5.5, -1.0, 0.9), (0.4, 0.3, 1.8))


def ask(room: Room):
    return write_questions(room.scene, room.objects, room.observations, options=ALL, exact=True)


def with_obb(room: Room, **change) -> Room:
    first = room.objects[0]
    return replace(room, objects=(replace(first, obb=replace(first.obb, **change)), *room.objects[1:]))


def test_one_object_is_asked_about_by_itself():
    rows = ask(make_room((CHAIR,))).rows
    assert rows
    assert {TYPES[row.type].objects for row in rows} == {1}


@pytest.mark.parametrize(
    "change",
    [
        {"center": (float("nan"), 1.0, 0.4)},
        {"half_extents": (0.25, 0.0, 0.45)},
        {"half_extents": (0.25, -0.3, 0.45)},
        {"half_extents": (0.25, float("inf"), 0.45)},
        {"rotation": ((1.0, 0.0, 0.0), (0.5, 1.0, 0.0), (0.0, 0.0, 1.0))},
        {"rotation": ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, float("nan")))},
    ],
)
def test_a_box_that_is_none_is_dropped_and_named_and_the_others_stay(change: dict):
    room = make_room((CHAIR, LAMP))
    written = ask(with_obb(room, **change))
    assert {one.object for row in written.rows for one in row.references} == {room.objects[1].id}
    assert [finding.where for finding in written.findings if finding.code == "spatial.box"] == [room.objects[0].id]


def test_a_box_behind_the_camera_is_not_asked_about():
    room = make_room((CHAIR, LAMP))
    away = Obb((-4.0, 1.0, 0.45), room.objects[0].obb.half_extents, room.objects[0].obb.rotation)
    rows = ask(replace(room, objects=(replace(room.objects[0], obb=away), room.objects[1]))).rows
    assert room.objects[0].id not in {one.object for row in rows for one in row.references}


def test_two_models_of_a_tour_are_never_compared():
    room = make_room((CHAIR, LAMP))
    other = replace(room.scene.models[0], name="1")
    lamp = replace(room.objects[1], model="1", id="1_0")
    seen = tuple(replace(one, object="1_0") if one.object == room.objects[1].id else one for one in room.observations)
    scene = replace(room.scene, models=(*room.scene.models, other))
    rows = write_questions(scene, (room.objects[0], lamp), seen, options=ALL, exact=True).rows
    assert rows
    assert all(len(row.references) == 1 for row in rows)


def test_an_observation_of_an_unknown_thing_is_no_row():
    room = make_room((CHAIR, LAMP))
    stray = replace(room.observations[0], object="0_99")
    rows = write_questions(room.scene, room.objects, (*room.observations, stray), options=ALL, exact=True).rows
    assert "0_99" not in {one.object for row in rows for one in row.references}
