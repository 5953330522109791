"""Arrays of a run folder: depth maps, every fourth pixel, NaN where unknown; point clouds with colours; and measured
points, a file per model, none where no depth was measured.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recon.arrays import load_array, load_arrays, to_half
from recon.records import Tracks
from roomtour.errors import RoomtourError

_TRACKS = tuple(field.name for field in fields(Tracks))
STEP_PX = 4
"""Tracks lie further apart than this, so a denser grid would only store the interpolation."""


def depth_path(folder: Path, frame: int) -> Path:
    """Where the map of a frame lies; a frame without poses has none."""
    return folder / f"{frame:06d}.npz"


def write_depth_map(folder: Path, frame: int, depth: NDArray[np.float32]) -> None:
    """Write one map (h, w), sampled at every `STEP_PX`-th pixel; depth too large for half precision is unknown."""
    np.savez_compressed(depth_path(folder, frame), depth=to_half(depth, beyond=np.nan), step_px=STEP_PX)


def read_depth(folder: Path, frame: int) -> NDArray[np.float32]:
    """Depth (h, w) at the centres of every `STEP_PX`-th pixel of one frame.

    Raises:
        RoomtourError: If the file is gone or damaged.
    """
    path = depth_path(folder, frame)
    try:
        (depth,) = load_arrays(path, ("depth",))
    except (OSError, ValueError) as error:
        raise RoomtourError(f"{path}: cannot be read as a depth map: {error}; see roomtour check") from error
    if depth.ndim != 2 or depth.dtype.kind != "f":
        raise RoomtourError(f"{path}: is {depth.dtype} {depth.shape}, need (height, width) depths; see roomtour check")
    return depth.astype(np.float32)


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


def write_points(folder: Path, model: str, points: Tracks) -> None:
    """Write the points of a model."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / f"{model}.npz", **{name: getattr(points, name) for name in _TRACKS})


def read_points(folder: Path, model: str) -> Tracks | None:
    """The points of a model; None where it has none.

    Raises:
        RoomtourError: If the file is damaged.
    """
    path = folder / f"{model}.npz"
    if not path.is_file():
        return None
    try:
        return Tracks(*load_arrays(path, _TRACKS))
    except (OSError, ValueError) as error:
        raise RoomtourError(f"{path}: cannot be read as points: {error}; see roomtour check") from error
