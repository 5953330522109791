"""Learned depth in the unit of a model: scaled to the tracks that the frame observed.

A metric model is right to some ten percent, differently in each frame, and a relative one has no scale at all. The
tracks of the frame know better, but only where they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from instructions.facts.placing import DepthMap
from recon.geometry import Array, sample_depth
from recon.records import SceneModel

_LEAST_TRACKS = 20
"""Fewer do not outvote a handful of wrong matches."""
_ROUNDS = 6
_BEYOND = 1.5
"""Depth is trusted up to this factor beyond the nearest and furthest track: there the fit is a guess."""


def depth_in_model(
    model: SceneModel, frame: int, raw: NDArray[np.float32], step_px: int, is_metric: bool
) -> DepthMap | None:
    """Depth of one registered frame in the model's unit.

    Args:
        model: Upright model.
        frame: A frame with a pose.
        raw: (h, w) metres, or inverse depth up to factor and offset.
        step_px: Pixels between its samples.
        is_metric: Which of the two it is.

    Returns:
        The map; None if it cannot be tied to the model: too few tracks and no metres on either side.
    """
    _, pixels, ours = model.observe(frame)
    theirs = sample_depth(raw, pixels, step_px)
    usable = (ours > 0) & np.isfinite(theirs) & ((theirs > 0) | (not is_metric))
    if usable.sum() < _LEAST_TRACKS:
        return DepthMap(raw, step_px) if is_metric and model.scale.status == "metric" else None
    if is_metric:
        factor = float(np.exp(np.median(np.log(ours[usable] / theirs[usable]))))
        return DepthMap(np.where(raw > 0, raw * factor, np.nan).astype(np.float32), step_px)
    slope, offset = fit_inverse_depth(theirs[usable], ours[usable])
    if slope <= 0:
        return None
    nearest, furthest = np.percentile(ours[usable], [1, 99])
    inverse = np.maximum(raw.astype(np.float64) * slope + offset, 1.0 / (_BEYOND * furthest))
    return DepthMap(np.maximum(1.0 / inverse, nearest / _BEYOND).astype(np.float32), step_px)


def fit_inverse_depth(relative: Array, depths: Array) -> tuple[float, float]:
    """Slope and offset with 1 / depth = slope * relative + offset, by least squares that doubt outliers more and more.

    Args:
        relative: (N,) of a relative depth model.
        depths: (N,) positive, of the same pixels.
    """
    target = 1.0 / depths
    design = np.column_stack([relative, np.ones(len(relative))])
    weight = np.ones(len(relative))
    solution = np.zeros(2)
    for _ in range(_ROUNDS):
        solution = np.linalg.lstsq(design * weight[:, None], target * weight, rcond=None)[0]
        off = np.abs(design @ solution - target)
        spread = 1.4826 * float(np.median(off)) + 1e-9
        weight = 1.0 / np.sqrt(np.maximum(off / (1.5 * spread), 1.0))
    return float(solution[0]), float(solution[1])
