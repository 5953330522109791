"""Matches on the floor, of frames on both sides of a seam and between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recon.audit.floor_height import FloorMask
from recon.colmap.database import list_verified_pairs, open_database
from recon.geometry import Array, Camera

REACH = 6
"""Frames from one of a pair to the other: over a pan, those further apart show nothing in common."""


@dataclass(frozen=True, eq=False)
class Tie:
    """Verified matches of a frame with another, where both pictures show the floor."""

    other: int
    rays: Array  # (M, 3) at z = 1
    rays_other: Array  # (M, 3) at z = 1


def read_ties(
    database_path: Path, cameras: Mapping[int, Camera], floors: Mapping[int, FloorMask]
) -> dict[int, list[Tie]]:
    """Per frame of those with a camera its ties with others at most `REACH` apart, in the order of their frames."""
    ties: dict[int, list[Tie]] = defaultdict(list)
    with open_database(database_path) as database:
        xy = {frame: np.asarray(database.read_keypoints(frame), np.float64)[:, :2] for frame in cameras}
        for first, second, _ in list_verified_pairs(database, cameras, REACH):
            rows = database.read_two_view_geometry(first, second).inlier_matches
            one, other = xy[first][rows[:, 0]], xy[second][rows[:, 1]]
            on_floor = _is_floor(one, cameras[first], floors.get(first))
            on_floor &= _is_floor(other, cameras[second], floors.get(second))
            rays, rays_other = cameras[first].rays(one)[on_floor], cameras[second].rays(other)[on_floor]
            ties[first].append(Tie(second, rays, rays_other))
            ties[second].append(Tie(first, rays_other, rays))
    return ties


def _is_floor(xy: Array, camera: Camera, mask: FloorMask | None) -> NDArray[np.bool_]:
    if mask is None:
        return np.zeros(len(xy), bool)
    ratio = np.array([mask.shape[1] / camera.width, mask.shape[0] / camera.height])
    columns, rows = np.clip((xy * ratio).astype(np.int64), 0, np.array(mask.shape[::-1]) - 1).T
    return mask[rows, columns]
