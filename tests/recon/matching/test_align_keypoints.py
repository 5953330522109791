"""Learned keypoints against made pictures whose shift, turn and noise are known."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from recon.geometry import Array
from recon.matching.align import align_keypoints, align_matches
from recon.matching.interfaces import Keypoints, PairMatch
from recon.records import Frame

WIDTH, HEIGHT = 320, 240


def wall(seed: int, contrast: float) -> Array:
    """A wall (H, W) with soft spots of some grey levels, wider than the picture."""
    rng = np.random.default_rng(seed)
    spots = cv2.GaussianBlur(rng.normal(0, 1, (2 * HEIGHT, 2 * WIDTH)), (0, 0), 2.5)
    return 128 + contrast * spots / spots.std()


def view(of: Array, wall_from_picture: Array, noise: float, seed: int) -> np.ndarray:
    """The picture (H, W) that a homography takes of a wall."""
    shown = cv2.warpPerspective(of, wall_from_picture, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP)
    shown += np.random.default_rng(seed).normal(0, noise, shown.shape)
    return np.clip(np.round(shown), 0, 255).astype(np.uint8)


def turned(angle_deg: float, shift: float) -> Array:
    """A homography to the wall: the picture's middle turned, moved and seen from aside."""
    angle = np.radians(angle_deg)
    rotation = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [2e-4, 0, 1]])
    middle = np.array([[1, 0, -WIDTH / 2], [0, 1, -HEIGHT / 2], [0, 0, 1.0]])
    onto = np.array([[1, 0, WIDTH + shift], [0, 1, HEIGHT + 0.3 * shift], [0, 0, 1.0]])
    return onto @ rotation @ middle


def move(homography: Array, xy: Array) -> Array:
    """Points (M, 2) through a homography; pixel centres at +0.5 on both sides."""
    there = np.column_stack([xy - 0.5, np.ones(len(xy))]) @ homography.T
    return there[:, :2] / there[:, 2:] + 0.5


def matched(seed: int, count: int = 150) -> tuple[Array, Array, Array, np.ndarray, np.ndarray]:
    """Places in a first picture, true and detected places in a second one, and both pictures."""
    rng = np.random.default_rng(seed)
    first, second = turned(0.0, 0.0), turned(4.0, 17.3)
    painted = wall(seed, 5.0)
    xy = rng.uniform([60, 50], [WIDTH - 60, HEIGHT - 50], (count, 2))
    true = move(np.linalg.inv(second) @ first, xy)
    pictures = (view(painted, first, 1.0, seed + 1), view(painted, second, 1.0, seed + 2))
    return xy, true, true + rng.normal(0, 0.7, true.shape), *pictures


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_matches_on_a_bare_wall_are_moved_to_a_fraction_of_a_pixel(seed):
    xy, true, found, first, second = matched(seed)
    moved, fits = align_matches(first, second, xy, found)
    before, after = (np.median(np.linalg.norm(at[fits] - true[fits], axis=1)) for at in (found, moved))
    assert fits.mean() > 0.8
    assert after < 0.15
    assert after < before / 4


def test_what_shows_nothing_stays():
    xy, _, found, first, second = matched(0)
    _, fits = align_matches(np.full_like(first, 128), np.full_like(second, 128), xy, found)
    assert not fits.any()


def test_a_match_that_would_move_far_is_another_point():
    xy, true, found, first, second = matched(0)
    found[:15] = true[:15] + np.array([5.0, 0.0])
    moved, fits = align_matches(first, second, xy, found)
    far = np.linalg.norm(moved[:15] - true[:15], axis=1) > 1.0
    assert not (fits[:15] & far).any()
    assert fits[:15].sum() <= 1


@pytest.mark.parametrize("lines", [1, 2])
def test_frames_are_chained_and_pictures_may_have_more_lines(tmp_path: Path, lines):
    """Each keypoint follows its nearest earlier match; the one without any stays."""
    rng = np.random.default_rng(5)
    views = [turned(2.0 * n, 9.2 * n) for n in range(4)]
    painted = wall(5, 6.0)
    larger = np.diag([1 / lines, 1 / lines, 1.0])
    larger[:2, 2] = 0.5 / lines - 0.5  # pixel centres are whole numbers here
    frames, keypoints, true = [], {}, {}
    xy = rng.uniform([70, 60], [WIDTH - 70, HEIGHT - 60], (100, 2))
    for n, homography in enumerate(views):
        picture = cv2.warpPerspective(
            painted, homography @ larger, (lines * WIDTH, lines * HEIGHT), flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
        )
        cv2.imwrite(str(tmp_path / f"{n}.png"), np.round(picture).astype(np.uint8))
        frames.append(Frame(index=n, time_s=n / 3, image=f"{n}.png", width=WIDTH, height=HEIGHT, sharpness=1.0, shot=0))
        true[n] = move(np.linalg.inv(homography) @ views[0], xy)
        found = true[n] if n == 0 else true[n] + rng.normal(0, 0.6, xy.shape)
        keypoints[n] = Keypoints(found.astype(np.float32), np.zeros((len(xy), 128), np.uint8))
    rows = np.column_stack([np.arange(99), np.arange(99)]).astype(np.uint32)
    pairs = {(n, n + 1): PairMatch(rows, rows, None, None) for n in range(3)}
    aligned = align_keypoints(tmp_path, frames, keypoints, pairs)
    for n in (1, 2, 3):
        off = np.linalg.norm(aligned[n].xy[:99] - true[n][:99], axis=1)
        assert np.median(off) < 0.15
        assert (aligned[n].xy[99] == keypoints[n].xy[99]).all()
    assert (aligned[0].xy == keypoints[0].xy).all()
    assert list(aligned) == [0, 1, 2, 3]


def test_nothing_to_align():
    assert align_keypoints(Path("nowhere"), [], {}, {}) == {}
