"""Choose keypoints that cover the picture: the strongest alone crowd on one poster and leave the walls to chance.

On the made apartment, 1300 keypoints chosen so gave 0.3 to 0.7 cm where the 2000 strongest gave 2.0 and the 1300
strongest 2.1, at three quarters of the CPU time of matching and mapping.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_CELLS = 6  # along the shorter side
CANDIDATES = 1.5
"""Keypoints to choose from, per keypoint kept: all that there are would bring in the weak ones of blank walls, with
which the office walk bent by 1.6 m."""


def spread_over_picture(
    xy: NDArray[np.float32] | NDArray[np.int64], size: tuple[int, int], count: int
) -> NDArray[np.int64]:
    """Choose `count` keypoints, evenly over the cells of a grid and the strongest of each cell.

    Args:
        xy: (K, 2) pixels, the strongest keypoint first.
        size: (width, height) of the picture.
        count: How many; all are chosen if there are no more.

    Returns:
        Rows of `xy` in rising order, so that the strongest chosen one is first.
    """
    if len(xy) <= count:
        return np.arange(len(xy))
    side = min(size) / _CELLS
    columns = int(size[0] // side) + 1
    cell = (xy[:, 1] // side).astype(np.int64) * columns + (xy[:, 0] // side).astype(np.int64)
    by_cell = np.argsort(cell, kind="stable")
    begins = np.flatnonzero(np.diff(cell[by_cell], prepend=-1))
    lengths = np.diff(np.append(begins, len(cell)))
    rank = np.empty(len(cell), np.int64)  # place among the keypoints of the same cell
    rank[by_cell] = np.arange(len(cell)) - np.repeat(begins, lengths)
    return np.sort(np.argsort(rank, kind="stable")[:count])
