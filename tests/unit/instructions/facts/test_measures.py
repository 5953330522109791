"""Measures of bodies, views and sizes: worked examples with a case on each side of each bar, and the laws they keep."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from instructions.facts import between, overlap, sizes
from instructions.facts.between import gap
from instructions.facts.bodies import Body, aabb, floor_distance, size_word, upright_box
from instructions.facts.facing import (
    clock_direction,
    measure_corridor,
    measure_facing,
    measure_facing_bearing_deg,
    off_half_hour_deg,
)
from instructions.facts.placing import ShownSpan
from instructions.facts.sizes import fits_name
from instructions.facts.viewer import Viewer, measure_free_share
from instructions.records import Obb, Vec3
from recon.geometry import Array, Pose
from tests.support.cases import each_case

LEVEL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # looks along +x, z up
SYMMETRIC = (
    between.distance,
    between.horizontal_distance,
    between.vertical_overlap,
    between.passage,
    gap,
)
LENGTHS = (*(one for one in SYMMETRIC if one is not between.vertical_overlap), between.vertical_difference)

coordinates = st.floats(-4.0, 4.0)
sides = st.floats(0.05, 2.0)
angles = st.floats(-180.0, 180.0)
laws = settings(max_examples=30, deadline=None)


def vec3(values: Array) -> Vec3:
    return float(values[0]), float(values[1]), float(values[2])


def obb(center: Vec3 = (0.0, 0.0, 0.0), size: Vec3 = (1.0, 1.0, 1.0), axes: Array = np.eye(3)) -> Obb:
    return Obb(center, (size[0] / 2, size[1] / 2, size[2] / 2), (vec3(axes[0]), vec3(axes[1]), vec3(axes[2])))


def box(center: Vec3 = (0.0, 0.0, 0.0), size: Vec3 = (1.0, 1.0, 1.0), yaw_deg=0.0, tilt_deg=0.0) -> Body:
    return Body.of_box(obb(center, size, Rotation.from_euler("ZX", [yaw_deg, tilt_deg], degrees=True).as_matrix()))


boxes = st.builds(
    box,
    st.tuples(coordinates, coordinates, coordinates),
    st.tuples(sides, sides, sides),
    angles,
    st.sampled_from([0.0, 20.0]),
)


def pose(heading_deg=0.0, pitch_deg=0.0, roll_deg=0.0, eye: Vec3 = (0.0, 0.0, 0.0)) -> Pose:
    turn = Rotation.from_euler("z", heading_deg, degrees=True).as_matrix()
    own = Rotation.from_euler("XZ", [pitch_deg, roll_deg], degrees=True).as_matrix()
    return Pose(turn @ LEVEL @ own, np.array(eye))


def look(*angles_deg: float, eye: Vec3 = (0.0, 0.0, 0.0)) -> Viewer:
    return Viewer.of(pose(*angles_deg, eye=eye), upright=True)


def moved(body: Body, turn_deg: float, shift: Vec3, scale: float = 1.0) -> Body:
    turn = Rotation.from_euler("z", turn_deg, degrees=True).as_matrix()
    return Body.of_box(obb(vec3(scale * (turn @ body.center) + shift), vec3(2 * scale * body.half), turn @ body.axes))


def mirrored(body: Body) -> Body:
    """In the plane y = 0."""
    flip = np.diag([1.0, -1.0, 1.0])
    return Body.of_box(obb(vec3(flip @ body.center), vec3(2 * body.half), flip @ body.axes @ flip))


# Viewers


def test_a_view_has_sides_up_to_sixty_degrees_of_pitch():
    for pitch_deg, has_sides in ((59.5, True), (60.5, False), (-59.5, True), (-60.5, False)):
        viewer = look(0.0, pitch_deg)
        assert (viewer.pitch_deg, viewer.has_sides) == (pytest.approx(pitch_deg), has_sides)
        assert viewer.ahead == pytest.approx([1.0, 0.0, 0.0])


def test_a_viewer_turns_and_steps():
    viewer = look()
    right, left = viewer.turn_quarter("right"), viewer.turn_quarter("left")
    told = [viewer.right, right.ahead, right.right, left.ahead, left.right]
    places = [(0, -1, 0), (0, -1, 0), (-1, 0, 0), (0, 1, 0), (1, 0, 0)]
    assert np.array(told) == pytest.approx(np.array(places, float))
    assert [viewer.step_aside(side, 2.0).eye[1] for side in ("right", "left")] == pytest.approx([-2.0, 2.0])
    point = np.array([2.0, -1.0, 5.0])
    assert viewer.lateral(point) == pytest.approx(1.0)
    assert viewer.measure_column(point) == pytest.approx(0.5)
    assert viewer.measure_bearing_deg(point) == pytest.approx(np.degrees(np.arctan2(1, 2)))
    with pytest.raises(ValueError, match="no level picture"):
        viewer.measure_column(np.array([-1.0, 0.0, 0.0]))


@laws
@given(st.floats(-40.0, 40.0), st.floats(-80.0, 80.0), angles)
def test_a_rolled_or_pitched_camera_changes_nothing(pitch_deg: float, roll_deg: float, heading_deg: float):
    straight, tilted = look(heading_deg), look(heading_deg, pitch_deg, roll_deg)
    assert tilted.right == pytest.approx(straight.right, abs=1e-9)
    assert tilted.ahead == pytest.approx(straight.ahead, abs=1e-9)


def test_the_clock_names_the_nearest_hour_and_half_an_hour_is_no_direction():
    bearings = (0, 14.9, 15.1, 29, -29, 90, 180, 179, -90, -14)
    assert [clock_direction(one) for one in bearings] == [12, 12, 1, 1, 11, 3, 6, 6, 9, 12]
    off = [off_half_hour_deg(one) for one in (0, 15, 30, 40, -20, -45, 14)]
    assert off == pytest.approx([15, 0, 15, 5, 5, 0, 1])


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
    span, across = ShownSpan(10.0, -30.0), ShownSpan(-170.0, 170.0)
    turns = (span.measure_turn_deg(0.0), span.measure_turn_deg(-25.0), across.measure_turn_deg(175.0))
    assert turns == pytest.approx((-10.0, 15.0, 5.0))
    off = [span.measure_off_deg(one) for one in (0.0, 15.0, -35.0)]
    assert [*off, across.measure_off_deg(160.0)] == pytest.approx([0.0, 5.0, 5.0, 10.0])


# What hides, what overlaps


def test_what_stands_before_half_of_a_face_hides_half_of_it():
    eye, target = np.array([-4.0, 0.0, 0.0]), obb((4.0, 0.0, 0.0), (0.2, 2.0, 2.0))
    half = obb((0.0, 1.0, 0.0), (0.2, 2.0, 4.0))  # its edge lies on the axis
    thin = obb((0.0, 0.5, 0.0), (0.2, 0.5, 4.0))  # hides rays that pass x = 0 from y = 0.25 to 0.75
    for others, free in (
        ([], 1.0),
        ([half], 0.5),
        ([half, obb((0.0, -1.0, 0.0), (0.2, 2.0, 4.0))], 0.0),
        ([obb((0.0, 0.0, 1.0), (0.2, 4.0, 2.0))], 0.5),
        ([obb((8.0, 0.0, 0.0), (0.2, 9.0, 9.0))], 1.0),  # behind it
        ([obb((-8.0, 0.0, 0.0), (0.2, 9.0, 9.0))], 1.0),  # behind the eye
        ([thin], 0.75),
    ):
        assert measure_free_share(eye, target, others) == free
    assert measure_free_share(eye, target, [thin], grow=0.2) == 0.5
    assert measure_free_share(np.array([4.0, 0.0, 0.0]), target, []) == 0.0
    cube, beside = obb(size=(2.0, 2.0, 2.0)), obb((-1.5, 0.0, 0.0), (0.1, 3.0, 9.0))  # right before one of two faces
    assert measure_free_share(np.array([-4.0, -4.0, 0.0]), cube, [beside]) == 0.5


def test_boxes_of_a_picture_overlap_by_area():
    one, other = (0.0, 0.0, 4.0, 3.0), (2.0, 1.0, 5.0, 6.0)  # areas 12 and 15, 4 shared
    assert overlap.box_iou(one, other) == overlap.box_iou(other, one) == pytest.approx(4 / 23)
    contained = overlap.measure_contained_share(one, other), overlap.measure_contained_share(other, one)
    assert contained == pytest.approx((4 / 12, 4 / 12))
    assert [overlap.measure_span_overlap(one, other, axis) for axis in (0, 1)] == pytest.approx([2 / 3, 2 / 3])
    assert overlap.measure_span_overlap((0, 0, 4, 2), (1, 0, 9, 8), 1) == 1.0
    for beside in ((4.0, 0.0, 6.0, 3.0), (0.0, 3.0, 4.0, 5.0), (7.0, 0.0, 8.0, 3.0), (0.0, 9.0, 4.0, 9.5)):
        assert overlap.box_iou(one, beside) == overlap.measure_contained_share(one, beside) == 0.0
    assert overlap.measure_contained_share(one, (1.0, 1.0, 1.0, 2.0)) == 0.0, "a box without area holds nothing"


# Sizes


LEAST_WIDTHS = {"sofa": 0.5, "shelf": 0.15, "bed": 0.6, "armchair": 0.45, "chair": 0.3, "bench": 0.25, "table": 0.28,
                "cabinet": 0.2}  # fmt: skip
MOST_LENGTHS = {"armchair": 1.4, "chair": 1.1, "toilet": 1.0}


@each_case("metre", [1.0, 2.5])
@each_case(
    ("bars", "sign", "other"),
    [
        (LEAST_WIDTHS, 1, None),
        ({"bed": 1.5}, 1, 0.7),
        (MOST_LENGTHS, -1, 0.5),
        ({"shelf": 0.8, "cabinet": 0.95}, -1, 2.9),
    ],
)
def test_sides_that_a_name_allows(bars, sign, other, metre):
    """The other level side lies on the harmless side of its bars."""
    for category, bar in bars.items():
        second = other or (1.6 if category == "bed" else 1.0)
        for off, expected in ((0.01, True), (-0.01, False)):
            for x, y in ((bar + sign * off, second), (second, bar + sign * off)):
                assert fits_name(category, obb(size=(x * metre, y * metre, 9.0)), metre) is expected
    assert fits_name("lamp", obb(size=(0.001, 0.001, 1.0)), metre)
    assert fits_name(None, obb(size=(99.0, 99.0, 1.0)), metre)


@each_case(("sides", "fits"), [((1.11, 0.5), True), ((2.19, 0.5), True), ((2.21, 0.5), False), ((1.11, 0.29), False)])
def test_chairs_that_stand_together_are_longer_than_one(sides, fits: bool):
    assert fits_name("chair", obb(size=(*sides, 1.0)), 1.0, or_group=True) == fits


@each_case(
    ("size", "top_above", "word"),
    [
        ((0.9, 0.3, 1.21), None, "tall"),
        ((0.9, 0.3, 1.19), None, "large"),
        ((0.54, 0.3, 0.54), None, "small"),
        ((0.56, 0.3, 0.3), None, None),
        ((1.41, 0.3, 0.87), None, "wide"),
        ((1.39, 0.3, 0.8), None, "large"),
        ((1.41, 0.3, 0.89), None, "large"),
        ((0.61, 0.3, 0.4), 0.59, "low"),
        ((0.61, 0.3, 0.4), 0.61, None),
        ((1.09, 0.3, 0.9), None, None),
        ((1.11, 0.3, 0.9), None, "large"),
    ],
)
def test_the_word_for_a_size(size, top_above, word):
    for metre in (1.0, 3.0):
        made = obb((0.0, 0.0, 5.0 * metre), vec3(metre * np.array(size)))
        floor_z = None if top_above is None else metre * (5.0 + size[2] / 2 - top_above)
        assert size_word(made, floor_z, metre) == word


def test_sizes_of_a_body_as_one_sees_it():
    body, viewer = box((0.0, 0.0, 1.0), (3.0, 2.0, 0.8)), look(eye=(-5.0, 0.0, 1.0))
    told = (sizes.height(body), sizes.elevation(body, 0.1), sizes.width(body, viewer), sizes.length(body))
    assert told == pytest.approx((0.8, 0.5, 2.0, 3.0))
    assert (sizes.level_width(body), sizes.volume(body)) == pytest.approx((2.0, 4.8))
    assert sizes.camera_distance(body, viewer) == pytest.approx(3.5)
    assert sizes.measure_facing_deg(body, viewer) == pytest.approx(0.0, abs=1e-6)
    named = [sizes.measure_named_side(body, name) for name in ("height", "length", "width", "longest")]
    assert named == pytest.approx([0.8, 3.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="no side 'depth'"):
        sizes.measure_named_side(body, "depth")


def test_the_smallest_upright_box_has_its_longer_side_first():
    slab = box((1.0, 3.0, 0.75), (4.0, 1.0, 1.5), yaw_deg=30.0)
    found = upright_box(slab.points)
    assert found.center == pytest.approx((1.0, 3.0, 0.75))
    assert found.half_extents == pytest.approx((2.0, 0.5, 0.75))
    cos = np.cos(np.radians(30.0))
    assert abs(found.rotation[0][0]) == pytest.approx(cos)
    assert aabb(slab.points).half_extents == pytest.approx((2 * cos + 0.25, 1 + 0.5 * cos, 0.75))
    diagonal = upright_box(box(size=(10.0, 1.0, 1.0), yaw_deg=45.0).points)
    assert diagonal.half_extents == pytest.approx((5.0, 0.5, 0.5))


# Between two


def test_differences_and_distances_of_two_bodies():
    viewer = look(eye=(-5.0, 0.0, 0.0))
    a, b = box((1.0, -2.0, 3.0), (1.0, 1.0, 2.0)), box((0.0, 0.0, 0.5))
    signed = (between.lateral_difference(a, b, viewer), between.ahead_difference(a, b, viewer))
    assert signed == pytest.approx((2.0, 1.0))
    assert between.vertical_difference(a, b) == pytest.approx(2.5)
    assert (between.stands_on_gap(a, b), between.passage(a, b)) == pytest.approx((1.0, 1.0))
    assert between.distance(a, b) == pytest.approx(np.sqrt(1 + 4 + 6.25))
    assert between.horizontal_distance(a, b) == pytest.approx(np.sqrt(5))  # both axes, not the lateral one alone


def test_shares_between_bodies():
    table, beside = box((0.0, 0.0, 0.5), (2.0, 2.0, 1.0)), box((1.5, 0.0, 0.75), (2.0, 1.0, 0.5))
    assert between.vertical_overlap(table, beside) == pytest.approx(1.0)
    assert between.vertical_overlap(table, box((9.0, 0.0, 1.0))) == pytest.approx(0.5)
    assert between.footprint_overlap(beside, table) == pytest.approx(0.25)
    assert between.footprint_overlap(table, beside) == pytest.approx(0.125)
    assert between.inside_share(beside, table) == pytest.approx(0.25)
    assert between.inside_share(table, beside) == pytest.approx(0.25 * 0.5 * 0.5)


def test_the_floor_distance_is_to_the_nearest_side():
    places = np.array([[1.0, 2.0], [5.0, 2.0], [1.0, -3.0], [5.0, 8.0], [2.0, 4.0]])
    assert floor_distance(obb((1.0, 2.0, 0.0), (2.0, 4.0, 1.0)), places) == pytest.approx([0.0, 3.0, 3.0, 5.0, 0.0])


@laws
@given(boxes, boxes, angles, st.tuples(coordinates, coordinates, coordinates), st.floats(0.2, 5.0))
def test_measures_are_symmetric_move_with_the_world_and_scale_with_it(a, b, turn_deg, shift, scale):
    one, two = moved(a, turn_deg, shift, scale), moved(b, turn_deg, shift, scale)
    for measure in SYMMETRIC:
        assert measure(a, b) == pytest.approx(measure(b, a), abs=1e-9)
    for measure in LENGTHS:
        assert measure(one, two) == pytest.approx(scale * measure(a, b), abs=1e-6)
    assert sizes.volume(one) == pytest.approx(scale**3 * sizes.volume(a), rel=1e-6)


@laws
@given(boxes, boxes)
def test_a_mirror_swaps_left_and_right_only(a: Body, b: Body):
    viewer, one, two = look(), mirrored(a), mirrored(b)
    lateral, ahead = between.lateral_difference, between.ahead_difference
    assert lateral(one, two, viewer) == pytest.approx(-lateral(a, b, viewer), abs=1e-9)
    assert ahead(one, two, viewer) == pytest.approx(ahead(a, b, viewer), abs=1e-9)
    for measure in SYMMETRIC:
        assert measure(one, two) == pytest.approx(measure(a, b), abs=1e-6)


@laws
@given(boxes, boxes)
def test_the_gap_of_boxes_is_the_least_distance_of_points_in_them(a: Body, b: Body):
    """Against a general solver that knows no edges and corners."""

    def squared(x: np.ndarray) -> float:
        p = a.center + a.axes @ (a.half * x[:3])
        q = b.center + b.axes @ (b.half * x[3:])
        return float(((p - q) ** 2).sum())

    starts = (np.zeros(6), np.full(6, 0.5))
    found = min(minimize(squared, start, bounds=[(-1, 1)] * 6, tol=1e-14).fun for start in starts)
    assert gap(a, b) == pytest.approx(np.sqrt(found), abs=2e-3)
    assert gap(a, a) == 0.0


@each_case("metre", [1.0, 0.2])
@each_case(
    ("name", "sides", "fits"),
    [
        ("shelf", (2.9, 0.79), True),
        ("shelf", (2.9, 0.81), False),
        ("cabinet", (0.94, 2.5), True),
        ("cabinet", (0.96, 2.5), False),
        ("chair", (1.11, 0.5), False),
        (None, (6.0, 4.0), True),
    ],
)
def test_a_name_fits_a_box_as_wide_and_as_long_as_such_things_are(name, sides, fits: bool, metre: float):
    assert fits_name(name, obb(size=(sides[0] * metre, sides[1] * metre, metre)), metre) == fits
