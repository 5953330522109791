"""Measures and bars of facts: worked examples, and one case on each side of each bar."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.facts import between, overlap, sizes
from instructions.facts.bodies import Body, aabb, upright_box
from instructions.facts.boxes import floor_distance, size_word
from instructions.facts.facing import measure_corridor, measure_facing, measure_facing_bearing_deg
from instructions.facts.gap import gap
from instructions.facts.least_width import fits_name, is_long_enough, is_short_enough, is_wide_enough
from instructions.facts.picture_bearing import ShownSpan
from instructions.facts.relations import clock_direction, off_half_hour_deg
from instructions.facts.sides import range_limits, ranges_of, side_of_box
from instructions.facts.sight import measure_free_share
from instructions.facts.swings import find_swings, find_turning_points
from instructions.facts.viewer import Viewer
from instructions.facts.walk import Walk
from instructions.records import Obb, Vec3
from recon.geometry import Pose
from tests.support.cases import each_case

LEVEL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # looks along +x, z up
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def box(center: Vec3 = (0.0, 0.0, 0.0), size: Vec3 = (1.0, 1.0, 1.0)) -> Obb:
    return Obb(center, (size[0] / 2, size[1] / 2, size[2] / 2), IDENTITY)


def look(pitch_deg: float = 0.0, eye: Vec3 = (0.0, 0.0, 0.0)) -> Viewer:
    up = np.radians(pitch_deg)
    turn = np.array([[1, 0, 0], [0, np.cos(up), -np.sin(up)], [0, np.sin(up), np.cos(up)]])
    return Viewer.of(Pose(LEVEL @ turn, np.array(eye)), upright=True)


@pytest.mark.parametrize(("pitch_deg", "has_sides"), [(59.5, True), (60.5, False), (-59.5, True), (-60.5, False)])
def test_a_view_has_sides_up_to_sixty_degrees_of_pitch(pitch_deg, has_sides):
    viewer = look(pitch_deg)
    assert viewer.pitch_deg == pytest.approx(pitch_deg)
    assert viewer.has_sides is has_sides
    assert viewer.ahead.tolist() == pytest.approx([1.0, 0.0, 0.0])


def test_a_viewer_turns_and_steps():
    viewer = look()
    assert viewer.right.tolist() == pytest.approx([0.0, -1.0, 0.0])
    right, left = viewer.turn_quarter("right"), viewer.turn_quarter("left")
    assert right.ahead.tolist() == pytest.approx([0.0, -1.0, 0.0])
    assert right.right.tolist() == pytest.approx([-1.0, 0.0, 0.0])
    assert left.ahead.tolist() == pytest.approx([0.0, 1.0, 0.0])
    assert left.right.tolist() == pytest.approx([1.0, 0.0, 0.0])
    assert viewer.step_aside("right", 2.0).eye.tolist() == pytest.approx([0.0, -2.0, 0.0])
    assert viewer.step_aside("left", 2.0).eye.tolist() == pytest.approx([0.0, 2.0, 0.0])
    point = np.array([2.0, -1.0, 5.0])
    assert viewer.measure_column(point) == pytest.approx(0.5)
    assert viewer.measure_bearing_deg(point) == pytest.approx(np.degrees(np.arctan2(1, 2)))
    with pytest.raises(ValueError, match="no level picture"):
        viewer.measure_column(np.array([-1.0, 0.0, 0.0]))


def test_boxes_of_a_picture_overlap_by_area():
    one, other = (0.0, 0.0, 4.0, 3.0), (2.0, 1.0, 5.0, 6.0)  # areas 12 and 15, 4 shared
    assert overlap.box_iou(one, other) == overlap.box_iou(other, one) == pytest.approx(4 / 23)
    assert overlap.measure_contained_share(one, other) == pytest.approx(4 / 12)
    assert overlap.measure_contained_share(other, one) == pytest.approx(4 / 12)
    assert overlap.measure_span_overlap(one, other, 0) == pytest.approx(2 / 3)
    assert overlap.measure_span_overlap(one, other, 1) == pytest.approx(2 / 3)
    assert overlap.measure_span_overlap((0, 0, 4, 2), (1, 0, 9, 8), 1) == 1.0


@pytest.mark.parametrize(
    "beside", [(4.0, 0.0, 6.0, 3.0), (0.0, 3.0, 4.0, 5.0), (7.0, 0.0, 8.0, 3.0), (0.0, 9.0, 4.0, 9.5)]
)
def test_boxes_beside_each_other_share_nothing(beside):
    one = (0.0, 0.0, 4.0, 3.0)
    assert overlap.box_iou(one, beside) == overlap.measure_contained_share(one, beside) == 0.0


def test_a_box_without_area_holds_nothing():
    assert overlap.measure_contained_share((0.0, 0.0, 4.0, 3.0), (1.0, 1.0, 1.0, 2.0)) == 0.0


@each_case("metre", [1.0, 2.5])
@each_case(
    ("fits", "category", "side", "inside", "outside"),
    [
        (is_wide_enough, "sofa", 1, 0.51, 0.49),
        (is_wide_enough, "shelf", 0, 0.16, 0.14),
        (is_wide_enough, "bed", 0, 0.61, 0.59),
        (is_wide_enough, "armchair", 1, 0.46, 0.44),
        (is_wide_enough, "chair", 1, 0.31, 0.29),
        (is_wide_enough, "bench", 0, 0.26, 0.24),
        (is_wide_enough, "table", 0, 0.29, 0.27),
        (is_wide_enough, "cabinet", 1, 0.21, 0.19),
        (is_long_enough, "bed", 0, 1.51, 1.49),
        (is_long_enough, "bed", 1, 1.51, 1.49),
        (is_short_enough, "armchair", 0, 1.39, 1.41),
        (is_short_enough, "chair", 1, 1.09, 1.11),
        (is_short_enough, "toilet", 0, 0.99, 1.01),
    ],
)
def test_sides_that_a_name_allows(fits, category, side, inside, outside, metre):
    """The other level side lies on the harmless side of the bar."""
    for length, expected in ((inside, True), (outside, False)):
        other = 0.05 if fits is not is_wide_enough else 3.0
        level = (length, other) if side == 0 else (other, length)
        assert fits(category, box(size=(level[0] * metre, level[1] * metre, 9.0)), metre) is expected
    assert fits("lamp", box(size=(0.001, 0.001, 1.0)), metre)
    assert fits(None, box(size=(99.0, 99.0, 1.0)), metre)


def test_what_stands_before_half_of_a_face_hides_half_of_it():
    eye, target = np.array([-4.0, 0.0, 0.0]), box((4.0, 0.0, 0.0), (0.2, 2.0, 2.0))
    half = box((0.0, 1.0, 0.0), (0.2, 2.0, 4.0))  # its edge lies on the axis
    assert measure_free_share(eye, target, []) == 1.0
    assert measure_free_share(eye, target, [half]) == 0.5
    assert measure_free_share(eye, target, [half, box((0.0, -1.0, 0.0), (0.2, 2.0, 4.0))]) == 0.0
    assert measure_free_share(eye, target, [box((0.0, 0.0, 1.0), (0.2, 4.0, 2.0))]) == 0.5
    assert measure_free_share(eye, target, [box((8.0, 0.0, 0.0), (0.2, 9.0, 9.0))]) == 1.0  # behind it
    assert measure_free_share(eye, target, [box((-8.0, 0.0, 0.0), (0.2, 9.0, 9.0))]) == 1.0  # behind the eye
    assert measure_free_share(np.array([4.0, 0.0, 0.0]), target, []) == 0.0


def test_boxes_that_hide_grow_on_every_side():
    eye, target = np.array([-4.0, 0.0, 0.0]), box((4.0, 0.0, 0.0), (0.2, 2.0, 2.0))
    thin = box((0.0, 0.5, 0.0), (0.2, 0.5, 4.0))  # hides rays that pass x = 0 from y = 0.25 to 0.75
    assert measure_free_share(eye, target, [thin]) == 0.75
    assert measure_free_share(eye, target, [thin], grow=0.2) == 0.5


def test_each_face_turned_to_the_eye_counts_alike():
    eye, target = np.array([-4.0, -4.0, 0.0]), box((0.0, 0.0, 0.0), (2.0, 2.0, 2.0))
    beside = box((-1.5, 0.0, 0.0), (0.1, 3.0, 9.0))  # right before the face at x = -1
    assert measure_free_share(eye, target, [beside]) == 0.5


@pytest.mark.parametrize(("pause_s", "swings"), [(0.5, 1), (0.7, 2)])
def test_a_pause_ends_a_swing(pause_s, swings):
    times = np.array([0.0, 1.0, 2.0, 2.0 + pause_s, 3.0 + pause_s, 4.0 + pause_s])
    found = find_swings(np.array([0.0, 20.0, 40.0, 40.5, 60.0, 80.0]), times, 10)
    assert len(found) == swings
    assert (found[0].first, found[-1].last) == (10, 15)
    if swings == 2:
        assert [(one.first, one.last, one.angle_deg) for one in found] == [(10, 12, 40.0), (13, 15, 39.5)]


@pytest.mark.parametrize(("rate_deg_s", "swings"), [(7.5, 2), (8.5, 1)])
def test_slow_turning_is_a_pause(rate_deg_s, swings):
    heading = np.cumsum([0.0, 20.0, 20.0, rate_deg_s, 20.0, 20.0])
    assert len(find_swings(heading, np.arange(6.0), 0)) == swings


@pytest.mark.parametrize(("angle_deg", "swings"), [(4.5, 0), (5.5, 1), (-5.5, 1)])
def test_a_swing_has_five_degrees(angle_deg, swings):
    found = find_swings(np.array([0.0, angle_deg]), np.array([0.0, 0.5]), 0)
    assert len(found) == swings


@pytest.mark.parametrize(("back_deg", "swings"), [(11.5, [45.0 - 11.5 + 15.0]), (12.5, [45.0, -12.5, 15.0])])
def test_a_reversal_of_twelve_degrees_ends_a_swing(back_deg, swings):
    heading = np.array([0.0, 45.0, 45.0 - back_deg, 45.0 - back_deg + 15.0])
    found = find_swings(heading, np.arange(4.0) / 2, 0)
    assert [swing.angle_deg for swing in found] == pytest.approx(swings)


def test_turning_points_are_extremes_that_the_values_come_back_from():
    assert find_turning_points(np.array([0.0, 5, 3, 9, 2, 8]), 4.0) == [0, 3, 4, 5]
    assert find_turning_points(np.array([0.0, -5, -3, -9, -2]), 4.0) == [0, 3, 4]
    assert find_turning_points(np.array([1.0, 1, 1]), 4.0) == [0, 2]
    assert find_turning_points(np.array([1.0]), 4.0) == [0]


def test_edges_that_cross_are_as_far_apart_as_the_lines():
    """Two long bars at right angles, one above the other: no corner is near."""
    low = Body.of_box(box((0.3, 0.1, 0.0), (8.0, 0.2, 0.2)))
    high = Body.of_box(Obb((0.3, 0.1, 1.0), (4.0, 0.1, 0.1), ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))))
    assert gap(low, high) == pytest.approx(0.8)
    turn = np.radians(45)
    tilted = Obb(
        (0.3, 0.1, 1.0),
        (4.0, 0.1, 0.1),
        ((0.0, -np.cos(turn), np.sin(turn)), (1.0, 0.0, 0.0), (0.0, np.sin(turn), np.cos(turn))),
    )
    assert gap(low, Body.of_box(tilted)) == pytest.approx(0.9 - 0.1 * np.sqrt(2), abs=1e-9)


def test_segments_that_miss_each_other_end_at_a_corner():
    low, high = Body.of_box(box(size=(2.0, 0.2, 0.2))), Body.of_box(box((4.0, 3.0, 0.0), (0.2, 2.0, 0.2)))
    assert gap(low, high) == pytest.approx(np.hypot(3.9 - 1.0, 2.0 - 0.1))


@each_case(
    ("size", "top_above", "word"),
    [
        ((0.9, 0.3, 1.21), None, "tall"),
        ((0.9, 0.3, 1.19), None, "large"),
        ((1.0, 0.3, 1.29), None, "large"),
        ((0.54, 0.3, 0.54), None, "small"),
        ((0.56, 0.3, 0.3), None, None),
        ((1.41, 0.3, 0.87), None, "wide"),
        ((1.39, 0.3, 0.8), None, "large"),
        ((1.41, 0.3, 0.89), None, "large"),
        ((0.61, 0.3, 0.4), 0.59, "low"),
        ((0.61, 0.3, 0.4), 0.61, None),
        ((0.59, 0.3, 0.4), 0.59, None),
        ((1.09, 0.3, 0.9), None, None),
        ((1.11, 0.3, 0.9), None, "large"),
    ],
)
def test_the_word_for_a_size(size, top_above, word):
    made = box((0.0, 0.0, 5.0), size)
    floor_z = None if top_above is None else 5.0 + size[2] / 2 - top_above
    assert size_word(made, floor_z, 1.0) == word
    larger = box((0.0, 0.0, 15.0), (3 * size[0], 3 * size[1], 3 * size[2]))
    assert size_word(larger, None if top_above is None else 15.0 + 1.5 * size[2] - 3 * top_above, 3.0) == word


def test_the_floor_distance_is_to_the_nearest_side():
    made = box((1.0, 2.0, 0.0), (2.0, 4.0, 1.0))
    places = np.array([[1.0, 2.0], [5.0, 2.0], [1.0, -3.0], [5.0, 8.0], [2.0, 4.0]])
    assert floor_distance(made, places).tolist() == pytest.approx([0.0, 3.0, 3.0, 5.0, 0.0])


def test_who_faces_a_thing_has_others_ahead_and_to_the_right():
    stand, look_at = np.array([1.0, 1.0, 0.0]), np.array([1.0, 5.0, 9.0])
    assert measure_facing(stand, look_at, np.array([3.0, 2.0, 7.0])) == pytest.approx((1.0, 2.0))
    assert measure_facing(stand, look_at, np.array([0.0, -2.0, 7.0])) == pytest.approx((-3.0, -1.0))
    assert measure_facing_bearing_deg(stand, look_at, np.array([2.0, 1.0])) == pytest.approx(90.0)
    assert measure_corridor(np.array([3.0, 2.0]), stand, look_at) == pytest.approx((1.0, 2.0, 4.0))
    assert measure_corridor(np.array([4.0, 5.0]), stand, stand) == pytest.approx((0.0, 5.0, 0.0))
    with pytest.raises(ValueError, match="nobody can face"):
        measure_facing(stand, stand, look_at)


def test_a_shown_span_is_turned_to_by_its_middle():
    span = ShownSpan(10.0, -30.0)
    assert span.measure_turn_deg(0.0) == pytest.approx(-10.0)
    assert span.measure_turn_deg(-25.0) == pytest.approx(15.0)
    assert span.measure_off_deg(0.0) == 0.0
    assert span.measure_off_deg(15.0) == pytest.approx(5.0)
    assert span.measure_off_deg(-35.0) == pytest.approx(5.0)
    assert span.measure_share_beyond(-10.0) == pytest.approx(0.5)
    assert span.measure_share_beyond(0.0) == pytest.approx(0.25)
    assert span.measure_share_beyond(40.0) == 0.0
    across = ShownSpan(-170.0, 170.0)
    assert across.measure_turn_deg(175.0) == pytest.approx(5.0)
    assert across.measure_off_deg(160.0) == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("bearing_deg", "hour"), [(0, 12), (14.9, 12), (15.1, 1), (90, 3), (-90, 9), (179, 6), (-14, 12)]
)
def test_hours_of_a_bearing(bearing_deg, hour):
    assert clock_direction(bearing_deg) == hour


@pytest.mark.parametrize(("bearing_deg", "off"), [(0, 15), (15, 0), (30, 15), (40, 5), (-20, 5), (14, 1)])
def test_how_far_a_bearing_is_from_the_next_hour(bearing_deg, off):
    assert off_half_hour_deg(bearing_deg) == pytest.approx(off)


@pytest.mark.parametrize(("center", "side"), [(29.0, "left"), (31.0, "middle"), (69.0, "middle"), (71.0, "right")])
def test_sides_of_a_picture(center, side):
    assert side_of_box((center - 5.0, 0.0, center + 5.0, 1.0), 100.0) == side


def test_ranges_of_a_frame_and_of_what_is_in_it():
    limits = range_limits([*range(101), np.nan])
    assert limits == pytest.approx((30.0, 70.0))
    assert ranges_of([30.0] * 3 + [31.0] * 7, limits) == ("closer",)
    assert ranges_of([30.0] * 4 + [31.0] * 6, limits) == ("near", "closer")
    assert ranges_of([71.0, 71.0, 70.0, 70.0, 20.0, 20.0, np.nan], limits) == ("near", "closer", "further")
    assert ranges_of([np.nan], limits) == ()
    assert ranges_of([1.0], None) == ()
    assert range_limits([np.nan]) is None


def test_sizes_of_a_body_as_one_sees_it():
    body = Body.of_box(box((0.0, 0.0, 1.0), (3.0, 2.0, 0.8)))
    viewer = look(eye=(-5.0, 0.0, 1.0))
    assert sizes.height(body) == pytest.approx(0.8)
    assert sizes.elevation(body, 0.1) == pytest.approx(0.5)
    assert sizes.width(body, viewer) == pytest.approx(2.0)
    assert (sizes.length(body), sizes.level_width(body)) == pytest.approx((3.0, 2.0))
    assert sizes.volume(body) == pytest.approx(4.8)
    assert sizes.camera_distance(body, viewer) == pytest.approx(3.5)
    assert sizes.measure_facing_deg(body, viewer) == pytest.approx(0.0, abs=1e-6)
    assert [sizes.measure_named_side(body, name) for name in ("height", "length", "width", "longest")] == pytest.approx(
        [0.8, 3.0, 2.0, 3.0]
    )
    with pytest.raises(ValueError, match="no side 'depth'"):
        sizes.measure_named_side(body, "depth")


def test_differences_between_bodies_have_signs():
    viewer = look(eye=(-5.0, 0.0, 0.0))
    a, b = Body.of_box(box((1.0, -2.0, 3.0), (1.0, 1.0, 2.0))), Body.of_box(box((0.0, 0.0, 0.5), (1.0, 1.0, 1.0)))
    assert between.lateral_difference(a, b, viewer) == pytest.approx(2.0)
    assert between.ahead_difference(a, b, viewer) == pytest.approx(1.0)
    assert between.vertical_difference(a, b) == pytest.approx(2.5)
    assert between.bottom_difference(a, b) == pytest.approx(2.0)
    assert between.stands_on_gap(a, b) == pytest.approx(1.0)
    assert between.distance(a, b) == pytest.approx(np.sqrt(1 + 4 + 6.25))
    assert between.horizontal_distance(a, b) == pytest.approx(np.sqrt(5))
    assert between.passage(a, b) == pytest.approx(1.0)


def test_shares_between_bodies():
    table, beside = (
        Body.of_box(box((0.0, 0.0, 0.5), (2.0, 2.0, 1.0))),
        Body.of_box(box((1.5, 0.0, 0.75), (2.0, 1.0, 0.5))),
    )
    assert between.vertical_overlap(table, beside) == pytest.approx(1.0)
    assert between.vertical_overlap(table, Body.of_box(box((9.0, 0.0, 1.0), (1.0, 1.0, 1.0)))) == pytest.approx(0.5)
    assert between.footprint_overlap(beside, table) == pytest.approx(0.25)
    assert between.footprint_overlap(table, beside) == pytest.approx(0.125)
    assert between.inside_share(beside, table) == pytest.approx(0.25)
    assert between.inside_share(table, beside) == pytest.approx(0.25 * 0.5 * 0.5)


def test_the_smallest_upright_box_has_its_longer_side_first():
    turn = np.radians(30.0)
    axes = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    plan = np.array([[x, y] for x in (-2.0, 2.0) for y in (-0.5, 0.5)]) @ axes.T + (1.0, 3.0)
    points = np.array([[*place, z] for place in plan for z in (0.0, 1.5)])
    found = upright_box(points)
    assert found.center == pytest.approx((1.0, 3.0, 0.75))
    assert found.half_extents == pytest.approx((2.0, 0.5, 0.75))
    assert abs(found.rotation[0][0]) == pytest.approx(np.cos(turn))
    assert aabb(points).half_extents == pytest.approx((2 * np.cos(turn) + 0.25, 1 + 0.5 * np.cos(turn), 0.75))


def test_a_walk_knows_its_way():
    xy = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [2.0, 2.0]])
    walk = Walk((4, 5, 6, 7, 8), np.arange(5.0), xy, np.array([0.0, 0.0, 45.0, 90.0, 90.0]))
    assert walk.travelled.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert walk.index_of[6] == 2
    for index, expected in ((1, [1.0, 0.0]), (2, [np.sqrt(0.5)] * 2), (4, [0.0, 1.0])):
        direction = walk.direction(index, 1.0)
        assert direction is not None
        assert direction.tolist() == pytest.approx(expected)
    chord = walk.chord(2, 2.0, 0, 4)
    assert chord is not None
    assert chord.tolist() == pytest.approx([np.sqrt(0.5)] * 2)
    assert walk.chord(2, 5.0, 0, 4) is None
    assert walk.measure_turn_deg(1, 3) == 90.0
    assert walk.measure_velocity(1.0)[2].tolist() == pytest.approx([0.5, 0.5])
    assert walk.measure_velocity(1.0)[0].tolist() == pytest.approx([1.0, 0.0])
    still = Walk((1, 2, 3), np.arange(3.0), np.zeros((3, 2)), np.zeros(3))
    assert still.direction(1, 1.0) is None


@each_case(
    ("name", "sides", "fits"),
    [
        ("shelf", (2.9, 0.79), True),
        ("shelf", (2.9, 0.81), False),
        ("cabinet", (0.94, 2.5), True),
        ("cabinet", (0.96, 2.5), False),
        ("shelf", (2.9, 0.14), False),
        ("chair", (1.09, 0.5), True),
        ("chair", (1.11, 0.5), False),
        ("bed", (1.51, 0.7), True),
        ("bed", (1.49, 0.7), False),
        ("rug", (6.0, 4.0), True),
        (None, (6.0, 4.0), True),
    ],
)
@each_case("metre", [1.0, 0.2])
def test_a_name_fits_a_box_as_wide_and_as_long_as_such_things_are(name, sides, fits: bool, metre: float):
    sized = box(size=(sides[0] * metre, sides[1] * metre, metre))
    assert fits_name(name, sized, metre) == fits
