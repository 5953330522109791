"""How two models stand to each other by frames that both hold, where only the floor tells that they are of one scale.

Shared frames alone are not believed (`seam_scale`): behind a turn on the spot they may have drifted by a factor within
their own model, and in a dark or blurred room no match ties the frames beyond them to the other model. What ties them
is the height of the camera above the floor: if it is the same beyond the shared frames in both models, and upright in
both is one direction, no scale was lost on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recon.colmap.align import Alignment, align
from recon.colmap.shared_frames import Agreement
from recon.diagnosis.floor_height import FloorMask, find_floor_plane
from recon.geometry import Array, angle_between_deg
from recon.records import SubModel

MIN_SHARED_FRAMES = 8
"""Twice what is asked where matches tie the frames beyond."""
_REACH_FRAMES = 40
"""To each side of the shared ones, whose height above the floor is asked."""
_MAX_SCALE_OFF = 0.15
"""By how much the heights may differ, relative, at the scale of the shared frames. On an office walk filmed otherwise:
0.05 to 0.13 between models that were each 0.2 to 0.4 % of their path off."""
_MAX_LEAN_DEG = 8.0
"""By how much the two floors may lean against each other. On that walk: 0.5 to 2.8 deg."""
_LEAST_POINTS = 15
"""Of the floor, seen beside the seam, that tell the camera's height there."""


@dataclass(frozen=True)
class FloorSeam:
    """What two models agree on."""

    alignment: Alignment
    """In the frame and unit of the first."""
    scale_off: float
    """By how much the camera's heights beyond the shared frames differ, relative."""
    lean_deg: float
    """Between the two floors."""


def find_floor_seam(
    first: SubModel,
    second: SubModel,
    shared: Sequence[int],
    floors: Mapping[int, FloorMask],
    agreement: Agreement,
    seed: int = 0,
) -> FloorSeam | str:
    """The similarity of the shared frames if the floor confirms it, or why it is not believed.

    Args:
        first: Model whose frame and unit the result has.
        second: The other one.
        shared: Frames with a pose in both, in time order.
        floors: Where pictures show the floor.
        agreement: How closely the models must agree on the shared frames.
        seed: For drawing planes.
    """
    alignment = align(first, second, shared)
    if alignment is None:
        return "the shared frames have too few points in common"
    if reason := agreement.find_disagreement(alignment, step=0.0) or agreement.find_drift(alignment):
        return reason
    one, other = (_find_floor_beyond(model, shared, floors, seed) for model in (first, second))
    if one is None or other is None:
        return "too little floor is seen beyond the frames that both hold, so nothing tells the scale"
    height_in_first = alignment.first_from_second.scale * other.camera_height
    scale_off = float(np.expm1(abs(np.log(height_in_first / one.camera_height))))
    lean_deg = angle_between_deg(one.up, alignment.first_from_second.rotation @ other.up)
    if scale_off > _MAX_SCALE_OFF:
        return (
            f"beyond the frames that both hold, the camera's height above the floor differs by {scale_off:.0%}, "
            f"allowed {_MAX_SCALE_OFF:.0%}"
        )
    if lean_deg > _MAX_LEAN_DEG:
        return f"their floors lean by {lean_deg:.1f} deg against each other, allowed {_MAX_LEAN_DEG:g}"
    return FloorSeam(alignment, scale_off, lean_deg)


@dataclass(frozen=True, eq=False)
class _Floor:
    """The floor below a model beside the seam, in the frame and unit of the model."""

    camera_height: float
    """Median height of the camera above it."""
    up: Array  # (3,)


def _find_floor_beyond(
    model: SubModel, shared: Sequence[int], floors: Mapping[int, FloorMask], seed: int
) -> _Floor | None:
    """The floor as the frames beyond the shared ones see it; None where they see too little of it."""
    beyond = set(model.frames).difference(shared)
    near = sorted(frame for frame in beyond if shared[0] - _REACH_FRAMES <= frame <= shared[-1] + _REACH_FRAMES)
    plane = find_floor_plane(model.reconstruction, floors, seed) if near else None
    if plane is None or len(points := plane.seen_by(near)) < _LEAST_POINTS:
        return None
    centers = np.array([model.reconstruction.image(frame).projection_center() for frame in near])
    height = float(np.median(centers @ plane.up) - np.median(points @ plane.up))
    return _Floor(height, plane.up) if height > 0 else None
