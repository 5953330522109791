"""Places of a picture at which a mark means one surface: those around which depth is smooth."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array

_GRID_SHARE = 1 / 30
"""Of the shorter side: between places that are tried ..."""
_SMOOTH = 1.25
"""... around which depth differs by no more than this factor: beside an edge nobody knows which surface is meant."""


def find_smooth_places(depth: NDArray[np.float32]) -> Array:
    """Pixels (N, 2) on a grid over a depth map (height, width) with NaN where unknown; centres at +0.5."""
    step = max(2, round(min(depth.shape) * _GRID_SHARE))
    known = np.where(np.isfinite(depth), depth, 0.0).astype(np.float32)
    kernel = np.ones((step // 2 * 2 + 1,) * 2, np.uint8)
    low, high = cv2.erode(known, kernel), cv2.dilate(known, kernel)
    height, width = depth.shape
    rows, columns = (grid.ravel() for grid in np.mgrid[step : height - step : step, step : width - step : step])
    smooth = (low[rows, columns] > 0) & (high[rows, columns] <= _SMOOTH * low[rows, columns])
    return np.column_stack([columns[smooth], rows[smooth]]) + 0.5
