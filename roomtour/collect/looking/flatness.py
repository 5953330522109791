"""Whether a video shows still pictures that are moved, or a camera that walks: only a walk has parallax."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.pictures import read_picture_file
from recon.records import Frame
from recon.tasks import fixed_threads
from roomtour.artifacts import FRAMES

_STEP_S, _SIDE_PX = 0.6, 360
_MOST_PAIRS = 60
_LEAST_POINTS = 40
_LEAST_MOVE_PX = 2.0
"""Median move of the points below which a pair says nothing."""
_ERROR_PX = 0.7
_FLAT = 0.9
"""Share of the points that one turn, shift and change of size explains, above which a pair has no parallax. Of walks
at most 0.55 in nine of ten pairs, of moved pictures all."""


def measure_flatness(run: Path, frames: Sequence[Frame]) -> tuple[float, int]:
    """Share of the pairs of neighbouring frames without parallax, of those that move, and how many those are.

    Args:
        run: Run folder with the frames of the pipeline's first stage.
        frames: In time order.
    """
    chosen: list[Frame] = []
    for frame in frames:
        if not chosen or frame.time_s - chosen[-1].time_s >= _STEP_S or frame.shot != chosen[-1].shot:
            chosen.append(frame)
    pairs = [pair for pair in pairwise(chosen) if pair[0].shot == pair[1].shot]
    places = np.unique(np.linspace(0, len(pairs) - 1, _MOST_PAIRS).astype(int)) if pairs else ()
    pairs = [pairs[place] for place in places]
    with fixed_threads():
        shares = [_share_explained(*(_read(run / FRAMES.path / frame.image) for frame in pair)) for pair in pairs]
    moving = [share for share in shares if share is not None]
    return (float(np.mean([share > _FLAT for share in moving])) if moving else 0.0), len(moving)


def _read(path: Path) -> NDArray[np.uint8] | None:
    picture = read_picture_file(path, cv2.IMREAD_GRAYSCALE)
    if picture is None:
        return None
    ratio = min(1.0, _SIDE_PX / max(picture.shape[:2]))
    return np.asarray(cv2.resize(picture, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA), np.uint8)


def _share_explained(first: NDArray[np.uint8] | None, second: NDArray[np.uint8] | None) -> float | None:
    """Of the points followed from one picture to the next; None if too few are, or nothing moves."""
    if first is None or second is None:
        return None
    corners = cv2.goodFeaturesToTrack(first, 300, 0.01, 6)
    if corners is None or len(corners) < _LEAST_POINTS:
        return None
    points = np.asarray(corners, np.float32)
    there, found = _follow(first, second, points)
    back, found_back = _follow(second, first, there)
    sure = found & found_back & (np.abs(back - points).max(axis=(1, 2)) < 0.5)
    if sure.sum() < _LEAST_POINTS:
        return None
    start, end = points[sure, 0], there[sure, 0]
    if float(np.median(np.linalg.norm(end - start, axis=1))) < _LEAST_MOVE_PX:
        return None
    motion, _ = cv2.estimateAffinePartial2D(start, end, method=cv2.RANSAC, ransacReprojThreshold=_ERROR_PX)
    if motion is None:
        return 0.0
    errors = np.linalg.norm(start @ motion[:, :2].T + motion[:, 2] - end, axis=1)
    return float((errors < _ERROR_PX).mean())


def _follow(
    first: NDArray[np.uint8], second: NDArray[np.uint8], points: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    guess = cast(NDArray[np.float32], None)  # OpenCV's stubs know no call without one
    there, found, _ = cv2.calcOpticalFlowPyrLK(first, second, points, guess, winSize=(21, 21), maxLevel=4)
    return np.asarray(there, np.float32), np.asarray(found)[:, 0] == 1
