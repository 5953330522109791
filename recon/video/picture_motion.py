"""How fast a video's picture moves, and whether corners can be followed from one picture to the next.

More frames are kept where the camera turns fast: neighbouring frames that share half of what they see match well; those
that share a quarter hardly do. On an office walk at 3 frames per second, pairs whose picture had moved by a tenth of
its longer side had 250 to 400 verified matches, those that had moved by 0.3 to 0.5 had 90, and mapping broke into seven
models there.

In one take corners live on from picture to picture, in a blurred whip of the camera as badly before and after as in the
middle. Across an edit they are lost at once, although they could be followed on both sides, and however alike the two
pictures are in colour. Light that is switched on takes them as well, so local brightness and contrast are taken out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
        gray: Image = cv2.cvtColor(thumb_bgr, cv2.COLOR_BGR2GRAY)  # pyright: ignore[reportAssignmentType]
        if self._before is not None:
            shift = _shift(self._before[1], gray)
            self._speed = self._speed if shift is None else shift / (time_s - self._before[0])
        self._before = (time_s, gray)
        return self._speed


def find_corners(gray: Image) -> NDArray | None:
    """The best corners (N, 1, 2) of a thumbnail, five pixels apart; None if it has none."""
    return cv2.goodFeaturesToTrack(gray, maxCorners=_MOST_CORNERS, qualityLevel=0.01, minDistance=5)


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


_LEAST_FOLLOWED_CORNERS = 30  # in each of the pictures; fewer say nothing. Set by hand.
_MOST_KEPT = 0.7
"""Of what is followed around. On made edits of two tours 900 changes that were none kept 0.75 or more, 86 edits between
places and all but six within one place less."""
_LEAST_AROUND = 0.5
"""Share that is followed in the worst of the pairs around: in a whip of the camera a further loss says nothing."""
_AGREES_PX = 1.5  # of thumbnails of 90 lines, off one plane; set by hand
_FINE_PX, _LOCAL_PX = 6.0, 12.0  # what is finer counts; over what its contrast is taken (thumbnails of 90 lines)


@dataclass(frozen=True)
class Tracking:
    """How well corners are followed across one change of the picture."""

    kept: float  # share of the corners that are followed across it, forwards or backwards, whichever is more
    around: float  # the same for the worst of the four pairs of pictures around it
    agreeing: float
    """Share of the corners that move across it as one plane does: much only where both pictures show one place."""

    @property
    def is_broken(self) -> bool:
        """Whether the corners are lost here and not around."""
        return self.around >= _LEAST_AROUND and self.kept <= _MOST_KEPT * self.around


def track_change(grays: Sequence[Image]) -> Tracking | None:
    """Measure the change from the third to the fourth of six pictures.

    Returns:
        None if corners are followed across the change well enough for any take (nothing else is looked at then), or if
        one of the pictures has too few of them to tell.
    """
    flat = [flatten_contrast(gray) for gray in grays[2:4]]
    forwards = _follow(*flat)
    if forwards is None or forwards[0] > _MOST_KEPT:
        return None
    backwards = _follow(*flat[::-1])
    if backwards is None or backwards[0] > _MOST_KEPT:
        return None
    change = (max(forwards[0], backwards[0]), max(forwards[1], backwards[1]))
    flat = [*map(flatten_contrast, grays[:2]), *flat, *map(flatten_contrast, grays[4:])]
    ways = [(_follow(flat[k], flat[k + 1]), _follow(flat[k + 1], flat[k])) for k in (0, 1, 3, 4)]
    around = [max(there[0], back[0]) for there, back in ways if there is not None and back is not None]
    return Tracking(change[0], min(around), change[1]) if len(around) == len(ways) else None


def find_fine_detail(gray: Image) -> NDArray[np.float32]:
    """What of a picture is finer than smooth shading, in gray levels, (h, w)."""
    values = gray.astype(np.float32)
    return values - cv2.GaussianBlur(values, (0, 0), _FINE_PX)


def flatten_contrast(gray: Image) -> Image:
    """The fine detail of a picture, everywhere with the same contrast."""
    fine = find_fine_detail(gray)
    contrast = np.sqrt(cv2.GaussianBlur(fine * fine, (0, 0), _LOCAL_PX)) + 2.0
    return np.clip(128.0 + 40.0 * fine / contrast, 0, 255).astype(np.uint8)


def _follow(before: Image, after: Image) -> tuple[float, float] | None:
    """Share of the corners of `before` that are followed, and that agree on a plane; None for too few corners."""
    corners = find_corners(before)
    if corners is None or len(corners) < _LEAST_FOLLOWED_CORNERS:
        return None
    moved, kept = track_corners(before, after, corners)
    if kept.sum() < 4:
        return float(kept.mean()), 0.0
    cv2.setRNGSeed(0)
    _, agree = cv2.findHomography(corners[kept], moved[kept], cv2.RANSAC, _AGREES_PX)
    return float(kept.mean()), 0.0 if agree is None else float(agree.sum()) / len(corners)
