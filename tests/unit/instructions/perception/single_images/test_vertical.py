"""Up by the upright edges of a picture of a known room, and the depth of its floor."""

import cv2
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from instructions.perception.frames.segments import SegmentMap
from instructions.perception.interfaces import FoundBox
from instructions.perception.masks import decode_mask
from instructions.perception.models.light.labels import ade_words
from instructions.perception.single_images.look import CAMERA_HEIGHT_M, find_floor_depth, find_things
from instructions.perception.single_images.vertical import find_vertical
from recon.geometry import Camera

CAMERA = Camera("PINHOLE", 640, 480, (500.0, 500.0, 320.0, 240.0))


def turn_up(pitch_deg: float, roll_deg: float) -> np.ndarray:
    """Up in the axes of a camera that looks so far up and is rolled so far."""
    return Rotation.from_euler("zx", [roll_deg, pitch_deg], degrees=True).apply([0.0, -1.0, 0.0])


def draw_posts(up_cam: np.ndarray, count: int = 9) -> np.ndarray:
    """Bright upright posts before a dark wall."""
    image = np.full((480, 640, 3), 40, np.uint8)
    right = np.cross(up_cam, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    for step in np.linspace(-2.0, 2.0, count):
        foot = np.array([0.0, 0.0, 4.0]) + step * right
        corners = [foot + side * right + height * up_cam for side, height in ((0, -1), (0.1, -1), (0.1, 1), (0, 1))]
        cv2.fillPoly(image, [np.round(CAMERA.project(np.array(corners))).astype(np.int32)], (220, 220, 220))
    return image


@pytest.mark.parametrize(("pitch_deg", "roll_deg"), [(0, 0), (-25, 0), (20, 5), (-10, -12)])
def test_up_is_where_upright_edges_run_together(pitch_deg: float, roll_deg: float) -> None:
    up = turn_up(pitch_deg, roll_deg)
    found = find_vertical(draw_posts(up), CAMERA)
    assert found is not None
    off_deg = np.degrees(np.arccos(np.clip(found.up_cam @ up, -1, 1)))
    assert off_deg < 1.0 < 1.01 * found.sigma_deg
    worse = find_vertical(draw_posts(up), CAMERA, focal_sigma=0.15)
    assert worse is not None
    assert (worse.sigma_deg > 1.2 * found.sigma_deg) is (pitch_deg != 0)


def test_without_edges_nothing_is_up() -> None:
    assert find_vertical(np.full((480, 640, 3), 90, np.uint8), CAMERA) is None
    assert find_vertical(draw_posts(turn_up(0, 0), count=0), CAMERA) is None


def see_floor(pitch_deg: float = -15.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Up, the floor's pixels and the true depth of a camera at the usual height."""
    up = turn_up(pitch_deg, 0.0)
    y, x = np.mgrid[0:480, 0:640] + 0.5
    below = -(CAMERA.rays(np.column_stack([x.ravel(), y.ravel()])) @ up).reshape(480, 640)
    floor = (below > 0.1) & (x > 100)
    return up, floor, np.where(floor, CAMERA_HEIGHT_M / np.maximum(below, 1e-6), 4.0).astype(np.float32)


def test_the_floor_is_as_far_as_the_height_of_the_camera_makes_it() -> None:
    up, floor, depth = see_floor()
    found = find_floor_depth(floor, CAMERA, up, depth * np.float32(0.8))
    assert found is not None
    assert found.depth[floor] == pytest.approx(depth[floor], rel=1e-5)
    assert np.isnan(found.depth[~floor]).all()
    assert found.factor == pytest.approx(1 / 0.8)


def test_learned_depth_is_believed_as_far_as_the_floor_agrees(subtests) -> None:
    up, floor, depth = see_floor()
    noise = np.random.default_rng(0).normal(size=depth.shape)
    for learned, believed in (
        (depth * 0.67, True),
        (depth * 0.63, False),
        (depth * 1.27, True),
        (depth * 1.33, False),
        (depth * np.exp(0.13 * noise), True),
        (depth * np.exp(0.17 * noise), False),
        (np.full_like(depth, np.nan), False),
    ):
        with subtests.test(believed=believed):
            found = find_floor_depth(floor, CAMERA, up, learned.astype(np.float32))
            assert found is not None
            assert (found.factor is not None) is believed


def test_too_little_floor_tells_nothing(subtests) -> None:
    up, floor, _ = see_floor()
    rows = np.cumsum(floor.sum(axis=1)[::-1])[::-1]  # pixels of floor from each row down
    for share, is_told in ((0.035, True), (0.025, False)):
        with subtests.test(share=share):
            little = floor & (np.arange(480)[:, None] >= int(np.argmax(rows <= share * floor.size)))
            assert (find_floor_depth(little, CAMERA, up, None) is not None) is is_told


def test_the_mask_of_a_thing_is_the_largest_piece_of_its_word() -> None:
    classes = np.zeros((60, 80), np.uint8)
    chair = ade_words().index("chair")
    classes[20:40, 10:30] = chair
    classes[20:24, 34:36] = chair
    segments = SegmentMap(classes, 640, 480)
    whole, table = find_things(
        [FoundBox("chair", 0.7, (72.0, 152.0, 320.0, 330.0)), FoundBox("table", 0.6, (400.0, 300.0, 600.0, 400.0))],
        segments,
    )
    assert whole.mask is not None
    rows, columns = np.nonzero(decode_mask(whole.mask))
    assert (columns.min(), columns.max(), rows.min(), rows.max()) == (80, 239, 160, 319)
    assert table.mask is None
