"""Measures of bodies against worked examples, and the laws that they keep: symmetry, motion, mirror, scale."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from instructions.facts import between, sizes
from instructions.facts.bodies import Body, upright_box
from instructions.facts.gap import gap
from instructions.facts.relations import RELATIONS, clock_direction, off_half_hour_deg, relation
from instructions.facts.viewer import Viewer
from instructions.records import Obb, Vec3
from recon.geometry import Pose

SYMMETRIC = (
    between.distance,
    between.horizontal_distance,
    between.vertical_distance,
    between.vertical_overlap,
    between.passage,
    gap,
)
LENGTHS = (*(SYMMETRIC[i] for i in (0, 1, 2, 4, 5)), between.vertical_difference, between.bottom_difference)

coordinates = st.floats(-4.0, 4.0)
sides = st.floats(0.05, 2.0)
angles = st.floats(-180.0, 180.0)


def box(center: Vec3, size: Vec3, yaw_deg: float = 0.0, tilt_deg: float = 0.0) -> Body:
    axes = Rotation.from_euler("zx", [yaw_deg, tilt_deg], degrees=True).as_matrix()
    x, y, z = ((float(row[0]), float(row[1]), float(row[2])) for row in axes)
    return Body.of_box(Obb(center, (size[0] / 2, size[1] / 2, size[2] / 2), (x, y, z)))


boxes = st.builds(
    box,
    st.tuples(coordinates, coordinates, coordinates),
    st.tuples(sides, sides, sides),
    angles,
    st.sampled_from([0.0, 20.0]),
)


def look(heading_deg: float = 0.0, pitch_deg: float = 0.0, roll_deg: float = 0.0, eye: Vec3 = (0.0, 0.0, 1.5)) -> Pose:
    level = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # looks along +x, z up
    turn = Rotation.from_euler("z", heading_deg, degrees=True).as_matrix()
    own = Rotation.from_euler("XZ", [pitch_deg, roll_deg], degrees=True).as_matrix()
    return Pose(turn @ level @ own, np.array(eye))


def moved(body: Body, turn_deg: float, shift: Vec3, scale: float = 1.0) -> Body:
    turn = Rotation.from_euler("z", turn_deg, degrees=True).as_matrix()
    axes = turn @ body.axes
    center = scale * (turn @ body.center) + shift
    x, y, z = ((float(row[0]), float(row[1]), float(row[2])) for row in axes)
    half = body.half * scale
    return Body.of_box(
        Obb(
            (float(center[0]), float(center[1]), float(center[2])),
            (float(half[0]), float(half[1]), float(half[2])),
            (x, y, z),
        )
    )


def mirrored(body: Body) -> Body:
    """In the plane y = 0."""
    flip = np.diag([1.0, -1.0, 1.0])
    axes = flip @ body.axes @ np.diag([1.0, -1.0, 1.0])
    x, y, z = ((float(row[0]), float(row[1]), float(row[2])) for row in axes)
    cx, cy, cz = body.box.center
    return Body.of_box(Obb((cx, -cy, cz), body.box.half_extents, (x, y, z)))


def test_measures_of_a_table_and_a_lamp():
    table = box((3.0, 0.5, 0.4), (1.2, 0.8, 0.8))
    lamp = box((5.0, -1.0, 0.9), (0.3, 0.3, 1.8))
    viewer = Viewer.of(look(), upright=True)
    assert between.distance(table, lamp) == pytest.approx(np.sqrt(4 + 2.25 + 0.25))
    assert between.horizontal_distance(table, lamp) == pytest.approx(2.5)  # both axes, not the lateral one alone
    assert between.vertical_distance(table, lamp) == pytest.approx(0.5)
    assert gap(table, lamp) == pytest.approx(np.hypot(2.0 - 0.6 - 0.15, 1.5 - 0.4 - 0.15))
    assert between.lateral_difference(lamp, table, viewer) == pytest.approx(1.5)
    assert between.ahead_difference(lamp, table, viewer) == pytest.approx(2.0)
    assert between.bottom_difference(lamp, table) == pytest.approx(0.0)
    assert sizes.height(lamp) == pytest.approx(1.8)
    assert sizes.width(table, viewer) == pytest.approx(0.8)  # never the height
    assert sizes.length(table) == pytest.approx(1.2)
    assert sizes.volume(table) == pytest.approx(1.2 * 0.8 * 0.8)
    assert sizes.elevation(box((0, 0, 1.0), (0.2, 0.2, 0.2)), 0.0) == pytest.approx(0.9)
    assert sizes.camera_distance(table, viewer) == pytest.approx(np.hypot(np.hypot(2.4, 0.1), 0.7))


@given(boxes, boxes)
def test_symmetric_measures_do_not_depend_on_the_order(a: Body, b: Body):
    for measure in SYMMETRIC:
        assert measure(a, b) == pytest.approx(measure(b, a), abs=1e-9)


@given(boxes, boxes, angles, st.tuples(coordinates, coordinates, coordinates), st.floats(0.2, 5.0))
def test_lengths_move_with_the_world_and_scale_with_it(a: Body, b: Body, turn_deg: float, shift: Vec3, scale: float):
    for measure in LENGTHS:
        told = measure(moved(a, turn_deg, shift, scale), moved(b, turn_deg, shift, scale))
        assert told == pytest.approx(scale * measure(a, b), abs=1e-6)
    assert sizes.volume(moved(a, turn_deg, shift, scale)) == pytest.approx(scale**3 * sizes.volume(a), rel=1e-6)


@given(boxes, boxes)
def test_a_mirror_swaps_left_and_right_only(a: Body, b: Body):
    viewer = Viewer.of(look(), upright=True)
    one, two = mirrored(a), mirrored(b)
    assert between.lateral_difference(one, two, viewer) == pytest.approx(
        -between.lateral_difference(a, b, viewer), abs=1e-9
    )
    assert between.ahead_difference(one, two, viewer) == pytest.approx(between.ahead_difference(a, b, viewer), abs=1e-9)
    for measure in SYMMETRIC:
        assert measure(one, two) == pytest.approx(measure(a, b), abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(boxes, boxes)
def test_the_gap_of_boxes_is_the_least_distance_of_points_in_them(a: Body, b: Body):
    """Against a general solver that knows no edges and corners."""

    def squared(x: np.ndarray) -> float:
        p = a.center + a.axes @ (a.half * x[:3])
        q = b.center + b.axes @ (b.half * x[3:])
        return float(((p - q) ** 2).sum())

    found = min(
        minimize(squared, start, bounds=[(-1, 1)] * 6, tol=1e-14).fun for start in (np.zeros(6), np.full(6, 0.5))
    )
    assert gap(a, b) == pytest.approx(np.sqrt(found), abs=2e-3)
    assert gap(a, a) == 0.0


@given(st.floats(-40.0, 40.0), st.floats(-80.0, 80.0), angles)
def test_a_rolled_or_pitched_camera_changes_nothing(pitch_deg: float, roll_deg: float, heading_deg: float):
    straight = Viewer.of(look(heading_deg), upright=True)
    tilted = Viewer.of(look(heading_deg, pitch_deg, roll_deg), upright=True)
    assert tilted.right == pytest.approx(straight.right, abs=1e-9)
    assert tilted.ahead == pytest.approx(straight.ahead, abs=1e-9)


def test_left_and_right_are_the_viewers():
    viewer = Viewer.of(look(), upright=True)  # looks along +x, so +y is to its left
    assert viewer.lateral(np.array([2.0, -1.0, 0.0])) == pytest.approx(1.0)
    assert viewer.measure_bearing_deg(np.array([1.0, -1.0, 0.0])) == pytest.approx(45.0)
    assert not Viewer.of(look(0.0, pitch_deg=65.0), upright=True).has_sides
    assert Viewer.of(look(0.0, pitch_deg=55.0), upright=True).has_sides


def test_an_upright_box_finds_a_slab_turned_by_45_degrees():
    slab = box((1.0, 2.0, 3.0), (10.0, 1.0, 1.0), yaw_deg=45.0)
    found = upright_box(slab.points)
    assert 2 * np.array(found.half_extents) == pytest.approx([10.0, 1.0, 1.0])
    assert found.center == pytest.approx((1.0, 2.0, 3.0))


@pytest.mark.parametrize("points", [[[1.0, 2.0, 3.0]], [[0, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [2, 2, 5]]])
def test_bodies_without_area_have_boxes_too(points: list[list[float]]):
    body = Body.of_points(np.array(points, dtype=float), upright=True)
    assert (np.abs((body.points - body.center) @ body.axes) <= body.half + 1e-9).all()


@pytest.mark.parametrize(("bearing_deg", "hour"), [(0, 12), (1, 12), (29, 1), (-29, 11), (90, 3), (180, 6), (-90, 9)])
def test_the_clock_names_the_nearest_hour(bearing_deg: float, hour: int):
    assert clock_direction(bearing_deg) == hour


def test_a_half_hour_is_no_direction():
    assert off_half_hour_deg(15.0) == pytest.approx(0.0)
    assert off_half_hour_deg(-45.0) == pytest.approx(0.0)
    assert off_half_hour_deg(30.0) == pytest.approx(15.0)
    assert off_half_hour_deg(-7.0) == pytest.approx(8.0)


def test_what_stands_on_what():
    table, cup = box((0, 0, 0.4), (1.0, 1.0, 0.8)), box((0.45, 0, 0.85), (0.2, 0.2, 0.1))
    assert between.stands_on_gap(cup, table) == pytest.approx(0.0)
    assert between.footprint_overlap(cup, table) == pytest.approx(0.75)
    assert between.inside_share(cup, box((0.45, 0, 0.85), (1, 1, 1))) == 1.0


def test_relations_of_anybodys_clouds():
    rng = np.random.default_rng(0)
    left, right = (rng.uniform(-0.2, 0.2, (200, 3)) + center for center in ([-1.0, 0.0, 3.0], [1.0, 0.2, 3.5]))
    for pose in (look(30.0), None):
        assert relation("left", left, right, pose) is True
        assert relation("behind", left, right, pose) is False
        assert relation("gap", left, right, pose) == relation("gap", right, left, pose)
        assert relation("lateral difference", left, right, pose) == pytest.approx(2.0, abs=0.1)
    assert {relation(kind, left, right, look()) is not None for kind in RELATIONS} == {True}
    with pytest.raises(ValueError, match="no relation"):
        relation("near", left, right, None)
