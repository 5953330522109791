"""Each bar of the gates with a value on either side of it, one quantity at a time."""

from __future__ import annotations

from dataclasses import replace

from instructions.asking.bars import Dimension, GateOptions
from instructions.asking.gates import hide_foot, hide_marks, hide_pair, hide_size, hide_thing, refuse_number
from instructions.asking.names import Naming, mark_thing, name_things, number_marks
from instructions.facts.pairs import MIN_VOLUME_RATIO
from instructions.facts.verdict import compare, compare_ratio
from instructions.records import Detection
from instructions.view import View
from tests.support.cases import each_case
from tests.support.worlds.box_rooms import Block, make_room

BARS = GateOptions()
SIZE = (640, 480)
ROOM = (Block("chair", (4.0, 1.0, 0.5), (0.6, 0.6, 1.0)), Block("table", (4.5, -1.0, 0.4), (1.2, 0.8, 0.8)))


def view_of(blocks=ROOM) -> View:
    return make_room(blocks).views[0]


def hides(hide, change: dict, *more) -> str | None:
    one = view_of().things[0]
    return hide(replace(one, seen=replace(one.seen, **change)), SIZE, *more, BARS)


@each_case(
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
    assert hides(hide_thing, change, 1.0) == reason


@each_case(
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
    assert hides(hide_size, change) == reason


def test_a_height_needs_the_foot_of_what_nothing_is_known_to_hold():
    """A box 1 m tall whose bottom is this far above the floor."""
    known = replace(view_of((Block("chair", (4.0, 1.0, 0.5), (0.6, 0.6, 1.0)),)).things[0], sigma=0.05)
    for floor_z, reason in ((-0.14, None), (-0.16, "foot_unseen"), (None, None)):
        assert hide_foot(known, floor_z, 1.0) == reason
    assert hide_foot(replace(known, sigma=0.0), -1.0, 1.0) is None
    assert hide_foot(replace(known, thing=replace(known.thing, support="wall")), -1.0, 1.0) is None


def test_two_boxes_may_overlap_by_half():
    a, b = view_of().things
    a = replace(a, seen=replace(a.seen, box_xyxy=(100.0, 100.0, 200.0, 200.0)))
    for shift, reason in ((34.0, None), (32.0, "boxes_overlap")):
        beside = replace(b.seen, box_xyxy=(100.0 + shift, 100.0, 200.0 + shift, 200.0))
        assert hide_pair(a, replace(b, seen=beside), BARS) == reason


def decide(difference: float, sigma: float = 0.05, **given: float) -> str | None:
    values = {"apart": 1.0, "mean_size": 0.5, "smaller": 0.5, "metre": 1.0} | given
    return compare(difference, sigma, **values, has_scale=True).sign


@each_case(
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


def test_without_scale_a_tenth_of_the_smaller_body_decides():
    sizes = {"apart": 9.0, "mean_size": 0.5, "smaller": 0.5, "metre": 1.0}
    told = [compare(off, 0.0, **sizes, has_scale=False).sign for off in (0.051, 0.049)]
    assert told == ["more", "too close"]


def test_ratios_are_decided_too_close_or_not_asked():
    exact = {1.51: "more", 1.49: None, 1 / 1.51: "less", 1.09: "too close", 1.11: None}
    assert {one: compare_ratio(one, 0.0, MIN_VOLUME_RATIO).sign for one in exact} == exact
    unsure = {1.6: "more", 1.5: None}  # exp(3 x 0.15) = 1.57
    assert {one: compare_ratio(one, 0.15, MIN_VOLUME_RATIO).sign for one in unsure} == unsure
    assert compare_ratio(5.0, 400.0, MIN_VOLUME_RATIO).sign is None, "of a model whose scale is lost nothing is known"


def test_numbers_have_a_range_and_an_error():
    in_range = {0.051: None, 0.049: "out_of_range", 29.9: None, 30.1: "out_of_range"}
    assert {value: refuse_number(value, 0.0, 0.0, 1.0, BARS) for value in in_range} == in_range
    sure = {0.26: None, 0.27: "uncertain"}
    assert {sigma: refuse_number(2.0, sigma, 0.15, 1.0, BARS) for sigma in sure} == sure
    precise = {0.19: None, 0.21: "uncertain"}
    assert {one: refuse_number(2.0, one, 0.0, 1.0, GateOptions(precise=True)) for one in precise} == precise
    assert refuse_number(2.0, 0.21, 0.0, 1.0, BARS) is None


def named(view: View, dimension: Dimension = "none"):
    found = name_things(view, view.things[0], dimension)
    return found if isinstance(found, str) else [one.text for one in found]


def test_of_two_alike_neither_is_named_alone_and_each_may_have_a_mark():
    other = Block("chair", (4.0, -1.2, 0.5), (0.6, 0.6, 1.0))
    assert named(view_of()) == ["the chair"]
    two = view_of((ROOM[0], other))
    assert named(two) == "not_unique"
    assert [mark_thing(one, "lateral") for one in two.things] == [(Naming("chair", mark=1),)] * 2
    names = number_marks([Naming("chair", mark=1), Naming("lamp"), Naming("chair", mark=1)])
    assert [one.text for one in names] == ["the chair at mark 1", "the lamp", "the chair at mark 2"]


def test_what_has_no_sure_name_has_no_mark_and_no_mark_tells_a_size():
    chair = view_of().things[0]
    assert mark_thing(replace(chair, thing=replace(chair.thing, category=None)), "none") == "not_unique"
    tall = replace(chair, thing=replace(chair.thing, category="tall cabinet"))
    assert mark_thing(tall, "height") == "clause_tells"
    assert mark_thing(tall, "none") == (Naming("tall cabinet", mark=1),)


@each_case(("x0", "is_hidden"), [(105.0, True), (165.0, False)])
def test_of_two_marks_neither_box_lies_in_the_other(x0: float, is_hidden: bool):
    """120 px wide: four fifths of it are in the other's 200 to 300 where it begins at 180."""
    one = view_of().things[0]
    wide, small = (
        replace(one, seen=replace(one.seen, box_xyxy=box))
        for box in ((100.0, 100.0, 200.0, 300.0), (x0, 150.0, x0 + 60.0, 200.0))
    )
    assert hide_marks([wide, small], SIZE) == ("boxes_nested" if is_hidden else None)
    elsewhere = replace(small, seen=replace(small.seen, frame=small.seen.frame + 1))
    assert hide_marks([wide, elsewhere], SIZE) is None


def test_a_detection_that_nothing_came_of_is_a_rival():
    view = view_of()
    for box, score, names in (
        (view.things[0].box, 0.9, ["the chair"]),  # the thing itself
        ((500.0, 300.0, 560.0, 400.0), 0.2, "not_unique"),
        ((500.0, 300.0, 560.0, 400.0), 0.14, ["the chair"]),
    ):
        assert named(replace(view, detections=(Detection(1, "chair", score, box, (), (), None),))) == names


def test_two_names_for_one_place_are_no_name():
    view = view_of()
    bench = Detection(1, "bench", 1.0, view.things[0].box, (), (), None)
    assert named(replace(view, detections=(bench,))) == "disputed"
    one = view.things[0]
    other = replace(one, seen=replace(one.seen, label="bench"))
    assert named(replace(view, things=(other, *view.things[1:]))) == "disputed"


def test_surfaces_and_lights_are_no_things():
    for name in ("floor", "white wall", "ceiling light", "reflection"):
        assert named(view_of((Block(name, (4.0, 1.0, 0.5), (0.6, 0.6, 1.0)), ROOM[1]))) == "surface"
