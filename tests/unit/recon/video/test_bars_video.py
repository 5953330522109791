"""Gates of sizes, cuts and transitions: one case on each side of each bar, one quantity at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from recon.errors import ReconError
from recon.pictures import write_picture_file
from recon.video.decode import VideoSource
from recon.video.image_folder import FolderSource
from recon.video.picture import require_usable_size
from recon.video.shots import CutFinder, Shift
from recon.video.transitions import Look, _is_swing, _measure_line, find_mixed
from tests.support.tour_videos import write_video

# Cuts


def wall(seed: int, mean: float) -> np.ndarray:
    """(90, 160, 3) Gray blobs of a few gray levels around a mean."""
    small = np.random.default_rng(seed).normal(0.0, 6.0, (12, 20))
    blobs = cv2.resize(small, (160, 90), interpolation=cv2.INTER_CUBIC)
    gray = mean + blobs - blobs.mean()
    return np.repeat(np.round(gray).clip(0, 255).astype(np.uint8)[..., None], 3, axis=2)


def test_a_cut_changes_hue_saturation_and_brightness_by_fifteen(subtests):
    for change, is_cut in [(14.5, False), (15.5, True)]:
        with subtests.test(change=change, is_cut=is_cut):
            # Gray pictures have neither hue nor saturation, so brightness changes by three times the mean. At ten
            # pictures a second no corners are followed.
            before, after = wall(1, 80.0), wall(2, 80.0 + 3 * change)
            assert float(np.abs(after.astype(float) - before)[..., 0].mean()) / 3 == pytest.approx(change, abs=0.2)
            finder = CutFinder()
            for number, picture in enumerate([before] * 6 + [after] * 6):
                finder.offer(number / 10, picture)
            assert finder.cuts_s() == ((0.6,) if is_cut else ())


# Transitions


def looks_of(shares: Sequence[float], change: float = 0.9) -> list[Look]:
    """A dissolve between pictures of equal contrast that differ by this share of it, so far on at each look."""
    rng = np.random.default_rng(0)
    first, other = (one - one.mean() for one in rng.normal(0.0, 30.0, (2, 18, 32)))
    other -= (other * first).sum() / (first * first).sum() * first
    other *= np.linalg.norm(first) / np.linalg.norm(other)
    last = (1 - change) * first + np.sqrt(1 - (1 - change) ** 2) * other  # |last - first|^2 = 2 change |first|^2
    halves = [cv2.resize(rng.integers(0, 255, (9, 16), dtype=np.uint8), (80, 45)) for _ in range(2)]
    looks = []
    for number, share in enumerate(shares):
        half = np.round((1 - share) * halves[0] + share * halves[1]).astype(np.uint8)
        detail = 100.0 * (share**2 + (1 - share) ** 2)  # of two pictures that lie on each other
        gray = (100.0 + (1 - share) * first + share * last).astype(np.float32)
        thumb = np.asarray(cv2.resize(half, (160, 90)), np.uint8)
        looks.append(Look(number / 15, gray, thumb, half, detail))
    return looks


EVENLY = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def test_a_dissolve_has_ends_that_differ_and_no_large_step(subtests):
    for change, is_found in [(0.69, False), (0.71, True)]:
        with subtests.test(change=change, is_found=is_found):
            assert bool(find_mixed(looks_of(EVENLY, change))) is is_found
    for step, is_found in [(0.44, True), (0.46, False)]:
        with subtests.test(step=step, is_found=is_found):
            rest = (1.0 - step) / 4
            assert bool(find_mixed(looks_of((0.0, rest, 2 * rest, 2 * rest + step, 3 * rest + step, 1.0)))) is is_found


def test_a_plain_end_deviates_by_three_gray_levels(subtests):
    for deviation, is_found in [(2.9, True), (3.1, False)]:
        with subtests.test(deviation=deviation, is_found=is_found):
            rng = np.random.default_rng(0)
            first, last = (one / one.std() for one in rng.normal(0.0, 1.0, (2, 18, 32)))
            half = np.asarray(cv2.resize(rng.integers(0, 255, (9, 16), dtype=np.uint8), (80, 45)), np.uint8)
            looks = []
            for number, share in enumerate(EVENLY):
                gray = 100.0 + (1 - share) * 30.0 * first + share * deviation * (last - last.mean())
                # Its detail does not fade, so nothing but a plain end makes this a transition.
                looks.append(Look(number / 15, gray.astype(np.float32), half, half, 100.0))
            assert bool(find_mixed(looks)) is is_found


def is_swing(change: float = 1.0, bend: float = 0.6, brighter: float = 2.0, held: float = 0.9) -> bool:
    """Of six pictures on a line: how unlike their ends are, how far off those between, how much brighter the last is,
    and how well neighbours agree."""
    rng = np.random.default_rng(0)
    first, other, aside = np.linalg.qr(np.column_stack([np.ones(576), rng.normal(0.0, 1.0, (576, 3))]))[0].T[1:]
    first, other = 600.0 * first, 600.0 * other  # without a mean, and square to each other
    last = (1 - change) * first + np.sqrt(1 - (1 - change) ** 2) * other
    length = np.linalg.norm(last - first)
    shares = np.array(EVENLY)[:, None]
    off = bend * length * aside * ((shares > 0) & (shares < 1))
    evenly = 100.0 + (1 - shares) * first + shares * last + off
    pictures = (evenly * np.linspace(1.0, brighter, 6)[:, None]).astype(np.float32)
    return _is_swing(pictures, _measure_line(pictures), [Shift(0.0, 0.0, held)] * 5)


def test_each_bar_of_a_swing_has_two_sides(subtests):
    for told, changed in (
        (True, {}),
        (False, {"brighter": 1.28}), (True, {"brighter": 1.32}),
        (True, {"change": 0.37, "bend": 0.0}), (False, {"change": 0.43, "bend": 0.0}),
        (False, {"bend": 0.40}), (True, {"bend": 0.44}),
        (False, {"held": 0.81}), (True, {"held": 0.83}),
    ):  # fmt: skip
        with subtests.test(str(changed)):
            assert is_swing(**changed) is told


def test_pictures_are_refused_beyond_each_bound_of_their_size(subtests, tmp_path):
    for width, height, says in [
        (32, 32, None),
        (31, 200, "31 px, need at least 32"),
        (1024, 64, None),
        (1025, 64, "16 times"),
        (40, 3000, "75 times"),
        (4096, 64, "64 times"),
        (15_000, 10_000, None),
        (15_001, 10_000, "150 million pixels, need at most 150"),
    ]:
        with subtests.test(width=width, height=height):
            if says is None:
                require_usable_size(Path("film.mp4"), width, height)
            else:
                with pytest.raises(ReconError, match=rf"film\.mp4: its pictures are {width} x {height} px: .*{says}"):
                    require_usable_size(Path("film.mp4"), width, height)
    for number in range(3):
        write_picture_file(tmp_path / f"{number}.png", np.full((64, 4096, 3), 90, np.uint8))
    with pytest.raises(ReconError, match="64 times the shorter one"):
        list(FolderSource(tmp_path, short_side=360, fps=3.0).pictures())
    video = write_video(tmp_path / "film.mp4", [np.full((32, 608, 3), 90, np.uint8)] * 3)
    with VideoSource(video, 360) as source, pytest.raises(ReconError, match="19 times"):
        list(source.pictures())
