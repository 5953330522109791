from __future__ import annotations

import cv2
import numpy as np

from recon.records import Frame
from recon.video.overlays import Overlays, find_overlays, no_overlays
from tests.support.recon.made_videos import pan, texture

WIDTH, HEIGHT = 320, 240


def make_moving(seed=1, count=30):
    """A camera that turns past a wall of soft blobs."""
    return [cv2.GaussianBlur(image, (0, 0), 1.0) for image in pan(seed, count, 24)]


def bars(image, top=0, bottom=0, left=0, right=0, level=0):
    out = image.copy()
    out[:top] = level
    out[HEIGHT - bottom :] = level
    out[:, :left] = level
    out[:, WIDTH - right :] = level
    return out


def words(image, text, at=(200, 40), opacity=1.0):
    layer = np.zeros_like(image)
    cv2.putText(layer, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255, 255, 255), 2)
    share = (layer[..., :1] > 0) * opacity
    return (image * (1 - share) + 255 * share).astype(np.uint8)


def overlays(folder, images) -> Overlays:
    frames = []
    for index, image in enumerate(images, start=1):
        name = f"{index:06d}.jpg"
        cv2.imwrite(str(folder / name), image, [cv2.IMWRITE_JPEG_QUALITY, 85])
        frames.append(Frame(index, index / 3, name, WIDTH, HEIGHT, 1.0, 0))
    return find_overlays(folder, frames)


def codes(found: Overlays) -> list[str]:
    return [finding.code for finding in found.findings]


def test_where_nothing_is_or_too_few_frames_nothing_is_found(subtests, tmp_path):
    for seed in [1, 2]:
        with subtests.test(seed=seed):
            found = overlays(tmp_path, make_moving(seed))
            assert found.findings == ()
            assert (found.mask == 255).all()
    assert overlays(tmp_path, [bars(image, top=30) for image in make_moving(count=6)]).findings == ()
    found = no_overlays([Frame(1, 0.0, "000001.jpg", WIDTH, HEIGHT, 1.0, 0)])
    assert found.mask.shape == (HEIGHT, WIDTH)
    assert (found.mask == 255).all()


def test_bars_of_any_colour_are_masked_with_a_margin(subtests, tmp_path):
    for sides, level in [
        ({"top": 30, "bottom": 30}, 235),
        ({"left": 60, "right": 60}, 16),
        ({"top": 4, "bottom": 4}, 0),
        ({"bottom": 50}, 0),
        ({"top": 20, "bottom": 20, "left": 40, "right": 40}, 0),
    ]:
        with subtests.test(sides=sides, level=level):
            found = overlays(tmp_path, [bars(image, **sides, level=level) for image in make_moving()])
            assert codes(found) == ["mask.bars"]
            for side, size in sides.items():
                assert f"{side} {size} px" in found.findings[0].message
            shown = bars(np.ones((HEIGHT, WIDTH), np.uint8), **sides) > 0
            assert not found.mask[~shown].any()
            assert (found.mask[shown] == 0).sum() <= 2 * 5 * (WIDTH + HEIGHT)
            assert (found.mask > 0).mean() > 0.4


def test_a_watermark_is_masked_even_half_transparent(subtests, tmp_path):
    for opacity in [1.0, 0.5, 0.3]:
        with subtests.test(opacity=opacity):
            found = overlays(tmp_path, [words(image, "TOUR", opacity=opacity) for image in make_moving()])
            assert codes(found) == ["mask.watermark"]
            letters = words(np.zeros((HEIGHT, WIDTH, 3), np.uint8), "TOUR")[..., 0] > 0
            assert not found.mask[letters].any()
            assert (found.mask == 0).mean() < 0.05


def test_a_clock_whose_digits_change_is_masked(tmp_path):
    found = overlays(tmp_path, [words(image, f"12:00:{k:02d}", (150, 40)) for k, image in enumerate(make_moving())])
    assert "mask.watermark" in codes(found)
    assert not found.mask[25:40, 155:240].any()


def test_a_camera_that_stands_makes_no_overlay(tmp_path):
    rng = np.random.default_rng(0)
    image = texture(5)
    noisy = [np.clip(image + rng.normal(0, 3, image.shape), 0, 255).astype(np.uint8) for _ in range(30)]
    assert (overlays(tmp_path, noisy).mask == 255).all()
    images = make_moving(count=20)
    assert overlays(tmp_path, images[:10] + [images[10]] * 40 + images[10:]).findings == ()


def test_a_mounted_thing_that_fills_the_picture_is_told_and_not_masked(tmp_path):
    """A car's dashboard: too much of the picture to be an overlay, so it is a user's decision."""
    mounted = cv2.resize(texture(9), (WIDTH, HEIGHT), interpolation=cv2.INTER_NEAREST)
    images = []
    for image in make_moving():
        out = image.copy()
        out[HEIGHT // 3 :] = mounted[HEIGHT // 3 :]
        images.append(out)
    found = overlays(tmp_path, images)
    assert codes(found) == ["mask.still_edges"]
    assert (found.mask == 255).all()
