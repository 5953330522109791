"""Detections into the world: the pixels of a box or mask, with their depth and the pose of the frame, as points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from instructions.facts.placing import DepthMap
from instructions.records import Box
from recon.geometry import Array, Camera, Pose
from recon.ranges import AtLeastOne, Positive, Share


@dataclass(frozen=True, kw_only=True)
class LiftOptions:
    """Which pixels of a detection belong to the thing itself."""

    inner_share: Share = 0.8
    """Without a mask this part of the box's width and height says how deep the thing is."""
    layer: Positive = 0.12
    """A point belongs to the thing if its depth joins the others in steps of at most this share; beyond a bigger
    step begins what stands before or behind."""
    max_points: AtLeastOne = 150
    """Points kept per detection, evenly over its pixels."""
    min_points: AtLeastOne = 6
    """With fewer the depth of a detection is a guess."""


@dataclass(frozen=True, eq=False)
class Lifted:
    """A detection in the world. `row` is its place in the list of detections."""

    row: int
    frame: int
    category: str
    score: float
    points: Array  # (n, 3)
    distance: float
    """Median depth; errors grow with it."""
    range_sigma: float = 0.0
    """Of the depth, as a share of it, where a network guessed it."""

    @cached_property
    def edges(self) -> Array:
        """Low and high end of the bulk of the points along each axis, (2, 3): 5th and 95th percentile."""
        return np.percentile(self.points, [5, 95], axis=0)


def lift(
    row: int,
    frame: int,
    category: str,
    score: float,
    box_xyxy: Box,
    mask: NDArray[np.bool_] | None,
    depth: DepthMap,
    camera: Camera,
    world_from_cam: Pose,
    options: LiftOptions = LiftOptions(),
) -> Lifted | None:
    """Points of one detection in the world of its model; None if too little of its depth is known.

    Args:
        row: Its place in the list of detections.
        frame: Frame index.
        category: What it is.
        score: The detector's confidence.
        box_xyxy: Box in pixels.
        mask: Mask (height, width) of the frame, or None.
        depth: Depth in the model's unit.
        camera: Of the model.
        world_from_cam: Pose of the frame.
        options: Which pixels count.
    """
    usable = np.isfinite(depth.depth) & (depth.depth > 0)
    inside = usable & depth.inside(box_xyxy, mask)
    # The middle of a box shows the thing, its corners what stands behind; what is as deep as the middle is the thing.
    sure = inside if mask is not None else usable & depth.inside(inner_box(box_xyxy, options.inner_share))
    nearest, furthest = _main_layer(depth.depth[sure].astype(np.float64), options.layer)
    rows, columns = np.nonzero(inside & (depth.depth >= nearest) & (depth.depth <= furthest))
    if len(rows) < options.min_points:
        return None
    picked = np.linspace(0, len(rows) - 1, min(len(rows), options.max_points)).astype(np.int64)
    rows, columns = rows[picked], columns[picked]
    depths = depth.depth[rows, columns].astype(np.float64)
    pixels = np.column_stack([columns, rows]) * depth.step_px + 0.5
    points = world_from_cam @ (camera.rays(pixels) * depths[:, None])
    return Lifted(row, frame, category, score, points, float(np.median(depths)))


def inner_box(box_xyxy: Box, share: float) -> Box:
    """The middle of a box, of this share of its width and height."""
    x0, y0, x1, y1 = box_xyxy
    cut_x, cut_y = (x1 - x0) * (1 - share) / 2, (y1 - y0) * (1 - share) / 2
    return (x0 + cut_x, y0 + cut_y, x1 - cut_x, y1 - cut_y)


def _main_layer(depths: Array, step: float) -> tuple[float, float]:
    """Ends of the largest group of depths that hang together in steps of at most `step` of themselves.

    An interval that holds nothing for no depths.
    """
    if not len(depths):
        return np.inf, -np.inf
    ordered = np.sort(depths)
    breaks = np.flatnonzero(np.diff(np.log(ordered)) > step) + 1
    layer = max(np.split(ordered, breaks), key=len)
    return float(layer[0]), float(layer[-1])
