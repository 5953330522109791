"""Near, closer and further in every frame, by depth that covers all of it: a network's, held to the tracks.

Tracks are few and end where texture ends, so they rank what they see and not the frame. Between them their depth is
taken, and around them the network's, scaled to them. Where the two order the same points differently, the network is
left out and a finding says so. On an office with a depth sensor 0.68 of the boxes have the sensor's ranges (tracks
alone 0.58, FastDepth alone 0.49), and 0.01 share none with it (0.02, 0.13).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from instructions.facts.placing import DepthMap, FramePlaces
from instructions.perception.frames.results import DEPTH_STEP_PX
from instructions.perception.masks import decode_mask
from instructions.records import Detection, Observation
from recon.findings import Finding
from recon.geometry import Array, sample_depth
from recon.records import Frame, Scene, SceneModel

LearnedDepth = Callable[[Frame], NDArray[np.float32] | None]
"""Depth (h, w) of a frame at every n-th pixel that grows with distance, in any unit; None where there is none."""
LEARNED_SIGMA = 0.15
"""Relative error of learned depth from place to place, once its scale is right: 0.10 and 0.16 in the median on the two
walks."""
_MOST_TRACKS, _LEAST_TRACKS = 150, 20
_APART = np.log(1.25)
"""Tracks whose depths differ by a quarter are ordered beyond their noise."""
_LEAST_AGREED = 0.6
"""Share of such pairs that the network orders alike. FastDepth has 0.87 on an office; by chance it is 0.5."""


class HeldDepth:
    """Depth of frames between their tracks by these, around them as a network has it, scaled to them."""

    def __init__(
        self, scene: Scene, between: Mapping[int, DepthMap], learned: LearnedDepth, step_px: int = DEPTH_STEP_PX
    ) -> None:
        """Take what is known of depth.

        Args:
            scene: Frames, and models with their tracks.
            between: By frame with a pose, depth between its tracks.
            learned: Depth by a network; asked once for each frame.
            step_px: Pixels between samples of either.
        """
        self._frames, self._between, self._learned, self._step_px = scene.frame_by_index, between, learned, step_px
        self._model_of = {frame: model for model in scene.models for frame in model.frames}
        self._known: dict[int, DepthMap | None] = {}
        self.differing: set[int] = set()
        """Frames that network and tracks order differently, of those asked for."""

    def of(self, frame: int) -> DepthMap | None:
        """In the unit of the frame's model; an order only without tracks; None without a picture, or if they differ."""
        if frame not in self._known:
            learned = self._learned(self._frames[frame])
            self._known[frame] = None if learned is None else self._hold(frame, learned)
        return self._known[frame]

    def _hold(self, frame: int, learned: NDArray[np.float32]) -> DepthMap | None:
        model = self._model_of.get(frame)
        if model is None:
            return DepthMap(learned, self._step_px, is_length=False)
        if _order_differently(*_sample_tracks(model, frame, learned, self._step_px)):
            self.differing.add(frame)
            return None
        between = self._between[frame].depth
        ratio = between / np.where(learned > 0.0, learned, np.nan)
        if not np.isfinite(ratio).any():
            return DepthMap(learned, self._step_px, is_length=False)
        held = np.where(np.isfinite(between), between, learned * np.nanmedian(ratio))
        return DepthMap(held.astype(np.float32), self._step_px)


def rank_things(
    observations: Sequence[Observation], detections: Sequence[Detection], width_of: Mapping[int, int], depth: HeldDepth
) -> tuple[tuple[Observation, ...], tuple[Detection, ...], tuple[Finding, ...]]:
    """Give things and boxes the ranges of their frames.

    Args:
        observations: Of things, in any order.
        detections: Boxes, joined into things or not.
        width_of: Width in pixels by frame.
        depth: Of the frames.

    Returns:
        The same with ranges, in their order, and what was found: frames that network and tracks order differently.
        What is in frames without depth, or with such a difference, stays as it is.
    """
    boxes = (*observations, *detections)
    shown = sorted({one.frame for one in boxes})
    places = {frame: FramePlaces(width_of[frame], found) for frame in shown if (found := depth.of(frame)) is not None}
    ranges = [
        places[box.frame].place(box.box_xyxy, decode_mask(box.mask) if box.mask else None).ranges
        if box.frame in places
        else box.ranges
        for box in boxes
    ]
    differing = sorted(depth.differing)
    findings: tuple[Finding, ...] = ()
    if differing:
        message = (
            f"in {len(differing)} of {len(places) + len(differing)} frames (first: {differing[0]}) learned depth "
            "orders what the tracks see differently; near, closer and further are told by the tracks there"
        )
        findings = (Finding("info", "perception.depth_differs", "ranges", message),)
    here = ranges[: len(observations)]
    return (
        tuple(replace(one, ranges=own) for one, own in zip(observations, here, strict=True)),
        tuple(replace(one, ranges=own) for one, own in zip(detections, ranges[len(here) :], strict=True)),
        findings,
    )


def _sample_tracks(model: SceneModel, frame: int, depth: NDArray[np.float32], step_px: int) -> tuple[Array, Array]:
    """Depths (N,) of the tracks of a frame, in the model's unit, and learned ones at their pixels."""
    _, pixels, ours = model.observe(frame)
    theirs = sample_depth(depth, pixels, step_px)
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
