"""Learned depth tied to the tracks of a frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.perception.frames.model_depth import depth_in_model, fit_inverse_depth
from instructions.perception.frames.results import DEPTH_STEP_PX
from recon.records import Scale
from roomtour.trial.rendered import RenderedTour
from tests.support.worlds.noisy_detector import model_of

TOUR = RenderedTour(step_px=DEPTH_STEP_PX)


@pytest.fixture(scope="module")
def view():
    return TOUR.views([20.0])[0]


@pytest.mark.parametrize("unit_m", [1.0, 3.0])
def test_a_metric_map_off_by_a_factor_is_put_right(view, unit_m):
    model = model_of(TOUR, [view], unit_m=unit_m)
    depth = depth_in_model(model, view.frame, view.depth * 1.3, DEPTH_STEP_PX, is_metric=True)
    assert depth is not None
    np.testing.assert_allclose(depth.depth, view.depth / unit_m, rtol=1e-4)


def test_relative_depth_with_wrong_tracks_among_the_right_ones(view):
    model = model_of(TOUR, [view])
    xyz = model.tracks.xyz.copy()
    xyz[:9] += np.random.default_rng(0).normal(0.0, 2.0, (9, 3))  # 15 % wrong matches
    relative = (5.0 / view.depth + 2.0).astype(np.float32)
    depth = depth_in_model(
        replace(model, tracks=replace(model.tracks, xyz=xyz)), view.frame, relative, DEPTH_STEP_PX, False
    )
    assert depth is not None
    assert depth.is_length
    inside = view.depth < np.percentile(view.depth, 90)
    assert np.median(np.abs(depth.depth[inside] / view.depth[inside] - 1.0)) < 0.03


def test_relative_depth_that_runs_against_the_tracks_is_not_used(view):
    model = model_of(TOUR, [view])
    assert depth_in_model(model, view.frame, -1.0 / view.depth, DEPTH_STEP_PX, is_metric=False) is None


def test_without_tracks_only_metres_in_a_metric_model_can_be_used(view):
    model = model_of(TOUR, [view])
    empty = replace(
        model.tracks, obs_point=np.zeros(0, np.int64), obs_frame=np.zeros(0, np.int64), obs_xy=np.zeros((0, 2))
    )
    bare = replace(model, tracks=empty)
    metric = depth_in_model(bare, view.frame, view.depth, DEPTH_STEP_PX, is_metric=True)
    assert metric is not None
    np.testing.assert_array_equal(metric.depth, view.depth)
    assert depth_in_model(bare, view.frame, 1.0 / view.depth, DEPTH_STEP_PX, is_metric=False) is None
    relative_model = replace(bare, scale=Scale("relative", 1.0, 1.0, "none"))
    assert depth_in_model(relative_model, view.frame, view.depth, DEPTH_STEP_PX, is_metric=True) is None


def test_the_fit_is_exact_without_noise():
    depths = np.linspace(1.0, 6.0, 50)
    slope, offset = fit_inverse_depth(3.0 / depths - 0.5, depths)
    assert (slope, offset) == pytest.approx((1 / 3, 0.5 / 3))
