"""Which pixels of a picture show the floor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array

FloorMask = NDArray[np.bool_]  # (h, w) over the whole picture, at any size: where it shows the floor


def look_up(mask: FloorMask, xy: Array, size: tuple[int, int]) -> NDArray[np.bool_]:
    """(K,) What a mask says at pixels (K, 2) of a picture of some width and height."""
    ratio = np.array([mask.shape[1] / size[0], mask.shape[0] / size[1]])
    columns, rows = np.clip((xy * ratio).astype(np.int64), 0, np.array(mask.shape[::-1]) - 1).T
    return mask[rows, columns]
