"""`docs/conventions.md`, held against known truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.conventions import (
    compass_yaw_deg,
    elevation_deg,
    heading_deg,
    opencv_pose,
    opengl_pose,
    wrap_deg,
    yup_from_zup,
    zup_from_yup,
)
from tests.support.recon.made_house import look

# compass: 0 = +y (north), clockwise; heading: 0 = +x (east), counter-clockwise.
DIRECTIONS = [((1, 0), 0.0, 90.0), ((0, 1), 90.0, 0.0), ((-1, 0), -180.0, -90.0), ((0, -1), -90.0, -180.0)]


def test_heading_and_compass_of_the_four_directions(subtests):
    for number, (xy, heading, yaw) in enumerate(DIRECTIONS):
        with subtests.test(number=number):
            pose = look((0, 0, 1.5), np.degrees(np.arctan2(xy[1], xy[0])))
            np.testing.assert_allclose(pose.forward, [*xy, 0], atol=1e-12)
            assert wrap_deg(heading_deg(pose) - heading) == pytest.approx(0, abs=1e-9)
            assert wrap_deg(compass_yaw_deg(pose) - yaw) == pytest.approx(0, abs=1e-9)


@given(st.floats(-179, 179), st.floats(-80, 80))
def test_compass_yaw_is_the_formula_of_the_format(heading, pitch):
    pose = look((1, 2, 3), heading, pitch)
    dx, dy, dz = pose.forward
    assert wrap_deg(compass_yaw_deg(pose) - np.degrees(np.arctan2(dx, dy))) == pytest.approx(0, abs=1e-9)
    assert elevation_deg(pose) == pytest.approx(np.degrees(np.arcsin(dz)), abs=1e-9)


def test_a_turn_to_the_left_is_positive():
    before, after = look((0, 0, 1.5), 10.0), look((0, 0, 1.5), 40.0)
    # What was in the middle of the view lies on the right after a turn to the left.
    ahead = before @ np.array([0.0, 0.0, 2.0])
    assert (after.inverse() @ ahead)[0] > 0
    assert heading_deg(after) - heading_deg(before) == pytest.approx(30.0)


def test_straight_down_has_no_heading():
    with pytest.raises(ValueError, match="no heading"):
        heading_deg(look((0, 0, 1.5), 0.0, -90.0))


@given(st.floats(-1e4, 1e4))
def test_wrapped_angles_are_the_same_direction(angle):
    wrapped = wrap_deg(angle)
    assert -180 <= wrapped < 180
    assert np.cos(np.radians(wrapped)) == pytest.approx(np.cos(np.radians(angle)), abs=1e-6)


def test_opengl_camera_looks_along_minus_z_with_y_up():
    pose = look((1, 2, 1.5), 30.0, -10.0)
    gl = opengl_pose(pose)
    np.testing.assert_allclose(-gl.rotation[:, 2], pose.forward)
    np.testing.assert_allclose(gl.rotation[:, 0], pose.right)
    assert gl.rotation[2, 1] > 0.9
    np.testing.assert_allclose(opencv_pose(gl).matrix(), pose.matrix())


def test_habitat_is_y_up():
    np.testing.assert_array_equal(yup_from_zup([1.0, 2.0, 3.0]), [1, 3, -2])
    points = np.random.default_rng(0).normal(size=(5, 3))
    np.testing.assert_allclose(zup_from_yup(yup_from_zup(points)), points)
    # A rotation, not a mirror: x cross y = z stays true.
    x, y, z = (yup_from_zup(axis) for axis in np.eye(3))
    np.testing.assert_array_equal(np.cross(x, y), z)
