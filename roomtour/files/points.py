"""Measured points of a run folder: one file per model, and none where no depth was measured."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np

from recon.arrays import load_arrays
from recon.records import Tracks
from roomtour.errors import RoomtourError

_NAMES = tuple(field.name for field in fields(Tracks))


def write_points(folder: Path, model: str, points: Tracks) -> None:
    """Write the points of a model."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / f"{model}.npz", **{name: getattr(points, name) for name in _NAMES})


def read_points(folder: Path, model: str) -> Tracks | None:
    """The points of a model; None where it has none.

    Raises:
        RoomtourError: If the file is damaged.
    """
    path = folder / f"{model}.npz"
    if not path.is_file():
        return None
    try:
        return Tracks(*load_arrays(path, _NAMES))
    except (OSError, ValueError) as error:
        raise RoomtourError(f"{path}: cannot be read as points: {error}; see roomtour check") from error
