"""Points by measured depth lie on the surfaces that pictures show, and only where several pictures agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.perception.single_images.measured_points import add_points, measure_points
from roomtour.trial.rendered import RenderedTour
from tests.support.worlds.noisy_detector import model_of

STEP_PX = 4
TOUR = RenderedTour(step_px=STEP_PX)


@pytest.fixture(scope="module")
def views():
    return TOUR.views([20.0, 20.2, 20.4, 20.6, 20.8, 21.0])


@pytest.fixture(scope="module")
def model(views):
    return replace(model_of(TOUR, views), measured_depth={view.frame: view.depth for view in views})


def test_points_lie_where_every_picture_that_sees_them_puts_them(views, model):
    points = measure_points(model, STEP_PX, lambda _: None)
    assert len(points.xyz) > 100
    assert np.bincount(points.obs_point).min() >= 4
    for view in views:
        rows = points.rows_of_frame(view.frame)
        local = view.world_from_cam.inverse() @ points.xyz[points.obs_point[rows]]
        apart_px = np.linalg.norm(TOUR.camera.project(local) - points.obs_xy[rows], axis=1)
        assert np.median(apart_px) < 1.0
        cells = np.floor(points.obs_xy[rows] / STEP_PX).astype(int)
        shown = view.depth[cells[:, 1].clip(0, view.depth.shape[0] - 1), cells[:, 0].clip(0, view.depth.shape[1] - 1)]
        assert np.median(np.abs(local[:, 2] / shown - 1.0)) < 0.01


def test_depth_that_pictures_do_not_agree_on_gives_no_points(views, model):
    scaled = {view.frame: view.depth * np.float32(1.2**k) for k, view in enumerate(views)}
    few = measure_points(replace(model, measured_depth=scaled), STEP_PX, lambda _: None)
    many = measure_points(model, STEP_PX, lambda _: None)
    assert len(few.xyz) < 0.1 * len(many.xyz)
    assert not len(measure_points(replace(model, measured_depth={}), STEP_PX, lambda _: None).xyz)


def test_points_are_added_behind_those_of_a_model_and_change_none_of_them(views, model):
    points = measure_points(model, STEP_PX, lambda _: None)
    dense, own = add_points(model, points), model.tracks
    for frame in model.frames:
        rows, before = dense.tracks.rows_of_frame(frame), own.rows_of_frame(frame)
        is_old = dense.tracks.obs_point[rows] < len(own.xyz)
        np.testing.assert_array_equal(dense.tracks.obs_point[rows][is_old], np.sort(own.obs_point[before]))
    new = dense.tracks.obs_point >= len(own.xyz)
    for name, values in vars(points).items():
        found = getattr(dense.tracks, name)
        found = found[new] if name.startswith("obs_") else found[len(own.xyz) :]
        np.testing.assert_array_equal(found - len(own.xyz) * (name == "obs_point"), values)
