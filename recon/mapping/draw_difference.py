"""How exact a path on learned keypoints is: by how far reconstructions by other random numbers put it elsewhere.

Nothing in one such reconstruction tells. Of ten made walks by three seeds, bare, dark, grainy and blurred ones were 1
to 7 % of their path off, some without a word; two draws of these mostly differed by as much, of textured ones by
hundredths of a per cent. What all draws have in common is not seen so: two of a grainy room were 1.5 and 1.2 % off and
differed by 0.5. Where no other draw holds the walk, its own covariance tells the worst ones (`upright.precision`).
"""

from __future__ import annotations

from collections.abc import Sequence

from recon.audit.verdict import LEAST_FRAMES
from recon.colmap.poses import read_pose
from recon.evaluate import pose_error
from recon.findings import Finding
from recon.geometry import path_length
from recon.mapping.sfm import ClipResult

_STANDING = 1e-6
"""Length of a path, in the unit of its model, up to which no similarity is told by it: its camera only turned."""
_WRONG = 0.03
"""Of its path, by which draws of a walk differ that is not to be trusted. Of any two of the walks above that differed
by more the worse was 2.6 to 6.8 % off; any two that were both less than 1 % off differed by at most 1.3 %."""
_WRONG_OF_TOUR = 0.01
"""Difference times the clip's share of the tour, from which that is an error: as much of the whole path is wrong."""


def measure_difference(kept: ClipResult, others: Sequence[ClipResult]) -> float | None:
    """Root mean square distance of camera centres between the largest model that is kept and those of other draws.

    Returns:
        The largest, over the length of the path, after the best similarity; None where no other model holds half of it.
    """
    largest = max(kept.sub_models, key=lambda model: len(model.frames))
    differences: list[float] = []
    for model in (model for other in others for model in other.sub_models):
        common = sorted(set(largest.frames) & set(model.frames))
        is_itself = model.reconstruction is largest.reconstruction  # a part by SIFT that both draws took
        if is_itself or len(common) < max(LEAST_FRAMES, len(largest.frames) / 2):
            continue
        here, there = ({n: read_pose(one.reconstruction, n) for n in common} for one in (largest, model))
        lengths = [path_length([poses[frame].center for frame in common]) for poses in (here, there)]
        if min(lengths) > _STANDING:
            differences.append(pose_error(there, here).rmse / lengths[0])
    return max(differences, default=None)


def add_exactness_finding(result: ClipResult, difference: float | None, share: float) -> ClipResult:
    """The result of a clip, which rests on learned keypoints, with what is known of how exact it is.

    `share` is how many of the tour's frames are the clip's: one dark corridor does not spoil a long tour.
    """
    is_held = any(model.held_by_floor for model in result.sub_models)
    off = 0.0 if difference is None else difference
    rests = f"the model rests on learned keypoints{' and on the camera height above the floor' if is_held else ''}"
    if difference is None:
        message = (
            f"the accuracy of the path is unknown: {rests}, and no second run covers half of it; such paths were off "
            "by 0.1 to 7 % of their length on walks with known poses"
        )
    else:
        message = f"reconstructions with different random seeds differ by {difference:.1%} of the path length: {rests}"
    message += (
        "; do not rely on its lengths or its shape, and film with more light, slower, and past things with texture"
        if off > _WRONG
        else "; rely on the order of the rooms, less on lengths"
    )
    severity = "error" if off > _WRONG and off * share > _WRONG_OF_TOUR else "warning"
    return result.with_finding(Finding(severity, "sfm.less_exact", f"clip {result.clip}", message))
