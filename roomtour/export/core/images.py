"""Frames of a run copied into a dataset."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from roomtour.errors import RoomtourError
from roomtour.export.core.records import RunData


def copy_frame(run: RunData, frame: int, target: Path) -> None:
    """Copy the image of one frame.

    Raises:
        RoomtourError: If the run's image is gone.
    """
    source = run.frames_dir / run.scene.frame_by_index[frame].image
    if not source.is_file():
        raise RoomtourError(
            f"tour {run.scene.id}: image of frame {frame} is missing at {source}. Run roomtour process again to make it"
        )
    shutil.copyfile(source, target)


def copy_frames(run: RunData, frames: Iterable[int], folder: Path) -> None:
    """Copy images under their own names; those already there are left."""
    folder.mkdir(parents=True, exist_ok=True)
    for frame in frames:
        target = folder / run.scene.frame_by_index[frame].image
        if not target.exists():
            copy_frame(run, frame, target)
