"""Near, closer and further in every frame, by depth that covers all of it: a network's, held to the tracks.

Tracks are few and end where texture ends, so they rank what they see and not the frame. Between them their depth is
taken, and around them the network's, scaled to them. Where the two order the same points differently, the network is
left out and a finding says so. On an office with a depth sensor 0.68 of the boxes have the sensor's ranges (tracks
alone 0.58, FastDepth alone 0.49), and 0.01 share none with it (0.02, 0.13).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from instructions.facts.placing import DepthMap, FramePlaces
from instructions.perception.masks import decode_mask
from instructions.records import Detection, Observation, Range
from recon.findings import Finding
from recon.geometry import Array, sample_depth
from recon.records import Frame, SceneModel

LearnedDepth = Callable[[Frame], NDArray[np.float32] | None]
"""Depth (h, w) of a frame at every n-th pixel that grows with distance, in any unit; None where there is none."""
_MOST_TRACKS, _LEAST_TRACKS = 150, 20
_APART = np.log(1.25)
"""Tracks whose depths differ by a quarter are ordered beyond their noise."""
_LEAST_AGREED = 0.6
"""Share of such pairs that the network orders alike. FastDepth has 0.87 on an office; by chance it is 0.5."""


def rank_things(
    frames: Sequence[Frame],
    models: Sequence[SceneModel],
    observations: Sequence[Observation],
    detections: Sequence[Detection],
    learned: LearnedDepth,
    between: Mapping[int, DepthMap],
    step_px: int,
) -> tuple[tuple[Observation, ...], tuple[Detection, ...], tuple[Finding, ...]]:
    """Give things and boxes the ranges of their frames.

    Args:
        frames: Of the tour, with or without poses.
        models: Of the scene.
        observations: Of things, in any order.
        detections: Boxes, joined into things or not.
        learned: Depth by a network.
        between: By frame with a pose, depth between its tracks.
        step_px: Pixels between samples of either.

    Returns:
        The same with ranges, in their order, and what was found: frames that network and tracks order differently.
        What is in frames without learned depth, or with such a difference, stays as it is.
    """
    model_of = {frame: model for model in models for frame in model.frames}
    all_boxes = (*observations, *detections)
    boxes: dict[int, list[int]] = defaultdict(list)
    for number, one in enumerate(all_boxes):
        boxes[one.frame].append(number)
    ranges: dict[int, tuple[Range, ...]] = {}
    differing: list[int] = []
    ranked = 0
    for frame in frames:
        depth = learned(frame) if frame.index in boxes else None
        if depth is None:
            continue
        model = model_of.get(frame.index)
        if model is not None:
            held = hold_to_tracks(model, frame.index, between[frame.index], depth)
            if held is None:
                differing.append(frame.index)
                continue
            depth = held.depth
        ranked += 1
        places = FramePlaces(frame.width, DepthMap(depth, step_px, is_length=False))
        for number in boxes[frame.index]:
            one = all_boxes[number]
            ranges[number] = places.place(one.box_xyxy, decode_mask(one.mask) if one.mask else None).ranges
    findings: tuple[Finding, ...] = ()
    if differing:
        message = (
            f"in {len(differing)} of {ranked + len(differing)} frames (first: {differing[0]}) learned depth "
            "orders what the tracks see differently; near, closer and further are told by the tracks there"
        )
        findings = (Finding("info", "perception.depth_differs", "ranges", message),)
    return (
        tuple(replace(one, ranges=ranges.get(number, one.ranges)) for number, one in enumerate(observations)),
        tuple(
            replace(one, ranges=ranges.get(number, one.ranges))
            for number, one in enumerate(detections, start=len(observations))
        ),
        findings,
    )


def hold_to_tracks(model: SceneModel, frame: int, between: DepthMap, learned: NDArray[np.float32]) -> DepthMap | None:
    """Depth of a frame between its tracks by these, around them as learned, scaled to them.

    Args:
        model: With the frame's pose.
        frame: Its index.
        between: Depth between its tracks.
        learned: Depth (h, w) at the same pixels, in any unit.

    Returns:
        In the model's unit; None where network and tracks order too many points differently.
    """
    if _order_differently(*_sample_tracks(model, frame, learned, between.step_px)):
        return None
    ratio = between.depth / np.where(learned > 0.0, learned, np.nan)
    if not np.isfinite(ratio).any():
        return replace(between, depth=learned)
    depth = np.where(np.isfinite(between.depth), between.depth, learned * np.nanmedian(ratio))
    return replace(between, depth=depth.astype(np.float32))


def _sample_tracks(model: SceneModel, frame: int, depth: NDArray[np.float32], step_px: int) -> tuple[Array, Array]:
    """Depths (N,) of the tracks of a frame, in the model's unit, and learned ones at their pixels."""
    rows = model.tracks.rows_of_frame(frame)
    ours = model.world_from_cam[frame].depths(model.tracks.xyz[model.tracks.obs_point[rows]])
    theirs = sample_depth(depth, model.tracks.obs_xy[rows], step_px)
    usable = (ours > 0.0) & np.isfinite(theirs)
    return ours[usable], theirs[usable]


def _order_differently(ours: Array, theirs: Array) -> bool:
    """Whether two measures of depth, (N,) each, order too many pairs of points differently; False for few points."""
    if len(ours) < _LEAST_TRACKS:
        return False
    chosen = np.linspace(0, len(ours) - 1, min(_MOST_TRACKS, len(ours))).round().astype(int)
    apart = np.log(ours[chosen])[:, None] - np.log(ours[chosen])
    is_further = (theirs[chosen][:, None] > theirs[chosen])[apart > _APART]
    return len(is_further) >= _LEAST_TRACKS and float(is_further.mean()) < _LEAST_AGREED
