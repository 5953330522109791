"""What the joins of finished models over their floor have in common: nothing is adjusted after, for the pictures there
hold no scale and an adjustment would bend them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pycolmap

from recon.adjust.refine import adjust_and_filter
from recon.audit.audit import Evidence, audit
from recon.audit.floor_height import FloorMask
from recon.merging.merge import MergeResult
from recon.records import MergeAttempt, SubModel

AROUND = 60
"""Frames on either side of a seam whose floor is looked at: the vertical of the place, not of another storey."""


def share_camera(before: SubModel, after: SubModel) -> tuple[SubModel, SubModel]:
    """Both with the camera of the larger one; the other is adjusted to it."""
    one, other = sorted((before, after), key=lambda model: -len(model.frames))
    adapted = pycolmap.Reconstruction(other.reconstruction)
    (camera,) = one.reconstruction.cameras.values()
    for own in adapted.cameras.values():
        own.params = camera.params
    adjust_and_filter(adapted, other.frames[1:])  # one frame held still holds the camera too
    changed = replace(other, reconstruction=adapted)
    return (before, changed) if other is after else (changed, after)


def find_doubt_beside(joined: SubModel, last: int, first: int, floors: Mapping[int, FloorMask]) -> str:
    """What speaks against the joined model beside a seam; empty if nothing does.

    Args:
        joined: Made of two models.
        last: Frame before the seam.
        first: Frame behind it.
        floors: Where pictures show the floor.
    """
    near = [frame for frame in joined.frames if last - AROUND <= frame <= first + AROUND]
    doubts = audit(joined.reconstruction, Evidence(floors=floors, leaps=True), among=near).doubts
    beside = (doubt for doubt in doubts if doubt.first < first + _SEAM and doubt.last > last - _SEAM)
    told = (
        doubt.words for doubt in beside if doubt.evidence != "height" or abs(np.log(doubt.value)) > np.log(_CHANGED)
    )
    return next(told, "")


_CHANGED = 1.25
"""Factor between the medians of the heights on both sides, below which a change is none: a walk is parted where one
frame leaves the range of all before. On a sound office walk such a place had 1.1. Set by hand."""
_SEAM = 8
"""Frames beside a seam within which a doubt is about it."""


def accept(
    attempt: MergeAttempt, joined: SubModel, reason: str, turn_off_deg: float, scale_off: float | None = None
) -> MergeAttempt:
    """The attempt when a model came of it, with how far what told it disagrees in itself (scale relative)."""
    return replace(
        attempt,
        result=joined.name,
        error_merged_px=joined.mean_reprojection_error_px,
        rotation_disagreement_deg=turn_off_deg,
        scale_disagreement=scale_off,
        observations_after=joined.reconstruction.compute_num_observations(),
        verdict="accepted",
        reason=reason,
    )


def gather(merged: MergeResult, models: Sequence[SubModel], attempts: Sequence[MergeAttempt]) -> MergeResult:
    """The result with these models by their new names, the largest first."""
    ordered = sorted(models, key=lambda model: (-len(model.frames), model.frames))
    named = tuple(replace(model, name=f"merged/{place}") for place, model in enumerate(ordered))
    return replace(merged, models=named, attempts=tuple(attempts))
