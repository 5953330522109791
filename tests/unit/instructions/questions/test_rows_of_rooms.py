"""Questions about a known room: answers of its blocks, faults that peers have, and input that is poor or broken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from instructions.questions.core.records import Question
from instructions.questions.things.registry import THING_TYPES
from instructions.records import Obb
from tests.support.cases import each_case
from tests.support.worlds.box_rooms import Block, Room, ask_about, make_room

CHAIR = Block("chair", (4.0, 1.0, 0.45), (0.5, 0.6, 0.9))
LAMP = Block("lamp", (5.5, -1.0, 0.9), (0.4, 0.3, 1.8))
SOFA = Block("sofa", (6.0, 1.5, 0.4), (0.9, 2.0, 0.8))
BLOCKS = {block.name: block for block in (CHAIR, LAMP, SOFA)}
ROOM = make_room((CHAIR, LAMP))


def ask(*blocks: Block, seed: int = 0, **room) -> Sequence[Question]:
    return ask_about(make_room(blocks or (CHAIR, LAMP, SOFA), **room), seed=seed).rows


def solve(row: Question) -> float | str | None:
    """The answer by the blocks, before they are turned with the viewer, who looks along x; None for others."""
    mine = [BLOCKS[str(one.category)] for one in row.references]
    apart = np.subtract(mine[0].center, mine[-1].center)
    if row.type == "left_predicate":
        return "yes" if apart[1] > 0 else "no"
    return {
        "distance": float(np.linalg.norm(apart)),  # of centres, and not ten times as far
        "horizontal_distance": float(np.hypot(*apart[:2])),  # along both axes of the floor
        "height": mine[0].size[2],
        "width": mine[0].size[1],
    }.get(row.type)


@each_case("room", [{}, {"turn_deg": 90.0}, {"turn_deg": 251.0}, {"pitch_deg": -30.0}, {"pitch_deg": 10.0}])
@each_case("blocks", [(CHAIR, LAMP, SOFA), (SOFA, LAMP, CHAIR)])
def test_answers_are_those_of_the_blocks_wherever_the_camera_looks(room: dict, blocks):
    asked = [row for row in ask(*blocks, **room) if row.truth != "too close"]
    wanted = [(row, want) for row in asked if (want := solve(row)) is not None]
    assert {row.type for row, _ in wanted} == {"distance", "horizontal_distance", "height", "width", "left_predicate"}
    for row, want in wanted:
        assert row.truth == (want if isinstance(want, str) else pytest.approx(want, rel=1e-6)), row.question


def test_numbers_are_not_all_said_with_two_decimals():
    answers = [row.answer for seed in range(4) for row in ask(seed=seed) if row.form == "number"]
    decimals = [bool(re.search(r"\d\.\d\d\b", answer)) for answer in answers]
    assert 0 < sum(decimals) < 0.3 * len(decimals)


def test_nothing_is_compared_within_the_margin():
    near = Block("chair", (5.0, 0.80, 0.45), (0.5, 0.5, 0.9))
    other = Block("lamp", (5.0, 0.88, 1.9), (0.5, 0.5, 0.5))  # 8 cm to the side: neither decided nor too close
    assert [row for row in ask(near, other) if row.type.startswith(("left_", "right_")) and row.form != "number"] == []


def test_a_caption_that_fits_two_things_names_neither():
    rows = ask(CHAIR, Block("chair", (6.0, -1.2, 0.45), (0.5, 0.5, 0.9)), LAMP)
    chairs = [one for row in rows for one in row.references if one.category == "chair"]
    assert chairs
    assert all(one.mark is not None or one.phrase != "the chair" for one in chairs)


def test_answers_are_of_the_form_asked_for_and_boxes_those_of_the_things_they_stand_for():
    seen = {(one.frame, one.object): one.box_xyxy for one in make_room((CHAIR, LAMP, SOFA)).observations}
    for row in ask():
        assert (row.form == "number") == (row.said is not None)
        assert row.form != "yes_no" or row.truth in ("yes", "no", "too close")
        assert all(one.box_xyxy == seen[row.views[0], one.object] for one in row.references)


# Poor and broken input


def about(room: Room) -> set[str]:
    return {one.object for row in ask_about(room).rows for one in row.references}


def test_one_object_is_asked_about_by_itself():
    assert {THING_TYPES[row.type].objects for row in ask(CHAIR)} == {1}


@each_case(
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
    chair, lamp = ROOM.objects
    broken = replace(ROOM, objects=(replace(chair, obb=replace(chair.obb, **change)), lamp))
    assert about(broken) == {lamp.id}
    assert [finding.where for finding in ask_about(broken).findings if finding.code == "spatial.box"] == [chair.id]


def test_what_is_behind_the_camera_or_unknown_is_not_asked_about():
    chair, lamp = ROOM.objects
    away = Obb((-4.0, 1.0, 0.45), chair.obb.half_extents, chair.obb.rotation)
    assert about(replace(ROOM, objects=(replace(chair, obb=away), lamp))) == {lamp.id}
    stray = replace(ROOM.observations[0], object="0_99")
    assert about(replace(ROOM, observations=(*ROOM.observations, stray))) == {chair.id, lamp.id}


def test_two_models_of_a_tour_are_never_compared():
    chair, lamp = ROOM.objects
    other = replace(ROOM.scene.models[0], name="1")
    seen = tuple(replace(one, object="1_0") if one.object == lamp.id else one for one in ROOM.observations)
    scene = replace(ROOM.scene, models=(*ROOM.scene.models, other))
    rows = ask_about(Room(scene, (chair, replace(lamp, model="1", id="1_0")), seen)).rows
    assert rows
    assert all(len(row.references) == 1 for row in rows)
