"""Point clouds of a run folder: (N, 6) numbers, x y z and a colour."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recon.arrays import load_array
from roomtour.errors import RoomtourError


def read_cloud_file(path: Path) -> NDArray[np.float32]:
    """The points, float32 (N, 6), N at least 1.

    Raises:
        RoomtourError: If the file is gone, is no array, or has another shape or kind of numbers.
    """
    again = "make it again: roomtour make RUN --data dialogues"
    try:
        points = load_array(path)
    except (OSError, ValueError) as error:
        raise RoomtourError(f"{path}: cannot be read as an array: {error}; {again}") from error
    if points.dtype != np.float32 or points.ndim != 2 or points.shape[1] != 6 or not len(points):
        raise RoomtourError(f"{path}: is {points.dtype} {points.shape}, need float32 (N, 6); {again}")
    if not np.isfinite(points).all():
        raise RoomtourError(f"{path}: holds values that are not finite; {again}")
    return points
