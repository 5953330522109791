"""A few views of the made apartment, judged by a checker that shares no code with the writer: every row is true."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from instructions.questions.core.records import Question
from instructions.questions.writers.views import write_questions
from roomtour.files.records import to_plain
from tests.support.judges.spatial_checker import Checker
from tests.support.worlds.apartment_surfaces import TRUTH, KnownWorld, Surfaces, know_apartment
from tests.support.worlds.box_rooms import ALL

Rows = list[dict[str, Any]]
TIMES_S = (4.0, 20.0, 23.0, 44.0)


@pytest.fixture(scope="module")
def surfaces() -> Surfaces:
    return Surfaces()


@pytest.fixture(scope="module")
def world(surfaces: Surfaces) -> KnownWorld:
    return know_apartment(surfaces, TIMES_S)


@pytest.fixture(scope="module")
def rows(world: KnownWorld) -> Rows:
    return rows_of(world)


@pytest.fixture(scope="module")
def checker(surfaces: Surfaces) -> Checker:
    return Checker(TRUTH, surfaces, TIMES_S)


def rows_of(world: KnownWorld) -> Rows:
    written = write_questions(world.tour, options=ALL)
    return [json.loads(json.dumps(to_plain(row, Question))) for row in written.rows]


def test_every_row_is_true_visible_and_means_one_thing(rows: Rows, checker: Checker):
    verdicts = checker.judge(rows)
    assert verdicts.rows > 300
    assert verdicts.true_share >= 0.995, verdicts.examples
    assert not verdicts.wrong["invisible"]
    assert {"unseen", "turn_left_choice", "turn_right_choice", "step_left_choice"} <= set(verdicts.by_type)


def test_the_checker_finds_lies(rows: Rows, checker: Checker):
    """A checker that passes everything would prove nothing."""
    turn: Mapping[str, str] = {"left": "right", "right": "left", "above": "below", "below": "above"}
    for row in rows[::9]:
        lie = dict(row)
        if row["truth"] == "too close" or row["type"] == "clock":
            continue
        if row["form"] == "unseen":
            boxes = [one["box_xyxy"] for one in reversed(row["references"])]
            lie["references"] = [{**one, "box_xyxy": box} for one, box in zip(row["references"], boxes, strict=True)]
        elif row["form"] == "yes_no":
            lie["truth"] = {"yes": "no", "no": "yes"}[row["truth"]]
        elif row["form"] == "choice":
            lie["truth"] = next(one["object"] for one in row["references"] if one["object"] != row["truth"])
        elif row["truth"] in turn:
            lie["truth"] = turn[row["truth"]]
        elif row["form"] == "number":
            lie["truth"] = repr(1.2 * float(row["truth"]))
        else:
            continue
        assert checker.judge([lie]).wrong.total() == 1, lie
    row = rows[0]
    elsewhere = dict(row["references"][0], box_xyxy=[0.0, 0.0, 3.0, 3.0])
    assert checker.judge([{**row, "references": [elsewhere, *row["references"][1:]]}]).wrong["invisible"] == 1


def test_a_box_off_by_more_than_the_margin_makes_rows_untrue(world: KnownWorld, checker: Checker):
    moved = tuple(
        replace(one, obb=replace(one.obb, center=(one.obb.center[0] + 1.0, one.obb.center[1], one.obb.center[2])))
        if number % 2
        else one
        for number, one in enumerate(world.objects)
    )
    assert checker.judge(rows_of(replace(world, objects=moved))[::3]).true_share < 0.95
