"""Faults measured in other open re-implementations, each as a test on rows: never to be repeated here."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest

from instructions.facts.relations import clock_direction
from instructions.spatial.options import ChoiceOptions, SpatialOptions
from instructions.spatial.records import SpatialQuestion
from instructions.spatial.writer import write_questions
from tests.support.worlds.box_rooms import Block, make_room

ALL = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False))
CHAIR = Block("chair", (4.0, 1.0, 0.45), (0.5, 0.6, 0.9))
LAMP = Block("lamp", (5.5, -1.0, 0.9), (0.4, 0.3, 1.8))
SOFA = Block("sofa", (6.0, 1.5, 0.4), (0.9, 2.0, 0.8))
CENTERS = {block.name: np.array(block.center) for block in (CHAIR, LAMP, SOFA)}
SIZES = {block.name: np.array(block.size) for block in (CHAIR, LAMP, SOFA)}


def ask(*blocks: Block, seed: int = 0, **room) -> Sequence[SpatialQuestion]:
    made = make_room(blocks or (CHAIR, LAMP, SOFA), **room)
    return write_questions(made.scene, made.objects, made.observations, options=ALL, seed=seed, exact=True).rows


def of_type(rows: Sequence[SpatialQuestion], *names: str) -> list[SpatialQuestion]:
    found = [row for row in rows if row.type in names]
    assert found, f"no row of {names}"
    return found


def names_of(row: SpatialQuestion) -> list[str]:
    return [str(one.category) for one in row.references]


def test_distances_are_those_of_centres_and_not_ten_times_as_far():
    for row in of_type(ask(), "distance"):
        a, b = (CENTERS[name] for name in names_of(row))
        assert float(row.truth) == pytest.approx(float(np.linalg.norm(a - b)), rel=1e-6)


def test_the_height_is_the_height_and_the_width_is_the_width():
    for row in of_type(ask(), "height", "width"):
        (name,) = names_of(row)
        side = 2 if row.type == "height" else 1  # the viewer looks along x
        assert float(row.truth) == pytest.approx(SIZES[name][side], rel=1e-6)


def test_a_and_b_are_as_far_apart_as_b_and_a():
    both = defaultdict(set)
    for blocks in ((CHAIR, LAMP, SOFA), (SOFA, LAMP, CHAIR)):
        for row in of_type(ask(*blocks), "distance", "gap", "horizontal_distance"):
            both[row.type, tuple(sorted(names_of(row)))].add(round(float(row.truth), 9))
    assert all(len(values) == 1 for values in both.values())


def test_horizontal_is_along_both_axes_of_the_floor():
    for row in of_type(ask(), "horizontal_distance"):
        a, b = (CENTERS[name] for name in names_of(row))
        assert float(row.truth) == pytest.approx(float(np.hypot(*(a - b)[:2])), rel=1e-6)


@pytest.mark.parametrize(("bearing_deg", "hour"), [(1.0, 12), (-1.0, 12), (14.0, 12), (31.0, 1), (-31.0, 11)])
def test_one_degree_to_the_right_is_twelve_o_clock(bearing_deg: float, hour: int):
    assert clock_direction(bearing_deg) == hour


def test_numbers_are_not_all_said_with_two_decimals():
    answers = [row.answer for seed in range(6) for row in ask(seed=seed) if row.form == "number"]
    decimals = [bool(re.search(r"\d\.\d\d\b", answer)) for answer in answers]
    assert 0 < sum(decimals) < 0.3 * len(decimals)


def test_yes_and_no_are_both_there_and_as_many():
    rows = [row for row in ask() if row.form == "yes_no" and row.truth != "too close"]
    truths = [row.truth for row in rows]
    assert truths.count("yes") == truths.count("no") > 10


def test_nothing_is_compared_within_the_margin():
    near = Block("chair", (5.0, 0.80, 0.45), (0.5, 0.5, 0.9))
    other = Block("lamp", (5.0, 0.88, 1.9), (0.5, 0.5, 0.5))  # 8 cm to the side: neither decided nor too close
    lateral = [row for row in ask(near, other) if row.type.startswith(("left_", "right_")) and row.form != "number"]
    assert lateral == []


def test_a_caption_that_fits_two_things_names_neither():
    rows = ask(CHAIR, Block("chair", (6.0, -1.2, 0.45), (0.5, 0.5, 0.9)), LAMP)
    for row in rows:
        for one in row.references:
            assert one.category != "chair" or one.clause is not None or one.phrase != "the chair"


def test_left_is_the_viewers_left_wherever_the_camera_looks():
    for turn_deg in (0.0, 90.0, 180.0, 251.0):
        for row in of_type(ask(turn_deg=turn_deg), "left_predicate"):
            a, b = (CENTERS[name] for name in names_of(row))
            if row.truth != "too close":
                assert (row.truth == "yes") == (a[1] > b[1])  # before the world was turned, the viewer looks along x


@pytest.mark.parametrize("pitch_deg", [-35.0, 0.0, 30.0])
def test_a_pitched_camera_is_levelled(pitch_deg: float):
    for row in ask(pitch_deg=pitch_deg):
        if row.type == "height":
            assert float(row.truth) == pytest.approx(SIZES[names_of(row)[0]][2], rel=1e-6)


def test_every_answer_is_of_the_form_that_was_asked_for():
    for row in ask():
        assert (row.form == "number") == (row.said is not None)
        if row.form == "yes_no":
            assert row.truth in ("yes", "no", "too close")


def test_a_box_is_that_of_the_thing_it_stands_for():
    room = make_room((CHAIR, LAMP, SOFA))
    seen = {(one.frame, one.object): one.box_xyxy for one in room.observations}
    for row in ask():
        for one in row.references:
            assert one.box_xyxy == seen[row.views[0], one.object]
