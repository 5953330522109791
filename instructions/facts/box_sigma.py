"""How well the box of a thing is known: how far the box, drawn into the frames that saw the thing, misses it there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from instructions.facts.bodies import Body
from instructions.records import Observation
from recon.geometry import Array
from recon.records import SceneModel

_BORDER_PX = 2.0
_SIDE_SHARE = 0.05
"""Boxes are fitted to samples of a surface: their faces are no better known than so, as a share of the mean side."""
_RANGE_SHARE = 0.01
"""Nor better than so, or than depth was learned, as a share of the distance that the thing was seen from."""
_FEW = 3
_FEW_SHARE = 0.10
"""What fewer frames than `_FEW` saw has a side that nobody saw: so much more, as a share of the mean side."""


def box_sigma(model: SceneModel, body: Body, observations: Sequence[Observation]) -> float:
    """Standard deviation of a face of a thing's box, in the model's unit.

    How far the outline of the box misses the edges of the boxes that frames saw it in, as a length at the thing's
    depth, from side to side and from top to bottom, and how far the seen depth lies outside the box's: the worst of the
    three robust spreads (1.4826 times the median). What is cut by the image's border says nothing about that edge. The
    floors of this module are added in quadrature.

    Args:
        model: Poses and camera.
        body: Of the thing.
        observations: Of the thing, in any frames of the model.
    """
    across: list[float] = []
    upright: list[float] = []
    along: list[float] = []
    ranges: list[float] = []
    for seen in observations:
        pose = model.world_from_cam.get(seen.frame)
        if pose is None:
            continue
        depths = pose.depths(body.points)
        if depths.min() <= 1e-6:
            continue
        ranges.append(float(np.linalg.norm(body.center - pose.center)))
        pixels = model.camera.project(pose.inverse() @ body.points)
        off, whole = _edge_misses(model, seen, pixels, float(pose.depths(body.center[None])[0]))
        across += [float(value) for value in off[whole[:, 0], 0]]
        upright += [float(value) for value in off[whole[:, 1], 1]]
        along.append(max(float(depths.min()) - seen.depth, seen.depth - float(depths.max()), 0.0))
    is_whole = len(ranges) >= _FEW or not model.world_from_cam  # a scan's boxes are not from views
    floor = _SIDE_SHARE if is_whole else np.hypot(_SIDE_SHARE, _FEW_SHARE)
    spread = 1.4826 * max((float(np.median(misses)) for misses in (across, upright, along) if misses), default=0.0)
    far = float(np.median(ranges)) if ranges else 0.0
    along_sight = max(_RANGE_SHARE, model.range_sigma)
    return float(np.sqrt(spread**2 + (floor * body.mean_side) ** 2 + (along_sight * far) ** 2))


def _edge_misses(model: SceneModel, seen: Observation, pixels: Array, depth: float) -> tuple[Array, NDArray[np.bool_]]:
    """How far the low and high edges (rows) in x and y (columns) are off, and which of them the border leaves whole."""
    size = np.array([model.camera.width, model.camera.height], dtype=np.float64)
    box = np.array(seen.box_xyxy).reshape(2, 2)
    drawn = np.clip(np.array([pixels.min(axis=0), pixels.max(axis=0)]), 0.0, size)
    whole = np.array([box[0] > _BORDER_PX, box[1] < size - _BORDER_PX])
    return np.abs(drawn - box) * depth / np.array([model.camera.fx, model.camera.fy]), whole
