"""Point clouds of a run copied into a dataset."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from roomtour.errors import RoomtourError
from roomtour.export.core.records import RunData


def copy_clouds(run: RunData, names: Iterable[str], folder: Path) -> None:
    """Copy clouds as `FOLDER/NAME.npy`.

    Raises:
        RoomtourError: If the run's file is gone.
    """
    known = {cloud.name: cloud for cloud in run.clouds}
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        source = run.frames_dir.parent / "dialogues" / known[name].path if name in known else None
        if source is None or not source.is_file():
            raise RoomtourError(f"tour {run.scene.id}: cloud {name} is missing; make it again with: roomtour make RUN")
        shutil.copyfile(source, folder / f"{name}.npy")
