"""Point clouds of a run copied into a dataset."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recon.arrays import load_array
from roomtour.errors import RoomtourError
from roomtour.export.core.records import RunData
from roomtour.files.arrays import read_cloud_file


def read_cloud(run: RunData, name: str) -> NDArray[np.float32]:
    """The points of a cloud, float32 (N, 6).

    Raises:
        RoomtourError: If the run's file is gone or damaged.
    """
    return read_cloud_file(_find(run, name))


def copy_cloud(run: RunData, name: str, folder: Path) -> str:
    """Name of a cloud's file in a folder, where it is copied once.

    Raises:
        RoomtourError: If the run's file is gone.
    """
    file = f"{name}.npy"
    if not (folder / file).exists():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_find(run, name), folder / file)
    return file


def find_cloud_fault(file: Path, rows: int | None = None) -> str | None:
    """What keeps a file from being a cloud, float32 (N, 6) without pickle.

    Args:
        file: Of a dataset.
        rows: How many there have to be; any number if None, and then colors are from 0 to 255, else from 0 to 1.
    """
    try:
        cloud = load_array(file)
    except (OSError, ValueError) as error:
        return str(error)
    if cloud.dtype != np.float32 or cloud.ndim != 2 or cloud.shape != (rows or len(cloud), 6):
        return f"{cloud.dtype} {cloud.shape}"
    if rows and (not np.isfinite(cloud).all() or cloud[:, 3:].min() < 0 or cloud[:, 3:].max() > 1):
        return "values that are not finite, or colours beyond 0 to 1"
    return None


def _find(run: RunData, name: str) -> Path:
    cloud = next((one for one in run.clouds if one.name == name), None)
    source = run.home / "dialogues" / cloud.path if cloud is not None else None
    if source is None or not source.is_file():
        raise RoomtourError(f"tour {run.scene.id}: cloud {name} is missing; make it again with: roomtour make RUN")
    return source
