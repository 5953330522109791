"""Plain pictures between two shots: one boundary, however much of the fade around them is seen."""

import numpy as np
import pytest

from recon.video.blanks import BlankFinder, join_blanks
from recon.video.sampling import sample_tour
from recon.video.transitions import Transition, TransitionOptions
from tests.support.recon.made_videos import Made, pan, write_video

FPS = 30
BLACK, WHITE = np.zeros((240, 320, 3), np.uint8), np.full((240, 320, 3), 255, np.uint8)


def sample(folder, images, options: TransitionOptions = TransitionOptions()):
    return sample_tour(write_video(folder / "tour.mp4", images, Made(fps=FPS)), folder / "frames", transitions=options)


def fade(images: list, count: int, plain: np.ndarray) -> list[np.ndarray]:
    """Pictures whose last `count` go over into a plain one."""
    shares = (np.arange(count) + 1) / (count + 1)
    ends = [image * (1 - s) + plain * s for image, s in zip(images[len(images) - count :], shares, strict=True)]
    return [*images[: len(images) - count], *(np.round(image).astype(np.uint8) for image in ends)]


def test_a_fade_is_one_boundary_though_a_half_of_it_is_a_cut(subtests, tmp_path):
    for count_out, count_in, plain in [(0, 12, BLACK), (12, 0, WHITE), (20, 15, BLACK)]:
        with subtests.test(count_out=count_out, count_in=count_in):
            before, after = fade(pan(1, 75, 1), count_out, plain), fade(pan(2, 75, 1)[::-1], count_in, plain)[::-1]
            tour = sample(tmp_path, [*before, *[plain] * 10, *after])
            (one,) = tour.transitions
            assert one.begin_s <= 75 / FPS + 0.1
            assert one.end_s >= 85 / FPS - 0.1
            assert tour.cuts_s == (one.begin_s, one.end_s)
            codes = {finding.code for finding in tour.findings}
            assert "shots.transitions" in codes
            assert "shots.cuts" not in codes


def test_a_cut_half_a_second_from_black_stays_a_cut(tmp_path):
    tour = sample(tmp_path, [*pan(1, 60, 1), *[BLACK] * 6, *pan(2, 45, 1), *pan(3, 60, 1)])
    (one,) = tour.transitions
    assert (one.begin_s, one.end_s) == pytest.approx((60 / FPS, 66 / FPS), abs=0.05)
    assert tour.cuts_s == (one.begin_s, one.end_s, pytest.approx(111 / FPS, abs=0.05))


def test_what_leaves_no_other_place_behind_is_no_boundary(subtests, tmp_path):
    for count in [1, 8]:
        with subtests.test(count=count):
            gains = 1 - 0.7 * np.clip((np.arange(120) - 60) / count, 0, 1)
            images = [(image * gain).astype(np.uint8) for image, gain in zip(pan(1, 120, 1), gains, strict=True)]
            tour = sample(tmp_path, images)
            assert (tour.cuts_s, tour.transitions) == ((), ())
    flash = pan(1, 120, 2)
    flash[60:63] = [WHITE] * 3
    assert sample(tmp_path, flash).cuts_s == ()


def test_an_unedited_tour_has_cuts_only(tmp_path):
    tour = sample(tmp_path, [*pan(1, 60, 1), *[BLACK] * 40, *pan(2, 60, 1)], TransitionOptions(find=False))
    assert tour.transitions == ()
    assert tour.cuts_s == pytest.approx((60 / FPS, 100 / FPS), abs=0.05)


def test_plain_stretches_lie_between_pictures_and_join_what_touches_them():
    finder = BlankFinder()
    seen = pan(1, 3, 1)
    grain = np.random.default_rng(0).normal(20, 1.0, BLACK.shape).clip(0, 255).astype(np.uint8)
    for number, image in enumerate([BLACK, *seen, grain, BLACK, *seen, WHITE]):
        finder.offer(number / 10, image)
    assert finder.stretches() == (Transition(0.4, 0.6),)
    halves, blanks = (Transition(1.0, 1.4), Transition(2.05, 2.5), Transition(4.0, 4.4)), (Transition(1.45, 2.0),)
    assert join_blanks(halves, (), blanks) == (Transition(1.0, 2.5), Transition(4.0, 4.4))
    assert join_blanks((), (1.45,), blanks) == blanks
    assert join_blanks((), (3.0,), blanks) == ()
