"""Depth that came with given poses: checked against the tracks of the reconstruction before it is believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from instructions.facts.tracks import reliable_points
from recon.findings import Finding
from recon.geometry import sample_depth
from recon.records import SceneModel

_SAME_DEPTH = 0.10
"""Relative difference up to which given depth and a track agree: a mark's (`SAME_DEPTH` of `questions.marks`)."""
_LEAST_AGREEMENT = 0.7
"""Share of the tracks seen that agree."""
_SURE = (2.0, 3, 2.0)
"""Tracks that are asked: most reprojection error in pixels, frames and degrees between rays at least."""
_LEAST_TRACKS = 100
"""Observations of tracks; of fewer an agreement is chance. Set by hand."""


def take_given_depth(
    model: SceneModel, given: Mapping[int, NDArray[np.float32]], step_px: int
) -> tuple[SceneModel, tuple[Finding, ...]]:
    """The model with the depth that came with its poses as measured, where its tracks agree; and what to say of it.

    Depth and poses of one tool have one unit, and the model may have another: the median ratio over all frames is that
    of the units.

    Args:
        model: Upright model from the given poses, with tracks by our own matches.
        given: By frame, depth (h, w) in any one unit, NaN where unknown; frames of other models are left out.
        step_px: Pixels between its samples.
    """
    own = {frame: depth for frame, depth in given.items() if frame in model.world_from_cam}
    if not own:
        return model, ()
    ratios, sure = [np.zeros(0)], reliable_points(model, *_SURE)
    for frame, depth in own.items():
        points, pixels, ours = model.observe(frame)
        theirs = sample_depth(depth, pixels, step_px)
        usable = sure[points] & (ours > 0) & (theirs > 0)
        ratios.append(np.log(ours[usable] / theirs[usable]))
    logs = np.concatenate(ratios)
    where = f"model {model.name}"
    if len(logs) < _LEAST_TRACKS:
        message = (
            f"only {len(logs)} tracks have a depth in the files of the poses, need {_LEAST_TRACKS}; it is not taken"
        )
        return model, (Finding("warning", "poses.depth_unchecked", where, message),)
    middle = float(np.median(logs))
    agreement = float(np.mean(np.abs(logs - middle) <= np.log1p(_SAME_DEPTH)))
    fit = f"agrees with {agreement:.0%} of {len(logs)} tracks within {_SAME_DEPTH:.0%}"
    if agreement < _LEAST_AGREEMENT:
        message = (
            f"depth of {len(own)} frames {fit}, {_LEAST_AGREEMENT:.0%} or more are expected; it is not taken. Check "
            "that it is of these pictures, along the optical axis, and no inverse depth"
        )
        return model, (Finding("warning", "poses.depth_does_not_fit", where, message),)
    factor = np.float32(np.exp(middle))
    message = f"depth of {len(own)} frames {fit}, scaled by {factor:.4g}: it is taken as measured"
    measured = {frame: depth * factor for frame, depth in own.items()}
    return replace(model, measured_depth=measured), (Finding("info", "poses.depth", where, message),)
