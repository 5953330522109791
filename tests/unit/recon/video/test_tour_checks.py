import cv2
import numpy as np
import pytest

from recon.errors import ReconError
from recon.video.tour_checks import TourChecks, measure_step
from tests.support.recon.made_videos import pan, texture

SIZE = (320, 180)


def grey(image_rgb):
    return cv2.cvtColor(image_rgb, cv2.COLOR_RGB2GRAY)


def findings_of(images_rgb, cuts_s=(), fps=3.0):
    checks = TourChecks()
    for number, image_rgb in enumerate(images_rgb):
        checks.look(number / fps, image_rgb)
    return {finding.code: finding for finding in checks.findings("tour.mp4", cuts_s)}


def move_image(image_rgb, shift=(0.0, 0.0), zoom=1.0):
    width, height = SIZE
    cx, cy = width / 2, height / 2
    matrix = np.array([[zoom, 0, shift[0] + cx * (1 - zoom)], [0, zoom, shift[1] + cy * (1 - zoom)]])
    return cv2.warpAffine(image_rgb, matrix, SIZE, borderMode=cv2.BORDER_REFLECT)


def test_the_motion_of_the_picture_is_measured_by_a_majority(subtests):
    for shift, zoom in [((0, 0), 1.0), ((16, 0), 1.0), ((-9, 6), 1.05), ((0, 0), 0.92)]:
        with subtests.test(shift=shift, zoom=zoom):
            before = texture(1, *SIZE)
            step = measure_step(0.0, grey(before), 0.3, grey(move_image(before, shift, zoom)))
            assert step.related
            assert step.motion is not None
            assert step.motion[:2] == pytest.approx((shift[0] / 320, shift[1] / 320), abs=0.004)
            assert step.motion[2] == pytest.approx(np.log(zoom), abs=0.005)
    rng = np.random.default_rng(0)
    before = texture(1, *SIZE)
    after = before.copy()
    for y in range(0, 180, 36):
        for x in range(0, 320, 40):
            dx, dy = rng.integers(-9, 10, 2)
            tile = np.roll(before, (dy, dx), axis=(0, 1))[y : y + 36, x : x + 40]
            after[y : y + 36, x : x + 40] = tile
    assert measure_step(0.0, grey(before), 0.3, grey(after)).motion is None


def test_related_pictures_are_told_from_unrelated_ones():
    steps = [measure_step(0.0, grey(texture(k, *SIZE)), 0.3, grey(texture(k + 50, *SIZE))) for k in range(5)]
    assert [step.related for step in steps] == [False] * 5
    assert measure_step(0.0, np.full((180, 320), 90, np.uint8), 0.3, grey(texture(1, *SIZE))).related is None
    wide = texture(1, 520, 180)
    step = measure_step(0.0, grey(wide[:, :320]), 0.3, grey(wide[:, 150:470]))
    assert step.related


def test_what_kind_of_tour_it_is_is_told():
    assert findings_of([move_image(texture(1, *SIZE), zoom=1.02**k) for k in range(12)]) == {}
    assert findings_of(pan(1, 12, 10, *SIZE)) == {}
    images = [texture(k // 6, *SIZE) for k in range(30)]
    cuts_s = tuple(2.0 * k - 1e-3 for k in range(1, 5))
    assert set(findings_of(images, cuts_s)) == {"sample.slideshow"}
    assert "sample.unrelated" in findings_of([texture(k, *SIZE) for k in range(10)])
    images = [*pan(1, 12, 10, *SIZE), *[np.zeros((180, 320, 3), np.uint8)] * 5]
    assert "sample.dark" in findings_of(images)


def test_a_still_camera_is_told_though_someone_walks_through_the_picture():
    rng = np.random.default_rng(0)
    images = []
    for k in range(20):
        image = move_image(texture(1, *SIZE), rng.normal(0, 1.5, 2))  # hand shake
        image[40:160, 13 * k : 13 * k + 60] = texture(2, 60, 120)
        images.append(image)
    found = findings_of(images)
    assert set(found) == {"sample.still"}
    assert found["sample.still"].severity == "warning"


def test_most_of_the_tour_dark_or_blank_is_an_error(subtests):
    for level, words in [(0, "too dark"), (255, "blank")]:
        with subtests.test(level=level, words=words):
            images = [np.full((180, 320, 3), level, np.uint8)] * 9 + [texture(1, *SIZE)]
            with pytest.raises(ReconError, match=words):
                findings_of(images)
