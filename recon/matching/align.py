"""Learned keypoints to a fraction of a pixel: where the picture around a match is the same, not where it looks alike.

A network finds the keypoints of each picture by itself, to about a pixel. That is enough to register frames, and too
coarse for scale where the camera turns past something bare: there it moves by centimetres between two frames, some
pixels of parallax, and what is invented in a turn stays in the walk. The pictures know better: the later keypoint of a
match is moved to where its surroundings fit those of the earlier one best (Lucas and Kanade), with the later picture
turned into the earlier one's view by the homography of their matches first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array
from recon.matching.interfaces import Keypoints, PairMatch
from recon.matching.pairs import Pair
from recon.pictures import read_picture_file
from recon.records import Frame
from recon.video.picture import Image

WINDOW_PX = 21
"""Side of what has to fit: bare walls show little in less."""
_STEPS = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 30, 0.005)
_FARTHEST_PX = 3.0
"""A keypoint that would move further was another one."""
_RETURN_PX = 0.3
"""From the later picture back to the earlier one, a point has to come back to where it was."""
_LEAST_GRADIENT = 1e-5
"""Least eigenvalue of the gradients around a point: below, nothing there tells a place. OpenCV's own is 1e-4, and bare
walls have less."""
_LEAST_MATCHES = 8
"""Of two frames whose homography is asked for."""
_HOMOGRAPHY_PX = 8.0
"""A rough one will do: it only turns and scales what is compared."""


def align_keypoints(
    pictures_dir: Path,
    frames: Sequence[Frame],
    keypoints: Mapping[int, Keypoints],
    pairs: Mapping[Pair, PairMatch],
) -> dict[int, Keypoints]:
    """The keypoints of frames with each moved to where its nearest earlier match says.

    Args:
        pictures_dir: Pictures by the frames' names, of any size.
        frames: In time order.
        keypoints: Of each frame, in pixels of the frame.
        pairs: Their verified matches.

    Returns:
        As many keypoints in the same order. One without an earlier match, or whose surroundings do not fit, stays.
    """
    earlier: dict[int, list[int]] = defaultdict(list)
    for first, second in pairs:
        earlier[second].append(first)
    pictures: dict[int, Image] = {}
    aligned: dict[int, Keypoints] = {}
    reach = max((second - first for first, second in pairs), default=0)
    for frame in frames:
        index = frame.index
        xy = keypoints[index].xy.astype(np.float32).copy()
        pictures[index] = _read(pictures_dir / frame.image)
        ratio = pictures[index].shape[1] / frame.width
        is_done = np.zeros(len(xy), bool)
        for first in sorted(earlier[index], reverse=True):
            rows = pairs[first, index].inliers
            rows = rows[~is_done[rows[:, 1]]]
            if len(rows) < _LEAST_MATCHES:
                continue
            before = aligned[first].xy[rows[:, 0]]
            moved, fits = align_matches(pictures[first], pictures[index], ratio * before, ratio * xy[rows[:, 1]])
            xy[rows[fits, 1]] = moved[fits] / ratio
            is_done[rows[fits, 1]] = True
        aligned[index] = replace(keypoints[index], xy=xy)
        pictures = {known: picture for known, picture in pictures.items() if known > index - reach}
    return aligned


def align_matches(first: Image, second: Image, first_xy: Array, second_xy: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Where in the second picture the surroundings of points of the first lie, near where they are thought to be.

    Args:
        first: (H, W) grey.
        second: (H, W) grey.
        first_xy: (M, 2) pixels, pixel centres at +0.5.
        second_xy: (M, 2) the same in the second.

    Returns:
        (M, 2) places and (M,) whether they are believed.
    """
    start, guess = (np.asarray(xy, np.float64) - 0.5 for xy in (first_xy, second_xy))
    second_from_first, _ = cv2.findHomography(
        start, guess, method=cv2.USAC_MAGSAC, ransacReprojThreshold=_HOMOGRAPHY_PX, maxIters=500, confidence=0.99
    )
    if second_from_first is None:
        return np.asarray(second_xy), np.zeros(len(start), bool)
    height, width = first.shape
    turned = cv2.warpPerspective(
        second, second_from_first, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    )
    near = _transform(np.linalg.inv(second_from_first), guess)
    there, seen = _follow(first, turned, start, near)
    back, seen_back = _follow(turned, first, there, start)
    moved = _transform(second_from_first, there)
    fits = seen & seen_back
    fits &= np.linalg.norm(back - start, axis=1) < _RETURN_PX
    fits &= np.linalg.norm(moved - guess, axis=1) < _FARTHEST_PX
    return moved + 0.5, fits


def _follow(first: Image, second: Image, start: Array, guess: Array) -> tuple[Array, NDArray[np.bool_]]:
    flow = cv2.calcOpticalFlowPyrLK(  # pyright: ignore[reportCallIssue]
        first,
        second,
        start.astype(np.float32)[:, None],
        guess.astype(np.float32)[:, None].copy(),
        winSize=(WINDOW_PX, WINDOW_PX),
        maxLevel=0,
        criteria=_STEPS,
        flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
        minEigThreshold=_LEAST_GRADIENT,
    )
    return np.asarray(flow[0], np.float64)[:, 0], flow[1][:, 0] > 0


def _transform(homography: Array, xy: Array) -> Array:
    moved = np.column_stack([xy, np.ones(len(xy))]) @ homography.T
    return moved[:, :2] / moved[:, 2:]


def _read(path: Path) -> Image:
    picture = read_picture_file(path, cv2.IMREAD_GRAYSCALE)
    assert picture is not None  # its keypoints were found in it
    return picture.astype(np.uint8, copy=False)
