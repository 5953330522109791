"""Heights of things that only detectors name, from the upper edge of their boxes at the distance of their points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import FoundBox
from recon.geometry import Array
from recon.records import THING, UNNAMED, SceneModel

_INNER = 0.8
"""Part of the width and height of a box that is the thing rather than what stands beside it."""
_LEAST_POINTS = 5
_EDGE_PX = 3.0
"""A box that ends this near the border of the picture is cut there."""


@dataclass(frozen=True, eq=False)
class BoxView:
    """The top of one detected thing in one frame, in the model's unit."""

    frame: int
    place: Array  # (2,) on the plan
    top: float
    """Above the floor."""


def measure_top(frame: int, found: FoundBox, model: SceneModel, surfaces: NDArray[np.uint8]) -> BoxView | None:
    """Where the upper edge of a box lies above the floor; None where it is cut or nothing says how far it is.

    Args:
        frame: Frame index.
        found: The box.
        model: Upright model with a floor.
        surfaces: What each point of the model lies on; points of walls, floor and ceiling are not the thing.
    """
    x0, y0, x1, y1 = found.box_xyxy
    if y0 <= _EDGE_PX or model.floor_z is None:
        return None
    tracks, pose = model.tracks, model.world_from_cam[frame]
    rows = tracks.rows_of_frame(frame)
    away_x = np.abs(tracks.obs_xy[rows, 0] - (x0 + x1) / 2) <= _INNER * (x1 - x0) / 2
    away_y = np.abs(tracks.obs_xy[rows, 1] - (y0 + y1) / 2) <= _INNER * (y1 - y0) / 2
    points = tracks.obs_point[rows][away_x & away_y]
    points = points[np.isin(surfaces[points], (UNNAMED, THING))]
    if len(points) < _LEAST_POINTS:
        return None
    level = np.linalg.norm((tracks.xyz[points] - pose.center)[:, :2], axis=1)
    distance = float(np.median(level))
    ray = model.camera.rays([((x0 + x1) / 2, y0)])[0] @ pose.rotation.T
    along = float(np.linalg.norm(ray[:2]))
    if along < 1e-6:
        return None
    top = float(pose.center[2] + ray[2] / along * distance) - model.floor_z
    return BoxView(frame, np.median(tracks.xyz[points], axis=0)[:2], top)
