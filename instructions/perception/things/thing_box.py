"""The oriented box of a thing out of the points of its detections, each of which saw a part of it, a little off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from instructions.perception.boxes import upright_box
from instructions.perception.things.lift import Lifted
from instructions.records import Obb
from recon.geometry import Array

_CELL_M = 0.10
"""Cells in which detections have to agree; learned depth is off by about this in a room."""
_LEAST_SHARE = 0.2
"""Cells that fewer of the detections reach than this share of the best-seen cell are one frame's error."""
_LEAST_POINTS = 12


def box_of_thing(members: Sequence[Lifted], floor_z: float | None, metre: float) -> Obb:
    """Upright box around the places that several detections agree on; around all points if they agree on too little.

    Args:
        members: Detections of one thing.
        floor_z: Height of the floor, None if unknown. Points on the floor belong to the floor.
        metre: Length of a (nominal) metre in the model's unit.
    """
    points = keep_agreed_points(members, metre)
    if floor_z is not None:
        above = points[points[:, 2] > floor_z + 0.05 * metre]
        points = above if len(above) >= _LEAST_POINTS else points
    return upright_box(points, floor_z, 0.15 * metre)


def keep_agreed_points(members: Sequence[Lifted], metre: float) -> Array:
    """Points in cells that enough detections reach, (N, 3)."""
    points = np.concatenate([one.points for one in members])
    owner = np.repeat(np.arange(len(members)), [len(one.points) for one in members])
    cells = np.floor(points / (_CELL_M * metre)).astype(np.int64)
    _, cell = np.unique(cells, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    seen = np.unique(np.column_stack([cell, owner]), axis=0)
    votes = np.bincount(seen[:, 0], minlength=int(cell.max()) + 1)
    needed = max(min(2, len(members)), _LEAST_SHARE * float(np.percentile(votes, 95)))
    agreed = points[votes[cell] >= needed]
    return agreed if len(agreed) >= _LEAST_POINTS else points
