"""SPRITE's axes and back: the swap is its own inverse, and left stays left."""

from __future__ import annotations

import numpy as np
import pytest

from recon.conventions import sprite_from_zup, sprite_yaw_deg


def test_the_swap_is_its_own_inverse():
    points = np.random.default_rng(0).normal(size=(5, 3))
    assert sprite_from_zup(sprite_from_zup(points)) == pytest.approx(points)
    assert sprite_from_zup([1.0, 2.0, 3.0]).tolist() == [1.0, 3.0, 2.0]


def test_forward_and_right_are_those_of_the_files(subtests):
    """Forward (sin yaw, 0, cos yaw), right (cos yaw, 0, -sin yaw), as measured on the released sample."""
    for heading_deg in [0.0, 37.0, 90.0, -135.0]:
        with subtests.test(heading_deg=heading_deg):
            heading, yaw = np.radians(heading_deg), np.radians(sprite_yaw_deg(heading_deg))
            forward, right = [np.cos(heading), np.sin(heading), 0.0], [np.sin(heading), -np.cos(heading), 0.0]
            assert sprite_from_zup(forward) == pytest.approx([np.sin(yaw), 0.0, np.cos(yaw)])
            assert sprite_from_zup(right) == pytest.approx([np.cos(yaw), 0.0, -np.sin(yaw)])
            assert sprite_yaw_deg(sprite_yaw_deg(heading_deg)) == pytest.approx(heading_deg)
