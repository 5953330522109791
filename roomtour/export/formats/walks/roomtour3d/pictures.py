"""The views of the reference loader's files as pictures, under the names by which these files call them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np

from recon.pictures import write_picture_file
from roomtour.errors import RoomtourError
from roomtour.export.core.images import read_picture
from roomtour.export.core.records import Problem, RunData

FRAMES = "frames"

CONVENTION = """\
* `frames/{videoId}/output_frame_{frame:04d}.png`: the pictures of all views that the files name, without loss from the
  run's JPEG; a view `{videoId}_output_frame_{frame:04d}.png` and an `image_id` both lead there."""


def image_name(frame: int) -> str:
    """How a description calls a view."""
    return f"output_frame_{frame:04d}.png"


def write_pictures(run: RunData, frames: Iterable[int], folder: Path) -> int:
    """Write the frames of a tour as PNG.

    Args:
        run: The tour.
        frames: Frame numbers; each is written once.
        folder: Of the dataset.

    Returns:
        How many pictures were written.

    Raises:
        RoomtourError: If a picture of the run is gone or damaged.
    """
    numbers = sorted(set(frames))
    own = folder / FRAMES / run.scene.id
    own.mkdir(parents=True, exist_ok=True)
    for frame in numbers:
        jpeg = read_picture(run.frames_dir / run.scene.frame_by_index[frame].image, run.scene.id)
        image = cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            raise RoomtourError(f"tour {run.scene.id}: the picture of frame {frame} cannot be decoded")
        write_picture_file(own / image_name(frame), image)
    return len(numbers)


def find_missing(folder: Path, keys: Iterable[str]) -> Iterator[Problem]:
    """Views that have no picture; none where the dataset was written without pictures.

    Args:
        folder: Of the dataset.
        keys: As the feature files have them: names of views, and `{colmapId}|{f1}%{f2}...` for candidates, where a
            colmapId is a videoId and `_m` with the name of a model.
    """
    if not (folder / FRAMES).is_dir():
        return
    wanted: set[tuple[str, str]] = set()
    for key in keys:
        head, bar, numbers = key.partition("|")
        if bar:
            wanted |= {
                (head.rpartition("_m")[0], image_name(int(number))) for number in numbers.split("%") if number.isdigit()
            }
        else:
            video, _, number = head.rpartition("_output_frame_")
            wanted.add((video, f"output_frame_{number}"))
    for video, name in sorted(wanted):
        if not (folder / FRAMES / video / name).is_file():
            yield Problem(f"{FRAMES}/{video}/{name}", None, "file", "the picture of a view", "no such file")
