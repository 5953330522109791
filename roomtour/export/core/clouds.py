"""Point clouds of a run copied into a dataset."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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


def _find(run: RunData, name: str) -> Path:
    cloud = next((one for one in run.clouds if one.name == name), None)
    source = run.home / "dialogues" / cloud.path if cloud is not None else None
    if source is None or not source.is_file():
        raise RoomtourError(f"tour {run.scene.id}: cloud {name} is missing; make it again with: roomtour make RUN")
    return source
