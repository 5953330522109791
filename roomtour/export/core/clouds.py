"""Point clouds of a run copied into a dataset."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
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


def copy_clouds(run: RunData, names: Iterable[str], folder: Path) -> None:
    """Copy clouds as `FOLDER/NAME.npy`.

    Raises:
        RoomtourError: If the run's file is gone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copyfile(_find(run, name), folder / f"{name}.npy")


def _find(run: RunData, name: str) -> Path:
    cloud = next((one for one in run.clouds if one.name == name), None)
    source = run.home / "dialogues" / cloud.path if cloud is not None else None
    if source is None or not source.is_file():
        raise RoomtourError(f"tour {run.scene.id}: cloud {name} is missing; make it again with: roomtour make RUN")
    return source
