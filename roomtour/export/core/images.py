"""Pictures of a run on their way into a dataset: only whole ones leave."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from recon.picture_faults import find_picture_fault
from roomtour.errors import RoomtourError
from roomtour.export.core.records import RunData

_AGAIN = "Run roomtour process again to make it"


def read_picture(path: Path, tour: str) -> bytes:
    """The bytes of a picture that is whole.

    Raises:
        RoomtourError: If it is gone, cut short, or no picture.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise RoomtourError(f"tour {tour}: {path} is missing. {_AGAIN}") from error
    fault = find_picture_fault(data)
    if fault is not None:
        raise RoomtourError(f"tour {tour}: {path} {fault}. {_AGAIN}")
    return data


def copy_frame(run: RunData, frame: int, target: Path) -> None:
    """Copy the image of one frame.

    Raises:
        RoomtourError: If the run's image is gone or damaged.
    """
    target.write_bytes(read_picture(run.frames_dir / run.scene.frame_by_index[frame].image, run.scene.id))


def copy_frames(run: RunData, frames: Iterable[int], folder: Path) -> None:
    """Copy images under their own names; those already there are left."""
    folder.mkdir(parents=True, exist_ok=True)
    for frame in frames:
        target = folder / run.scene.frame_by_index[frame].image
        if not target.exists():
            copy_frame(run, frame, target)
