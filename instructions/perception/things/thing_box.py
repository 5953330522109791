"""The oriented box of a thing out of the points of its detections, each of which saw a part of it, a little off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from instructions.perception.boxes import flat_box, upright_box
from instructions.perception.models.light.labels import is_planar
from instructions.perception.things.lift import Lifted
from instructions.records import Obb
from recon.geometry import Array
from recon.records import SceneModel

_CELL_M = 0.10
"""Cells in which detections have to agree; learned depth is off by about this in a room."""
_LEAST_SHARE = 0.2
"""Cells that fewer of the detections reach than this share of the best-seen cell are one frame's error."""
_LEAST_POINTS = 12
_FLAT_M = 0.10
"""Depth of the box of what is planar: a hand's breadth."""


def box_of_thing(word: str, points: Array, members: Sequence[Lifted], model: SceneModel) -> Obb:
    """Upright box around a thing.

    Args:
        word: What it is; the box of what is planar is flat.
        points: Its points (N, 3), see `keep_agreed_points`.
        members: Detections of one thing.
        model: Upright. Points on its floor belong to the floor.
    """
    floor_z, metre = model.floor_z, model.nominal_metre
    if floor_z is not None:
        above = points[points[:, 2] > floor_z + 0.05 * metre]
        points = above if len(above) >= _LEAST_POINTS else points
    if is_planar(word):
        eyes = np.array([model.world_from_cam[member.frame].center for member in members])
        return flat_box(points, eyes, _FLAT_M * metre, floor_z, 0.15 * metre)
    return upright_box(points, floor_z, 0.15 * metre)


def keep_agreed_points(members: Sequence[Lifted], metre: float) -> Array:
    """Points (N, 3) where several detections agree that a thing is; all of them where they agree on too little."""
    points = np.concatenate([member.points for member in members])
    owner = np.repeat(np.arange(len(members)), [len(one.points) for one in members])
    cells = np.floor(points / (_CELL_M * metre)).astype(np.int64)
    _, cell = np.unique(cells, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    seen = np.unique(np.column_stack([cell, owner]), axis=0)
    votes = np.bincount(seen[:, 0], minlength=int(cell.max()) + 1)
    needed = max(min(2, len(members)), _LEAST_SHARE * float(np.percentile(votes, 95)))
    agreed = points[votes[cell] >= needed]
    return agreed if len(agreed) >= _LEAST_POINTS else points
