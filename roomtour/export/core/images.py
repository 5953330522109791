"""Pictures of a run on their way into a dataset: only whole ones leave, without what should not leave the house."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from instructions.perception.hiding.words import split_words
from recon.picture_faults import find_picture_fault
from roomtour.errors import RoomtourError
from roomtour.export.core.ledger import Ledger
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


def image_of(run: RunData, frame: int) -> str:
    """Path of a frame below `images/`."""
    return f"{run.scene.id}/{run.scene.frame_by_index[frame].image}"


def show_frame(run: RunData, frame: int, dataset: Path, *, copy: bool = True) -> str:
    """Path of a frame below `images/` of a dataset, in which its picture then lies unless it is not to be copied."""
    if copy:
        copy_frames(run, [frame], dataset / "images" / run.scene.id)
    return image_of(run, frame)


NAMES = "pictures.csv"
"""Which picture of the user's folder each frame was made of."""


def write_picture_names(run: RunData, folder: Path) -> None:
    """Write `NAMES`: frame, its image and time, and the user's own picture; nothing for frames of a video."""
    if not any(frame.source for frame in run.scene.frames):
        return
    with (folder / NAMES).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("frame", "image", "time_s", "source"))
        table.writerows((one.index, one.image, one.time_s, one.source) for one in run.scene.frames)


def hide_in_pictures(run: RunData, asked: str, folder: Path, ledger: Ledger) -> RunData:
    """The run with pictures in which what is asked for, or what it was processed with, is pixelated.

    Args:
        run: With the pictures of its run folder, which stay as they are.
        asked: Such as `person,screen`; empty for what the run was processed with.
        folder: Gets the copies, in a folder of the tour's name.
        ledger: Counts pictures, and tells the card what was done.

    Raises:
        InstructionError: If the light models are not on this machine, or a picture cannot be decoded.
    """
    options = run.provenance.get("options")
    kept = options.get("hide") if isinstance(options, Mapping) else None
    words = split_words(f"{asked},{kept or ''}")
    if not words:
        return run
    from instructions.perception.hiding.find import make_task
    from instructions.perception.hiding.pixelate import copy_hidden

    own = folder / run.scene.id
    own.mkdir()
    done = copy_hidden(run.scene.frames, run.frames_dir, own, make_task(words))
    ledger.counts["pictures with something hidden"] += done.changed
    ledger.card_notes.append(
        f"Tour {run.scene.id}: {' and '.join(words)} pixelated in {done.changed} of {done.pictures} pictures; "
        "each was looked at by two detectors and a segmenter, which may still miss some. The frames of the run folder "
        "stay as they are."
    )
    return replace(run, frames_dir=own, folder=run.home)
