from __future__ import annotations

import numpy as np
import pytest

from instructions.facts.tracks import TrackDepth, track_depth
from recon.geometry import Camera
from tests.support.worlds.boxworld import make_world

CAMERA = Camera("PINHOLE", 40, 30, (35.0, 35.0, 20.0, 15.0))


def plane_depth(pixels: np.ndarray) -> np.ndarray:
    """Depth of a slanted plane n . x = 3 along the optical axis."""
    return 3.0 / (CAMERA.rays(pixels) @ np.array([0.3, 0.2, 1.0]))


def test_a_plane_is_interpolated_exactly_inside_the_hull_and_unknown_outside():
    rng = np.random.default_rng(1)
    pixels = rng.uniform([5, 5], [35, 25], (60, 2))
    corners = np.array([[5, 5], [35, 5], [5, 25], [35, 25]], dtype=float)
    pixels = np.vstack([pixels, corners])
    depth = TrackDepth(pixels, plane_depth(pixels)).grid(40, 30)
    assert depth.shape == (30, 40)
    assert depth.dtype == np.float32
    x, y = np.meshgrid(np.arange(40) + 0.5, np.arange(30) + 0.5)
    inside = (x > 5) & (x < 35) & (y > 5) & (y < 25)
    assert np.isnan(depth[~inside]).all()
    truth = plane_depth(np.column_stack([x[inside], y[inside]]))
    assert depth[inside] == pytest.approx(truth, rel=1e-5)


def test_too_few_tracks_or_tracks_on_a_line_give_nothing():
    for pixels in ([], [[1, 1], [2, 2]], [[1, 1], [2, 2], [3, 3], [9, 9]]):
        assert np.isnan(TrackDepth(np.array(pixels).reshape(-1, 2), np.ones(len(pixels))).grid(12, 9)).all()


def test_tracks_behind_the_camera_are_left_out_and_a_step_keeps_the_size_in_proportion():
    pixels = np.array([[1, 1], [11, 1], [1, 8], [6, 4]], dtype=float)
    depth = TrackDepth(pixels, [2.0, 2.0, 2.0, -1.0]).grid(12, 9)
    assert np.nanmin(depth) == pytest.approx(2.0)
    pixels = np.array([[0, 0], [41, 0], [0, 31], [41, 31]], dtype=float)
    assert TrackDepth(pixels, np.full(4, 2.0)).grid(40, 30, step_px=4).shape == (8, 10)


def test_depth_of_a_frame_of_a_model_is_that_of_its_tracks():
    world = make_world()
    frame = world.model.frames[5]
    depth = track_depth(world.model, frame).grid(world.model.camera.width, world.model.camera.height)
    tracks = world.model.tracks
    rows = tracks.rows_of_frame(frame)
    pose = world.model.world_from_cam[frame]
    truth = (tracks.xyz[tracks.obs_point[rows]] - pose.center) @ pose.forward
    found = depth[tuple(np.floor(tracks.obs_xy[rows]).astype(int).T[::-1])]
    known = np.isfinite(found)
    assert known.mean() > 0.8
    assert np.median(np.abs(found[known] / truth[known] - 1.0)) < 0.03
