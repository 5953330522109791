"""Each bar of the gates with a value on either side of it, one quantity at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from instructions.asking.bars import Dimension, GateOptions
from instructions.asking.gates import compare, compare_ratio, hide_pair, hide_size, hide_thing, refuse_number
from instructions.asking.names import name_things
from instructions.asking.views import QuestionView, Rival, know_things, question_views
from tests.support.worlds.box_rooms import Block, make_room

BARS = GateOptions()
SIZE = (640, 480)
ROOM = (Block("chair", (4.0, 1.0, 0.5), (0.6, 0.6, 1.0)), Block("table", (4.5, -1.0, 0.4), (1.2, 0.8, 0.8)))


def view_of(blocks=ROOM) -> QuestionView:
    room = make_room(blocks)
    known, _ = know_things(room.model, room.objects, room.observations, exact=True)
    return next(iter(question_views(room.model, known, room.observations, all_seen=True)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"visible_fraction": 0.31}, None),
        ({"visible_fraction": 0.29}, "hidden"),
        ({"box_xyxy": (100.0, 100.0, 125.0, 225.0)}, None),
        ({"box_xyxy": (100.0, 100.0, 123.0, 225.0)}, "small_in_image"),
        ({"box_xyxy": (100.0, 100.0, 140.0, 130.0)}, "small_in_image"),  # 40 x 30 is under 0.4 % of the picture
        ({"depth": 0.31}, None),
        ({"depth": 0.29}, "near_camera"),
    ],
)
def test_a_thing_is_seen_or_hidden(change: dict, reason: str | None):
    one = view_of().things[0]
    assert hide_thing(replace(one, seen=replace(one.seen, **change)), SIZE, 1.0, BARS) == reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"visible_fraction": 0.61}, None),
        ({"visible_fraction": 0.59}, "partly_hidden"),
        ({"box_xyxy": (2.5, 10.0, 90.0, 90.0)}, None),
        ({"box_xyxy": (1.5, 10.0, 90.0, 90.0)}, "cut_by_border"),
        ({"box_xyxy": (10.0, 10.0, 90.0, 478.5)}, "cut_by_border"),
    ],
)
def test_a_size_needs_a_whole_thing(change: dict, reason: str | None):
    one = view_of().things[0]
    assert hide_size(replace(one, seen=replace(one.seen, **change)), SIZE, BARS) == reason


@pytest.mark.parametrize(("shift", "reason"), [(34.0, None), (32.0, "boxes_overlap")])
def test_two_boxes_may_overlap_by_half(shift: float, reason: str | None):
    a, b = view_of().things
    a = replace(a, seen=replace(a.seen, box_xyxy=(100.0, 100.0, 200.0, 200.0)))
    b = replace(b, seen=replace(b.seen, box_xyxy=(100.0 + shift, 100.0, 200.0 + shift, 200.0)))
    assert hide_pair(a, b, BARS) == reason


def decide(difference: float, sigma: float = 0.05, **given: float) -> str | None:
    values = {"apart": 1.0, "mean_size": 0.5, "smaller": 0.5, "metre": 1.0} | given
    return compare(difference, sigma, **values, has_scale=True, bars=BARS).verdict


@pytest.mark.parametrize(
    ("difference", "given", "verdict"),
    [
        (0.151, {}, "more"),
        (0.149, {}, None),  # three sigmas
        (-0.151, {}, "less"),
        (0.101, {"sigma": 0.01}, "more"),
        (0.099, {"sigma": 0.01}, None),  # 10 cm
        (0.301, {"sigma": 0.01, "apart": 6.0}, "more"),
        (0.299, {"sigma": 0.01, "apart": 6.0}, None),  # 5 % of the distance
        (0.031, {"sigma": 0.0, "mean_size": 0.1}, "more"),  # a known world
        (0.019, {"sigma": 0.01, "mean_size": 0.3}, "too close"),
        (0.021, {"sigma": 0.01, "mean_size": 0.3}, None),
        (0.069, {"sigma": 0.01, "mean_size": 1.0}, "too close"),  # 10 % of the mean size
        (0.0, {"sigma": 0.05}, None),  # nothing is known to be nothing
    ],
)
def test_decided_too_close_or_not_asked(difference: float, given: dict, verdict: str | None):
    assert decide(difference, **given) == verdict


@pytest.mark.parametrize(("difference", "verdict"), [(0.051, "more"), (0.049, "too close")])
def test_without_scale_a_tenth_of_the_smaller_body_decides(difference: float, verdict: str):
    told = compare(difference, 0.0, apart=9.0, mean_size=0.5, smaller=0.5, metre=1.0, has_scale=False, bars=BARS)
    assert told.verdict == verdict


@pytest.mark.parametrize(
    ("ratio", "sigma", "verdict"),
    [
        (1.51, 0.0, "more"),
        (1.49, 0.0, None),
        (1 / 1.51, 0.0, "less"),
        (1.09, 0.0, "too close"),
        (1.11, 0.0, None),
        (1.6, 0.15, "more"),
        (1.5, 0.15, None),  # exp(3 x 0.15) = 1.57
    ],
)
def test_ratios_are_decided_too_close_or_not_asked(ratio: float, sigma: float, verdict: str | None):
    assert compare_ratio(ratio, sigma, BARS.min_volume_ratio, BARS).verdict == verdict


@pytest.mark.parametrize(
    ("value", "sigma", "scale_sigma", "reason"),
    [
        (2.0, 0.26, 0.15, None),
        (2.0, 0.27, 0.15, "uncertain"),
        (0.051, 0.0, 0.0, None),
        (0.049, 0.0, 0.0, "out_of_range"),
        (29.9, 0.0, 0.0, None),
        (30.1, 0.0, 0.0, "out_of_range"),
    ],
)
def test_numbers_have_a_range_and_an_error(value: float, sigma: float, scale_sigma: float, reason: str | None):
    assert refuse_number(value, sigma, scale_sigma, 1.0, BARS) == reason


def test_precise_numbers_have_half_the_error():
    assert refuse_number(2.0, 0.19, 0.0, 1.0, GateOptions(precise=True)) is None
    assert refuse_number(2.0, 0.21, 0.0, 1.0, GateOptions(precise=True)) == "uncertain"
    assert refuse_number(2.0, 0.21, 0.0, 1.0, BARS) is None


def named(view: QuestionView, dimension: Dimension = "none"):
    found = name_things(view, view.things[0], dimension)
    return found if isinstance(found, str) else [one.text for one in found]


def test_one_of_a_kind_is_called_by_its_noun():
    assert named(view_of()) == ["the chair"]


def test_two_alike_get_a_clause_that_does_not_tell_the_answer():
    two = (*ROOM[:1], Block("chair", (4.0, -1.2, 0.5), (0.6, 0.6, 1.0)))
    assert named(view_of(two)) == ["the chair further to the left in the image"]
    assert named(view_of(two), "lateral") == "clause_tells"


def test_three_alike_are_not_asked_about():
    three = (
        *ROOM[:1],
        Block("chair", (4.0, -1.2, 0.5), (0.6, 0.6, 1.0)),
        Block("chair", (5.0, 0.0, 0.5), (0.6, 0.6, 1.0)),
    )
    assert named(view_of(three)) == "not_unique"


def test_a_detection_that_nothing_came_of_is_a_rival():
    view = view_of()
    near = view.things[0].box
    far = (500.0, 300.0, 560.0, 400.0)
    assert named(replace(view, rivals=(Rival("chair", near, 0.9),))) == ["the chair"]  # the thing itself
    assert named(replace(view, rivals=(Rival("chair", far, 0.2),))) == ["the chair further to the left in the image"]


def test_two_names_for_one_place_are_no_name():
    view = view_of()
    assert named(replace(view, rivals=(Rival("bench", view.things[0].box, 1.0),))) == "disputed"
    one = view.things[0]
    other = replace(one, seen=replace(one.seen, label="bench"))
    assert named(replace(view, things=(other, *view.things[1:]))) == "disputed"


@pytest.mark.parametrize("name", ["floor", "white wall", "ceiling light", "reflection"])
def test_surfaces_and_lights_are_no_things(name: str):
    assert named(view_of((Block(name, (4.0, 1.0, 0.5), (0.6, 0.6, 1.0)), ROOM[1]))) == "surface"
