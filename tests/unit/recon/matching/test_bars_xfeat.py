"""Learned keypoints: one case on each side of each bar, and how vectors are stored; a made network, no weights."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from recon.matching import xfeat
from recon.matching.interfaces import CompactKeypoints, Keypoints
from recon.matching.xfeat import (
    SIDE,
    XFeat,
    heat_map,
    match_alike,
    pack_signed,
    refine_peaks,
    unpack_signed,
)

CELLS = 80


def find_keypoints(monkeypatch, tmp_path, heats: np.ndarray, reliability: np.ndarray | None = None) -> np.ndarray:
    """(K, 2) What is found in a picture where the middle of each cell is a keypoint with the probability of `heats`."""
    rest = (1.0 - heats) / 64
    odds = np.repeat(rest[None], 65, axis=0)
    odds[4 * 8 + 4] = heats
    sure = np.ones((1, 1, CELLS, CELLS), np.float32)
    if reliability is not None:
        sure[0, 0] = reliability
    outputs = [np.ones((1, 64, CELLS, CELLS), np.float32), np.log(odds)[None].astype(np.float32), sure]
    monkeypatch.setattr(xfeat, "_session", lambda _: SimpleNamespace(run=lambda *_: outputs))
    return XFeat(tmp_path / "none.onnx").detect(np.zeros((640, 640, 3), np.uint8), None).xy


def test_a_keypoint_has_a_twentieth_of_its_cells_heat(subtests, monkeypatch, tmp_path):
    for heat, found in [(0.049, 0), (0.051, 1)]:
        with subtests.test(heat=heat, found=found):
            heats = np.full((CELLS, CELLS), 1 / 65)
            heats[20, 30] = heat
            assert len(find_keypoints(monkeypatch, tmp_path, heats)) == found
    assert find_keypoints(monkeypatch, tmp_path, np.full((CELLS, CELLS), 0.01)).shape == (0, 2)


def test_three_thousand_keypoints_are_kept_the_surest_first(subtests, monkeypatch, tmp_path):
    for there, kept in [(2999, 2999), (3000, 3000), (3001, 3000)]:
        with subtests.test(there=there, kept=kept):
            heats = np.full(CELLS * CELLS, 1 / 65)
            heats[:there] = 0.5
            sure = np.full(CELLS * CELLS, 1.0)
            sure[0] = 0.1  # the first cell's is the least sure of all
            xy = find_keypoints(
                monkeypatch, tmp_path, heats.reshape(CELLS, CELLS), sure.reshape(CELLS, CELLS).astype(np.float32)
            )
            assert len(xy) == kept
            assert bool((xy < 8).all(axis=1).any()) is (there == kept)


def moved_aside(count: int, off_px: float = 0.0) -> tuple[CompactKeypoints, CompactKeypoints]:
    """Keypoints of points in depth in two pictures, the camera stepping to its right; the first off its line by so far.

    All lines are rows of the pictures. Each keypoint looks like its partner, and like no other.
    """
    rng = np.random.default_rng(0)
    depths = rng.uniform(2.0, 9.0, count)
    first = rng.uniform(100.0, 540.0, (count, 2))
    second = first - np.column_stack([300.0 / depths, np.zeros(count)])
    second[0, 1] += off_px
    looks = np.linalg.qr(rng.normal(size=(64, 64)))[0][np.arange(count) % 64].astype(np.float32)
    looks += 0.3 * rng.normal(size=looks.shape).astype(np.float32)
    looks /= np.linalg.norm(looks, axis=1, keepdims=True)
    return CompactKeypoints(first.astype(np.float32), looks), CompactKeypoints(second.astype(np.float32), looks)


def test_a_pair_of_learned_keypoints_has_twenty_matches(subtests, tmp_path):
    for matches, is_pair in [(19, False), (20, True)]:
        with subtests.test(matches=matches, is_pair=is_pair):
            found = XFeat(tmp_path / "none.onnx").match(*moved_aside(matches))
            assert len(found.matches) == matches
            assert bool(len(found.inliers)) is is_pair


def test_a_match_lies_within_a_pixel_and_a_half_of_its_line(subtests, tmp_path):
    for error_px, is_same in [(1.4, True), (1.6, False)]:
        with subtests.test(error_px=error_px, is_same=is_same):
            # The error is Sampson's: what is off in one of two pictures of the same scale counts by sqrt(1/2).
            found = XFeat(tmp_path / "none.onnx").match(*moved_aside(60, np.sqrt(2) * error_px))
            assert len(found.inliers) == 60 - (not is_same)
            assert bool((found.inliers[:, 0] == 0).any()) is is_same


def test_keypoints_are_the_same_from_a_cosine_of_082_on(subtests, tmp_path):
    for similarity, matches in [(0.815, 0), (0.825, 30)]:
        with subtests.test(similarity=similarity, matches=matches):
            first, second = moved_aside(30)
            looks = np.zeros((30, 64), np.float32)
            looks[np.arange(30), np.arange(30)] = 1.0
            turned = similarity * looks
            turned[np.arange(30), 30 + np.arange(30)] = np.sqrt(1 - similarity**2)
            found = XFeat(tmp_path / "none.onnx").match(
                CompactKeypoints(first.xy, looks), CompactKeypoints(second.xy, turned.astype(np.float32))
            )
            assert len(found.inliers) == matches


def unit_vectors(count, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(count, 64)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_a_pixel_of_a_cell_becomes_that_pixel_of_the_picture():
    logits = np.zeros((65, 80, 80), np.float32)
    logits[3 * 8 + 5, 10, 20] = 20.0
    heat = heat_map(logits)
    assert heat.shape == (SIDE, SIDE)
    assert np.unravel_index(heat.argmax(), heat.shape) == (10 * 8 + 3, 20 * 8 + 5)
    assert heat.max() == pytest.approx(1.0, abs=1e-3)


def test_a_peak_is_found_between_pixels(subtests):
    for offset in [(0.0, 0.0), (0.3, -0.2), (-0.4, 0.1)]:
        with subtests.test(offset=offset):
            y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float64)
            heat = np.exp(-((x - 100 - offset[0]) ** 2 + (y - 50 - offset[1]) ** 2) / (2 * 0.7**2)).astype(np.float32)
            (found,) = refine_peaks(heat, np.array([[100, 50]]))
            assert found == pytest.approx([100 + offset[0], 50 + offset[1]], abs=0.12)


def test_vectors_survive_storage_and_keep_their_length():
    vectors = unit_vectors(200)
    stored = pack_signed(vectors)
    assert stored.shape == (200, 128)
    assert np.abs(unpack_signed(stored) / 512.0 - vectors).max() < 0.002
    assert np.linalg.norm(stored / 512.0, axis=1) == pytest.approx(np.ones(200), abs=0.01)


def test_axes_of_a_tour_change_no_angle_between_vectors(tmp_path):
    vectors = unit_vectors(300)
    stored = pack_signed(vectors)
    compact = XFeat(tmp_path / "none.onnx").space(stored).compact(Keypoints(np.zeros((300, 2), np.float32), stored))
    assert np.abs(compact.vectors @ compact.vectors.T - vectors @ vectors.T).max() < 0.01


def test_only_mutual_and_alike_vectors_match():
    first = unit_vectors(3)
    second = np.stack([first[2], -first[1], first[0]])
    assert match_alike(first, second).tolist() == [[0, 2], [2, 0]]
    assert match_alike(first[:0], second).shape == (0, 2)
