"""How the picture moved between two frames, seen on thumbnails: a similarity for the whole, and what single parts add.

Sparse Lucas-Kanade flow on a regular grid, there and back, as in forward-backward error (Kalal, Mikolajczyk and Matas,
ICPR 2010). It costs about a millisecond, where a detector takes tens.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.records import Box
from recon.pictures import read_picture_file

_LONG_SIDE_PX = 160
_GRID = 12
"""Points along the longer side."""
_WINDOW_PX = 11
_MAX_RETURN_PX = 1.0
"""A point that does not come back this near was not followed."""
_FIT_PX = 1.8
"""Followed points this near to the similarity belong to it, in pixels of the thumbnail."""
_MIN_POINTS = 6
_MIN_OWN_POINTS = 4
"""A box with so many followed points of its own moves as their median does; near things move more than far ones."""
_MIN_LEFT = 0.3
"""A box of which less than this is still in the picture is gone."""


@dataclass(frozen=True, eq=False)
class Thumbnail:
    """A small gray picture of a frame."""

    gray: NDArray[np.uint8]  # (h, w)
    scale: float
    """Pixels of the thumbnail per pixel of the frame."""
    width: int
    height: int
    """Of the frame: sides of the thumbnail are rounded, so they do not tell."""


@dataclass(frozen=True, eq=False)
class ViewFlow:
    """From one frame to another; positions in pixels of the frames."""

    start: NDArray[np.float64]  # (n, 2)
    end: NDArray[np.float64]  # (n, 2)
    affine: NDArray[np.float64]  # (2, 3), a similarity
    width: int
    height: int
    """Of the second frame."""

    def move(self, box_xyxy: Box) -> Box | None:
        """Where a box went, clipped to the picture; None if too little of it is left."""
        x0, y0, x1, y1 = box_xyxy
        linear, shift = self.affine[:, :2], self.affine[:, 2]
        own = (self.start >= (x0, y0)).all(axis=1) & (self.start <= (x1, y1)).all(axis=1)
        if own.sum() >= _MIN_OWN_POINTS:
            shift = shift + np.median(self.end[own] - (self.start[own] @ linear.T + shift), axis=0)
        grown = float(np.hypot(linear[0, 0], linear[1, 0]))
        x, y = linear @ ((x0 + x1) / 2, (y0 + y1) / 2) + shift
        half_x, half_y = (x1 - x0) / 2 * grown, (y1 - y0) / 2 * grown
        left, right = max(0.0, float(x - half_x)), min(float(self.width), float(x + half_x))
        top, bottom = max(0.0, float(y - half_y)), min(float(self.height), float(y + half_y))
        if right - left < 1.0 or bottom - top < 1.0:
            return None
        is_left = (right - left) * (bottom - top) >= _MIN_LEFT * 4.0 * half_x * half_y
        return (left, top, right, bottom) if is_left else None


def read_thumbnail(path: Path, width: int, height: int) -> Thumbnail | None:
    """The thumbnail of a picture of that size; None if it is missing or cannot be decoded."""
    long_side = max(width, height)
    reduced = cv2.IMREAD_REDUCED_GRAYSCALE_2 if long_side < 3 * _LONG_SIDE_PX else cv2.IMREAD_REDUCED_GRAYSCALE_4
    gray = read_picture_file(path, reduced)
    if gray is None:
        return None
    scale = _LONG_SIDE_PX / long_side
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return Thumbnail(
        np.asarray(cv2.resize(gray, size, interpolation=cv2.INTER_AREA), dtype=np.uint8), scale, width, height
    )


def measure_flow(first: Thumbnail, second: Thumbnail) -> ViewFlow | None:
    """How the picture moved from one frame to another of the same size; None if nothing could be followed."""
    height, width = first.gray.shape
    step = max(height, width) / _GRID
    x, y = np.meshgrid(np.arange(step / 2, width, step), np.arange(step / 2, height, step))
    start = np.column_stack([x.ravel(), y.ravel()]).astype(np.float32)
    end, there = _follow(first.gray, second.gray, start)
    back, again = _follow(second.gray, first.gray, end)
    inside = (end >= 0).all(axis=1) & (end < (width, height)).all(axis=1)
    rows = np.flatnonzero(there & again & inside & (np.abs(back - start).max(axis=1) < _MAX_RETURN_PX))
    if len(rows) < _MIN_POINTS:
        return None
    start_px, end_px = (points[rows].astype(np.float64) / first.scale for points in (start, end))
    affine, _ = cv2.estimateAffinePartial2D(
        start_px, end_px, method=cv2.RANSAC, ransacReprojThreshold=_FIT_PX / first.scale
    )
    if affine is None:
        return None
    similarity = np.asarray(affine, dtype=np.float64)
    return ViewFlow(start_px, end_px, similarity, second.width, second.height)


def _follow(
    first: NDArray[np.uint8], second: NDArray[np.uint8], points: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    window = (_WINDOW_PX, _WINDOW_PX)
    guess = np.empty((0,), dtype=np.float32)
    moved, found, _ = cv2.calcOpticalFlowPyrLK(first, second, points[:, None], guess, winSize=window, maxLevel=3)
    return np.asarray(moved[:, 0], dtype=np.float32), np.asarray(found[:, 0] == 1)
