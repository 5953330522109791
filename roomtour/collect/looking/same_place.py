"""Whether two pictures show one place: by points of one that the other shows, as seen by one camera that moved."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

_POINTS, _RATIO = 1200, 0.85
"""Strongest points of a picture, and how much nearer the nearest match has to be than the next."""
_LEAST, _ERROR_PX = 8, 1.5
"""Matches that fix how the camera moved, and how far others may be off it."""


@dataclass(frozen=True)
class PicturePoints:
    """Points of one picture and what they look like."""

    at_px: NDArray[np.float32]  # (n, 2)
    look: NDArray[np.float32]  # (n, 128), rows of length 1


def find_points(grey: NDArray[np.uint8]) -> PicturePoints:
    """The strongest points of a picture."""
    found, look = cv2.SIFT.create(_POINTS).detectAndCompute(grey, None)
    if look is None:
        return PicturePoints(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.float32))
    rooted = np.sqrt(look / np.maximum(look.sum(axis=1, keepdims=True), 1e-9))
    return PicturePoints(np.array([point.pt for point in found], np.float32), rooted.astype(np.float32))


def count_common(one: PicturePoints, other: PicturePoints) -> int:
    """Points that both pictures show, where one movement of the camera explains them; about a dozen by chance."""
    if min(len(one.at_px), len(other.at_px)) < _LEAST:
        return 0
    cosines = one.look @ other.look.T
    there, back = cosines.argmax(axis=1), cosines.argmax(axis=0)
    mutual = np.flatnonzero(back[there] == np.arange(len(there)))
    nearest = np.sqrt(np.maximum(2 - 2 * np.sort(cosines[mutual], axis=1)[:, -2:], 0.0))
    kept = mutual[nearest[:, 1] < _RATIO * nearest[:, 0]]
    if len(kept) < _LEAST:
        return 0
    cv2.setRNGSeed(0)
    _, is_explained = cv2.findFundamentalMat(
        one.at_px[kept], other.at_px[there[kept]], cv2.USAC_MAGSAC, _ERROR_PX, 0.999, 2000
    )
    return 0 if is_explained is None else int(is_explained.sum())
