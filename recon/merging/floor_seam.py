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

from recon.audit.floor_height import FloorMask
from recon.colmap.align import Alignment, align
from recon.colmap.shared_frames import Agreement
from recon.merging.floor_side import FloorSide, stand_on_floor
from recon.ranges import AtLeastOne, HalfTurn, NotNegative
from recon.records import SubModel


@dataclass(frozen=True, kw_only=True)
class FloorSeamOptions:
    """When the floor is believed to hold the scale over shared frames."""

    min_shared_frames: AtLeastOne = 8
    """Twice what is asked where matches tie the frames beyond."""
    reach: AtLeastOne = 40
    """Frames to each side of the shared ones whose height above the floor is asked."""
    max_scale_off: NotNegative = 0.15
    """By how much the heights may differ at the scale of the shared frames, as `SeamScaleOptions.max_disagreement`. On
    an office walk filmed otherwise: 0.05 to 0.13 between models that were each 0.2 to 0.4 % of their path off."""
    max_lean_deg: HalfTurn = 8.0
    """By how much the two floors may lean against each other, as `PanOptions.max_lean_deg`. On that walk: 0.5 to 2.8
    deg."""


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
    options: FloorSeamOptions = FloorSeamOptions(),
    seed: int = 0,
) -> FloorSeam | str:
    """The similarity of the shared frames if the floor confirms it, or why it is not believed.

    Args:
        first: Model whose frame and unit the result has.
        second: The other one.
        shared: Frames with a pose in both, in time order.
        floors: Where pictures show the floor.
        agreement: How closely the models must agree on the shared frames.
        options: What is asked of the floor.
        seed: For drawing planes.
    """
    alignment = align(first, second, shared)
    if alignment is None:
        return "the shared frames have too few points in common"
    if reason := agreement.find_disagreement(alignment, step=0.0) or agreement.find_drift(alignment):
        return reason
    one, other = (_stand_beyond(model, shared, floors, options.reach, seed) for model in (first, second))
    if one is None or other is None:
        return "too little floor is seen beyond the frames that both hold, so nothing tells the scale"
    height, height_other = 1.0 / one.floor_from_model.scale, 1.0 / other.floor_from_model.scale
    scale_off = float(np.expm1(abs(np.log(alignment.first_from_second.scale * height_other / height))))
    up, up_other = one.floor_from_model.rotation[2], other.floor_from_model.rotation[2]
    cosine = float(up @ (alignment.first_from_second.rotation @ up_other))
    lean_deg = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    if scale_off > options.max_scale_off:
        return (
            f"beyond the frames that both hold, the camera's height above the floor differs by {scale_off:.0%}, "
            f"allowed {options.max_scale_off:.0%}"
        )
    if lean_deg > options.max_lean_deg:
        return f"their floors lean by {lean_deg:.1f} deg against each other, allowed {options.max_lean_deg}"
    return FloorSeam(alignment, scale_off, lean_deg)


def _stand_beyond(
    model: SubModel, shared: Sequence[int], floors: Mapping[int, FloorMask], reach: int, seed: int
) -> FloorSide | None:
    """The model on its floor, in heights of the camera at the frames beyond the shared ones."""
    beyond = set(model.frames).difference(shared)
    near = sorted(frame for frame in beyond if shared[0] - reach <= frame <= shared[-1] + reach)
    return stand_on_floor(model, floors, near, seed) if near else None
