"""A box that may hold several of a kind has no size to speak of, and no mark means it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.asking.names import mark_thing
from instructions.perception.frames.segments import SegmentMap, boxes_of_segments
from instructions.perception.models.light.labels import ade_words
from instructions.tour import Tour
from tests.support.worlds.box_rooms import ALL, Block, ask_about, make_room

EYES = [(0.3 * step, 0.0, 1.5) for step in range(4)]
SIZES = {"height", "width", "elevation"}


def make(side_m: float, region_share: float, name: str = "chair"):
    blocks = (Block(name, (5.0, 0.0, 0.45), (0.5, side_m, 0.9)), Block("lamp", (5.0, -1.5, 0.9), (0.3, 0.3, 1.8)))
    room = make_room(blocks, eyes=EYES)
    things = (replace(room.objects[0], region_share=region_share), *room.objects[1:])
    return replace(room, objects=things)


@pytest.mark.parametrize(
    ("name", "side_m", "region_share", "is_one"),
    [
        ("chair", 0.8, 0.4, True),
        ("chair", 0.8, 0.6, False),
        ("chair", 1.2, 0.0, False),
        ("cabinet", 0.8, 1.0, True),
        ("trash can", 0.4, 0.6, False),
    ],
)
def test_sizes_and_marks_are_those_of_one_thing(name: str, side_m: float, region_share: float, is_one: bool):
    room = make(side_m, region_share, name)
    asked = {(row.type, row.references[0].category) for row in ask_about(room, ALL, exact=False).rows}
    assert bool(asked & {(size, name) for size in SIZES}) == is_one
    (thing,) = (one for one in Tour(room.scene, room.objects, room.observations).know(room.model).values()
                if one.category == name)  # fmt: skip
    assert thing.is_one == is_one
    assert (mark_thing(thing, "none") == "not_one") != is_one


def test_what_is_given_with_its_boxes_is_one_thing():
    room = make(1.2, 1.0)
    assert all(one.is_one for one in room.tour.know(room.model).values())


def test_a_box_of_a_segmenter_is_a_region_of_its_class():
    classes = np.zeros((40, 40), dtype=np.uint8)
    classes[10:30, 10:30] = ade_words().index("chair")
    (box,) = boxes_of_segments(SegmentMap(classes, 400, 400), (), 0.01)
    assert box.is_region
