"""How fast a video's picture moves, so that more frames are kept where the camera turns fast.

Neighbouring frames that share half of what they see match well; those that share a quarter hardly do. On an office walk
at 3 frames per second, pairs whose picture had moved by a tenth of its longer side had 250 to 400 verified matches,
those that had moved by 0.3 to 0.5 had 90, and mapping broke into seven models there.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.video.picture import Image

_LOOKS_PER_S = 12.0
"""Often enough for a whip of the camera, and seldom enough that the trembling of a hand does not add up."""
_LEAST_CORNERS = 8  # of which a median is taken. Set by hand.
_PLENTY_OF_CORNERS = 60
"""Followed from picture to picture. Plain walls and doors have 15 to 40, furnished rooms the 120 that are asked for."""
_LEAST_SHARE = 0.15  # of corners that survive forward and backward tracking; below, the two pictures are unrelated


class PictureMotion:
    """Measures the speed of the picture from small copies of it; holds one of them."""

    def __init__(self) -> None:
        self._before: tuple[float, Image] | None = None
        self._speed = 0.0

    def offer(self, time_s: float, thumb_bgr: Image) -> float:
        """Take the next picture in time order.

        Returns:
            Speed over the last interval measured, in longer sides of the picture per second: the median over its
            corners, so that people who walk through do not count; up to twice that where few corners can be followed,
            because matches get few there. 0 on a blank wall; the speed before where nothing can be followed, as in a
            whip of the camera.
        """
        if self._before is not None and (time_s - self._before[0]) * _LOOKS_PER_S < 0.999:
            return self._speed
        grey: Image = cv2.cvtColor(thumb_bgr, cv2.COLOR_BGR2GRAY)  # pyright: ignore[reportAssignmentType]
        if self._before is not None:
            shift = _shift(self._before[1], grey)
            self._speed = self._speed if shift is None else shift / (time_s - self._before[0])
        self._before = (time_s, grey)
        return self._speed


def find_corners(grey: Image) -> NDArray | None:
    """The best corners (N, 1, 2) of a thumbnail, five pixels apart; None if it has none."""
    return cv2.goodFeaturesToTrack(grey, maxCorners=_MOST_CORNERS, qualityLevel=0.01, minDistance=5)


_MOST_CORNERS = 120  # of a thumbnail of 90 lines. Set by hand.


def track_corners(before: Image, after: Image, corners: NDArray) -> tuple[NDArray, NDArray[np.bool_]]:
    """Where corners (N, 1, 2) went, and which of them return to their origin within a pixel (Lucas-Kanade)."""
    moved, seen, _ = cv2.calcOpticalFlowPyrLK(before, after, corners, None, winSize=(15, 15), maxLevel=4)  # pyright: ignore[reportCallIssue, reportArgumentType]
    back, seen_back, _ = cv2.calcOpticalFlowPyrLK(after, before, moved, None, winSize=(15, 15), maxLevel=4)  # pyright: ignore[reportCallIssue, reportArgumentType]
    error_px = np.linalg.norm((corners - back).reshape(-1, 2), axis=1)
    return moved, (seen.ravel() == 1) & (seen_back.ravel() == 1) & (error_px < 1.0)


def _shift(before: Image, after: Image) -> float | None:
    """Median way of the corners that both pictures show, as a share of the longer side; None if they are lost."""
    corners = find_corners(before)
    if corners is None or len(corners) < _LEAST_CORNERS:
        return 0.0
    if before.shape != after.shape:
        return None
    moved, kept = track_corners(before, after, corners)
    if kept.sum() < _LEAST_CORNERS or kept.mean() < _LEAST_SHARE:
        return None
    way_px = np.linalg.norm((moved - corners)[kept].reshape(-1, 2), axis=1)
    plainness = np.clip(_PLENTY_OF_CORNERS / kept.sum(), 1.0, 2.0)
    return float(plainness * np.median(way_px)) / max(before.shape)
