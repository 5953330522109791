"""All models of a clip and the frames of none, in one row: a start for the floor to hold them together.

Where a camera pans past something bare the models end, or several begin, and the frames between are in none. From frame
to frame they still turn as their bearings say. So each model keeps its own frames, the others are put where the walk
stood, and every place where one model gives way to another, or to none, is told: no scale is carried over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycolmap

from recon.colmap.database import open_database
from recon.colmap.fuse import fuse
from recon.diagnosis.seams import subset
from recon.geometry import Camera, Pose, Sim3
from recon.mapping.floor_start import measure_turn
from recon.records import SubModel

_LEAST_FRAMES = 3
"""That a model must have of its own to keep its shape: two have none."""
_NONE = -1


@dataclass(frozen=True, eq=False)
class Row:
    """Frames one behind the other, whose turns from one to the next are known."""

    model: pycolmap.Reconstruction
    """Its poses mean something between two seams only."""
    seams: tuple[tuple[int, int], ...]
    """Steps, from one frame to the next, over which nothing but a turn is known."""


def put_in_a_row(models: Sequence[SubModel], frames: Sequence[int], database_path: Path) -> Row | None:
    """One model with the frames of several, and with those between that have none.

    Args:
        models: Of one clip; where two have a frame, the larger keeps it.
        frames: Of the clip, in time order.
        database_path: With the keypoints that the models have.

    Returns:
        None where no frame is gained over the largest model, or where the bearings do not lead from each to the next.
    """
    whole: pycolmap.Reconstruction | None = None
    owner: dict[int, int] = {}
    for place, model in enumerate(sorted(models, key=lambda one: (-len(one.frames), one.frames))):
        own = [frame for frame in model.frames if frame not in owner]
        if len(own) < _LEAST_FRAMES:
            continue
        part = subset(model.reconstruction, own)
        whole = part if whole is None else fuse(whole, part, Sim3(1.0, np.eye(3), np.zeros(3)))
        owner.update(dict.fromkeys(own, place))
    if whole is None:
        return None
    with open_database(database_path) as database:
        row = _chain(frames, owner, database, Camera.from_colmap(next(iter(whole.cameras.values()))))
        if row is None or len(row) <= max(len(model.frames) for model in models):
            return None
        for frame in row:
            if frame not in owner:
                _add_frame(whole, frame, database)
    seams = [step for step in pairwise(row) if _is_seam(*step, owner)]
    return Row(whole, tuple(seams))


def _chain(
    frames: Sequence[int], owner: dict[int, int], database: pycolmap.Database, camera: Camera
) -> list[int] | None:
    """The frames with an owner and those between that the one before leads to; None where one cannot be led to."""
    row: list[int] = []
    for frame in frames:
        if not row and frame not in owner:
            continue
        leads = not row or not _is_seam(row[-1], frame, owner)
        if leads or measure_turn(database, row[-1], frame, camera) is not None:
            row.append(frame)
        elif frame in owner:
            return None
    return row


def _is_seam(first: int, second: int, owner: dict[int, int]) -> bool:
    return owner.get(first, _NONE) == _NONE or owner.get(first) != owner.get(second)


def _add_frame(model: pycolmap.Reconstruction, frame: int, database: pycolmap.Database) -> None:
    """Register a frame anywhere, without points."""
    (camera_id,) = model.cameras
    xy = np.asarray(database.read_keypoints(frame), np.float64)[:, :2]
    image = pycolmap.Image(name=database.read_image(frame).name, keypoints=xy, camera_id=camera_id, image_id=frame)
    model.add_image_with_trivial_frame(image, Pose.identity().to_rigid3d())
