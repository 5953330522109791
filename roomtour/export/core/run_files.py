"""Pictures, clouds and depth of a run on their way into a dataset: only whole ones leave, without what should not leave
the house.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.perception.hiding.words import split_words
from recon.arrays import load_array
from recon.geometry import Array, Pose
from recon.picture_faults import find_picture_fault
from recon.pictures import decode_picture, write_picture_file
from recon.records import SceneModel
from roomtour.artifacts import DEPTH
from roomtour.errors import RoomtourError
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.files.arrays import STEP_PX, depth_path, read_cloud_file, read_depth

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


def read_image(path: Path, tour: str) -> NDArray[np.uint8]:
    """The pixels (height, width, 3) of a picture that is whole, blue first, upright.

    Raises:
        RoomtourError: If it is gone, cut short, or no picture.
    """
    image = decode_picture(read_picture(path, tour))
    if image is None:
        raise RoomtourError(f"tour {tour}: {path} cannot be decoded. {_AGAIN}")
    return image


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
    cloud = next((known for known in run.clouds if known.name == name), None)
    source = run.home / "dialogues" / cloud.path if cloud is not None else None
    if source is None or not source.is_file():
        raise RoomtourError(f"tour {run.scene.id}: cloud {name} is missing; make it again with: roomtour make RUN")
    return source


MOST_VIEWS = 64
"""Of a scene, spread over its walk; readers take 20 to 50 of them."""
NO_DEPTH = "scene of a run without depth maps, which the loader needs"


@dataclass(frozen=True)
class SceneView:
    """One written view."""

    frame: int
    picture: str
    """Name of its file."""
    depth: str
    """Name of its depth, PNG in millimeters at every fourth pixel, 0 where it is not known."""
    world_from_cam: Pose


def write_views(run: RunData, model: SceneModel, folder: Path) -> list[SceneView]:
    """Write pictures and depth of at most `MOST_VIEWS` frames; none without depth maps, and then no folder."""
    maps = run.home / DEPTH.path
    frames = [frame for frame in model.world_from_cam if depth_path(maps, frame).is_file()]
    places = np.linspace(0, len(frames) - 1, min(MOST_VIEWS, len(frames))).round().astype(int)
    views = []
    for frame in dict.fromkeys(frames[place] for place in places):
        folder.mkdir(parents=True, exist_ok=True)
        suffix = Path(run.scene.frame_by_index[frame].image).suffix
        view = SceneView(frame, f"{frame:06d}{suffix}", f"{frame:06d}_depth.png", model.world_from_cam[frame])
        copy_frame(run, frame, folder / view.picture)
        write_picture_file(folder / view.depth, read_depth_mm(maps, frame))
        views.append(view)
    return views


def read_depth_mm(maps: Path, frame: int) -> NDArray[np.uint16]:
    """Depth of a frame at every fourth pixel in millimeters, 0 where it is not known."""
    depth = np.nan_to_num(read_depth(maps, frame), nan=0.0, posinf=0.0, neginf=0.0)
    return np.clip(np.rint(depth * 1000.0), 0, 65535).astype(np.uint16)


def pinhole_matrices(model: SceneModel) -> tuple[Array, Array]:
    """The camera as 4 x 4 matrices in pixels of pictures and of depth; the middle of the first pixel is at 0."""
    camera = model.camera
    picture = np.diag([camera.fx, camera.fy, 1.0, 1.0])
    picture[:2, 2] = camera.cx - 0.5, camera.cy - 0.5
    depth = picture.copy()
    depth[:2] /= STEP_PX  # samples at every fourth pixel from the first
    return picture, depth
