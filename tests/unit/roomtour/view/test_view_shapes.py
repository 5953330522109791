import numpy as np
import pytest

from instructions.records import Obb
from recon.geometry import Camera
from roomtour.drawing.colors import rgb_of
from roomtour.view.shapes import (
    box_lines,
    box_top,
    frustum_lines,
    lift_labels,
    path_lines,
    pick_camera,
    time_colors,
    turn_arrow,
)
from tests.support.export.made_run import level_camera

CAMERA = Camera("PINHOLE", 640, 360, (500.0, 510.0, 310.0, 190.0))
QUARTER = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def test_a_frustum_ends_at_the_corners_of_its_image():
    pose = level_camera(2.0, -1.0, 70.0, elevation=10.0)
    lines = frustum_lines([pose], CAMERA, depth=0.8)
    assert lines.shape == (8, 2, 3)
    np.testing.assert_allclose(lines[:4, 0], np.tile(pose.center, (4, 1)), atol=1e-6)
    corners = CAMERA.project(pose.inverse() @ lines[:4, 1].astype(float))
    np.testing.assert_allclose(corners, [(0, 0), (640, 0), (640, 360), (0, 360)], atol=1e-3)
    np.testing.assert_allclose((pose.inverse() @ lines[:4, 1].astype(float))[:, 2], 0.8, atol=1e-6)
    assert frustum_lines([], CAMERA, 1.0).shape == (0, 2, 3)


def test_a_box_has_twelve_edges_as_long_as_its_sides():
    lines = box_lines(Obb((3.0, 4.0, 0.5), (0.5, 0.2, 1.0), QUARTER))
    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    assert sorted(lengths.round(5)) == pytest.approx([0.4] * 4 + [1.0] * 4 + [2.0] * 4)
    assert lines[..., 0].min() == pytest.approx(2.8)  # the quarter turn puts the short side along x
    assert lines[..., 1].max() == pytest.approx(4.5)
    tilted = ((1.0, 0.0, 0.0), (0.0, 0.6, -0.8), (0.0, 0.8, 0.6))
    box = Obb((1.0, 2.0, 3.0), (0.5, 0.2, 1.0), tilted)
    assert box_top(box)[2] == pytest.approx(box_lines(box)[..., 2].max())  # where its name stands


def test_no_two_of_many_labels_cover_each_other():
    anchors = np.array([(0.0, 0.0, 1.0), (0.5, 0.0, 1.1), (0.4, 0.3, 0.9), (5.0, 0.0, 1.0)])
    assert lift_labels(anchors, np.full(4, 1.0), np.full(4, 0.2)) == pytest.approx([1.0, 1.2, 1.4, 1.0])
    assert lift_labels(anchors[:0], np.zeros(0), np.zeros(0)).shape == (0,)
    rng = np.random.default_rng(0)
    anchors, widths = rng.uniform(0, 4, (60, 3)), rng.uniform(0.3, 2.0, 60)
    heights = rng.uniform(0.1, 0.3, 60)
    bottoms = lift_labels(anchors, widths, heights)
    assert np.all(bottoms >= anchors[:, 2])
    for a in range(60):
        for b in range(a):
            if np.hypot(*(anchors[a] - anchors[b])[:2]) < (widths[a] + widths[b]) / 2:
                low, high = (a, b) if bottoms[a] < bottoms[b] else (b, a)
                assert bottoms[high] - bottoms[low] >= heights[low] - 1e-9


def test_the_path_has_gaps_and_the_colors_of_time():
    centers = np.array([(float(x), 0.0, 0.0) for x in range(4)])
    lines, colors = path_lines([1, 2, 7, 8], centers)
    assert [(a[0], b[0]) for a, b in lines] == [(0.0, 1.0), (2.0, 3.0)]
    assert len(colors) == 2
    assert path_lines([5], centers[:1])[0].shape == (0, 2, 3)
    colors = time_colors(5)
    assert len(np.unique(colors, axis=0)) == 5
    np.testing.assert_array_equal(colors[[0, -1]], time_colors(900)[[0, -1]])
    assert rgb_of("#2b7ae0") == tuple(colors[0])


def test_a_turn_arrow_runs_from_the_old_heading_to_the_new_one(subtests):
    for turn_deg, end in ((90.0, (0.0, 1.0)), (-90.0, (0.0, -1.0)), (180.0, (-1.0, 0.0))):
        with subtests.test(str(turn_deg)):
            lines, middle = turn_arrow(np.array([5.0, 5.0, 1.5]), 0.0, turn_deg, radius=1.0)
            np.testing.assert_allclose(lines[0, 0], [6.0, 5.0, 1.5], atol=1e-9)
            np.testing.assert_allclose(
                lines[-1, 0], [5.0 + end[0], 5.0 + end[1], 1.5], atol=1e-9
            )  # the head starts at the tip
            assert np.linalg.norm(middle - [5.0, 5.0, 1.5]) == pytest.approx(1.0)
            assert np.sign(middle[1] - 5.0) == np.sign(turn_deg)


def test_a_click_picks_the_camera_nearest_to_its_ray_at_any_scale():
    centers = np.array([(0.0, 0.0, 5.0), (0.5, 0.0, 5.0), (0.0, 0.0, -5.0)])
    ahead = np.array([0.0, 0.0, 1.0])
    assert pick_camera(np.zeros(3), ahead, centers) == 0
    slanted = np.array([0.09, 0.0, 1.0])
    assert pick_camera(np.zeros(3), slanted / np.linalg.norm(slanted), centers) == 1
    for direction, others in ((ahead, centers[2:]), (np.array([0.0, 1.0, 0.0]), centers[2:]), (ahead, centers[:0])):
        assert pick_camera(np.zeros(3), direction, others) is None
    rng = np.random.default_rng(3)
    centers = rng.uniform((-4, -4, 6), (4, 4, 14), (50, 3))
    rays = [center / np.linalg.norm(center) for center in centers + rng.normal(0, 0.05, centers.shape)]
    picked = [pick_camera(np.zeros(3), ray, centers) for ray in rays]
    assert picked == [pick_camera(np.zeros(3), ray, centers * 0.01) for ray in rays]
    assert sum(row == number for number, row in enumerate(picked)) > 40
