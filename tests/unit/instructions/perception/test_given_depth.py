"""Depth that came with poses is believed where the reconstruction's own tracks agree."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.perception.frames.given_depth import take_given_depth
from instructions.perception.frames.results import DEPTH_STEP_PX
from instructions.perception.scene_things import interpolate_tracks
from tests.support.worlds.boxworld import make_world


@pytest.fixture(scope="module")
def model():
    return make_world().scene.models[0]


@pytest.fixture(scope="module")
def right(model):
    return {frame: one.depth for frame, one in interpolate_tracks(model).items()}


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_right_depth_in_any_unit_is_brought_to_the_model(model, right, unit):
    taken, said = take_given_depth(model, {frame: depth * unit for frame, depth in right.items()}, DEPTH_STEP_PX)
    assert [one.code for one in said] == ["poses.depth"]
    assert taken.measured_depth.keys() == right.keys()
    for frame, depth in right.items():
        np.testing.assert_allclose(taken.measured_depth[frame], depth, rtol=0.02)


def test_depth_of_other_pictures_inverse_depth_and_scales_that_differ_are_refused(subtests, model, right):
    frames = list(right)
    factors = np.exp(np.random.default_rng(0).normal(0.0, 0.3, len(frames)))
    for name, wrong in (
        ("other pictures", dict(zip(frames, [right[frame] for frame in frames[::-1]], strict=True))),
        ("inverse", {frame: 1.0 / depth for frame, depth in right.items()}),
        ("scales", {frame: right[frame] * factor for frame, factor in zip(frames, factors, strict=True)}),
    ):
        with subtests.test(name):
            taken, said = take_given_depth(model, wrong, DEPTH_STEP_PX)
            assert [one.code for one in said] == ["poses.depth_does_not_fit"]
            assert not taken.measured_depth


def test_depth_without_tracks_is_not_taken_and_none_is_no_finding(model, right):
    bare = {frame: np.full_like(depth, np.nan) for frame, depth in right.items()}
    taken, said = take_given_depth(model, bare, DEPTH_STEP_PX)
    assert [one.code for one in said] == ["poses.depth_unchecked"]
    assert not taken.measured_depth
    assert take_given_depth(model, {-1: right[next(iter(right))]}, DEPTH_STEP_PX) == (model, ())
