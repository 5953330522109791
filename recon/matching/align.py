"""Learned keypoints to a fraction of a pixel: where the picture around a match is the same, not where it looks alike.

A network finds the keypoints of each picture by itself, to about a pixel. That is enough to register frames, and too
coarse for scale where the camera turns past something bare: there it moves by centimetres between two frames, some
pixels of parallax, and what is invented in a turn stays in the walk. The pictures know better: the later keypoint of a
match is moved to where its surroundings fit those of the earlier one best, with the later picture turned into the
earlier one's view by the homography of their matches first. What its detection says counts too, and is all that counts
along an edge or where the surroundings show nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array
from recon.matching.interfaces import Keypoints, PairMatch
from recon.matching.pairs import Pair
from recon.pictures import read_picture_file
from recon.records import Frame
from recon.video.picture import Image

WINDOW_PX = 17
"""Side of what has to fit: bare walls show little in less, and more reaches beyond a surface."""
_FOUND_PX = 1.0
"""Standard deviation of a keypoint as it was found."""
_LEAST_NOISE = 1.0
"""Of a pixel (0..255) where the surroundings fit better than that."""
_AS_ONE = 9.0
"""Pixels whose errors are one: compression and blur make neighbours wrong alike. Set by hand."""
_STEPS = 8
"""Of Gauss and Newton: from a pixel off, later ones change nothing that counts. Set by hand."""
_FARTHEST_PX = 3.0
"""A keypoint that would move further was another one."""
_LEAST_ALIKE = 0.7
"""Correlation of the surroundings at the end; below it they show different things."""
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
        pairs: Their verified matches, of neighbours: the pictures between are kept in memory.

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
    """Where in the second picture the surroundings of points of the first lie, near where they were found.

    Args:
        first: (H, W) grey.
        second: (H, W) grey.
        first_xy: (M, 2) pixels, pixel centres at +0.5.
        second_xy: (M, 2) the same in the second.

    Returns:
        (M, 2) places and (M,) whether they are believed.
    """
    start, found = (np.asarray(xy, np.float64) - 0.5 for xy in (first_xy, second_xy))
    second_from_first, _ = cv2.findHomography(
        start, found, method=cv2.USAC_MAGSAC, ransacReprojThreshold=_HOMOGRAPHY_PX, maxIters=500, confidence=0.99
    )
    if second_from_first is None:
        return np.asarray(second_xy), np.zeros(len(start), bool)
    height, width = first.shape
    turned = cv2.warpPerspective(
        second, second_from_first, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    )
    near = _transform(np.linalg.inv(second_from_first), found)
    there, alike = _fit(first.astype(np.float32), turned.astype(np.float32), start, near)
    moved = _transform(second_from_first, there)
    fits = (alike > _LEAST_ALIKE) & (np.linalg.norm(there - near, axis=1) < _FARTHEST_PX)
    for xy in (start, near, moved):
        fits &= (xy > WINDOW_PX / 2).all(axis=1) & (xy < np.array([width, height]) - WINDOW_PX / 2).all(axis=1)
    return moved + 0.5, fits


def _fit(first: NDArray[Any], second: NDArray[Any], start: Array, near: Array) -> tuple[Array, Array]:
    """Where surroundings (M, 2) of the first picture lie in the second, and how alike they are there (M,).

    Gauss and Newton on the squared difference of the surroundings, without their mean, and of the way from `near`.
    """
    smooth = cv2.GaussianBlur(first, (0, 0), 0.8)
    kernel = np.array([[-0.5, 0.0, 0.5]], np.float32)
    template = _cut(first, start)
    slopes = np.stack([_cut(cv2.filter2D(smooth, -1, by), start) for by in (kernel, kernel.T)], axis=1)
    slopes -= slopes.mean(axis=2, keepdims=True)
    template -= template.mean(axis=1, keepdims=True)
    texture = np.einsum("mip,mjp->mij", slopes, slopes)
    there = near.copy()
    held = np.eye(2) / _FOUND_PX**2
    shown = template
    for _ in range(_STEPS):
        shown = _cut(second, there)
        shown -= shown.mean(axis=1, keepdims=True)
        off = template - shown
        weight = 1.0 / (_AS_ONE * np.maximum(np.mean(off**2, axis=1), _LEAST_NOISE**2))
        pull = weight[:, None] * np.einsum("mip,mp->mi", slopes, off) + (near - there) / _FOUND_PX**2
        step = np.linalg.solve(weight[:, None, None] * texture + held, pull[:, :, None])[:, :, 0]
        there = there + np.clip(step, -1.0, 1.0)
    lengths = np.linalg.norm(template, axis=1) * np.linalg.norm(shown, axis=1)
    return there, np.einsum("mp,mp->m", template, shown) / np.maximum(lengths, 1e-9)


def _cut(picture: NDArray[Any], middles: Array) -> Array:
    """(M, P) The surroundings of places (M, 2) in a picture."""
    reach = np.arange(WINDOW_PX) - WINDOW_PX // 2
    columns = np.tile(reach, WINDOW_PX)[None] + middles[:, :1]
    rows = np.repeat(reach, WINDOW_PX)[None] + middles[:, 1:]
    cut = cv2.remap(
        picture,
        columns.astype(np.float32),
        rows.astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(cut, np.float64)


def _transform(homography: NDArray[Any], xy: Array) -> Array:
    moved = np.column_stack([xy, np.ones(len(xy))]) @ homography.T
    return moved[:, :2] / moved[:, 2:]


def _read(path: Path) -> Image:
    picture = read_picture_file(path, cv2.IMREAD_GRAYSCALE)
    assert picture is not None  # its keypoints were found in it
    return picture.astype(np.uint8, copy=False)
