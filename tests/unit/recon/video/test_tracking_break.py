"""Corners that are lost at a cut, however alike the two sides are, and that live on through light, whips and blur."""

import cv2
import numpy as np
import pytest

from recon.video.picture_motion import track_change
from recon.video.shots import CutFinder
from tests.support.recon.made_videos import texture

THUMB = (160, 90)


def shrink(image_rgb) -> np.ndarray:
    return cv2.resize(np.asarray(image_rgb, np.uint8), THUMB, interpolation=cv2.INTER_AREA)


def glide(seed: int, count: int, step_px: int = 4) -> list[np.ndarray]:
    wide = texture(seed, 320 + step_px * count, 240)
    return [wide[:, step_px * k : step_px * k + 320] for k in range(count)]


def grays(images) -> list[np.ndarray]:
    return [cv2.cvtColor(shrink(image), cv2.COLOR_RGB2GRAY) for image in images]


def one_palette(seed: int, count: int) -> list[np.ndarray]:
    """A camera that pans quickly past tiles of few colours: every picture changes much, a cut hardly more."""
    rng = np.random.default_rng(seed)
    tiles = rng.choice(np.array([60, 90, 120, 150], np.uint8), (12, 150))
    wide = cv2.resize(tiles, None, fx=20, fy=20, interpolation=cv2.INTER_NEAREST)
    return [np.repeat(wide[:, 12 * k : 12 * k + 320, None], 3, 2) for k in range(count)]


def offer(images, fps: float = 30.0) -> CutFinder:
    finder = CutFinder()
    for number, image in enumerate(images):
        finder.offer(number / fps, np.ascontiguousarray(shrink(image)[..., ::-1]))
    return finder


def test_corners_live_on_in_one_take_and_are_lost_at_a_cut():
    assert track_change(grays(glide(1, 6))) is None
    tracking = track_change(grays([*glide(1, 3), *glide(2, 3)]))
    assert tracking is not None
    assert tracking.is_broken
    assert tracking.kept < 0.4
    assert tracking.around > 0.8
    assert tracking.agreeing < 0.2
    assert track_change([np.full((90, 160), 30 * k, np.uint8) for k in range(6)]) is None
    unrelated = [texture(seed) for seed in range(6)]
    tracking = track_change(grays(unrelated))
    assert tracking is not None
    assert not tracking.is_broken


def test_light_that_changes_loses_none(subtests):
    for gain in [0.3, 0.6, 1.4]:
        with subtests.test(gain=gain):
            images = [np.clip(image * (gain if k >= 3 else 1.0), 0, 255) for k, image in enumerate(glide(3, 6))]
            tracking = track_change(grays(images))
            assert tracking is None or not tracking.is_broken


def test_cuts_between_walls_of_one_palette_are_found_and_whips_are_none(subtests):
    for seed in range(3):
        with subtests.test(seed=seed):
            finder = offer([*one_palette(seed, 30), *one_palette(100 + seed, 30)])
            assert finder.cuts_s() == pytest.approx((1.0,))
    for fps, found in [(15.0, 1), (14.0, 0), (10.0, 0)]:
        with subtests.test(fps=fps, found=found):
            assert len(offer([*one_palette(0, 30), *one_palette(100, 30)], fps).cuts_s()) == found
    wide = texture(5, 4000, 240)
    left_px = np.cumsum([4] * 20 + [150] * 8 + [4] * 20)
    images = [cv2.blur(wide[:, x : x + 320], (60 if 20 <= k < 28 else 1, 1)) for k, x in enumerate(left_px.tolist())]
    assert offer(images).cuts_s() == ()
