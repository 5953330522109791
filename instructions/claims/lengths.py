"""Whether a walk is as long as a claim says, by what was walked in the direction of the view and where that ends."""

from __future__ import annotations

import numpy as np

from instructions.claims.walk_bars import ClaimBars
from instructions.claims.walk_motion import WalkMotion
from instructions.records import Claim
from recon.records import Scale

_FEW_LEAST_M, _FEW_MOST_M = 0.8, 3.0
"""Two steps to four or five."""
_STRAIGHT = 0.93
"""Who is told a length walks straight: the ends of an arc of 75 degrees are this share of the path apart."""


def judge_length(
    claim: Claim, motion: WalkMotion, first: int, last: int, scale: Scale, bars: ClaimBars
) -> tuple[bool, str]:
    """Hold `about three metres` or `a few steps` against the path between two positions and the line between them.

    Args:
        claim: Of a length.
        motion: Of the walk.
        first: Position where the walk told begins.
        last: And where it ends.
        scale: Of the model; no length in metres is true unless it was measured.
        bars: How far a length may be off.
    """
    path_m = float(motion.walk.travelled[last] - motion.walk.travelled[first]) / motion.metre
    chord_m = float(np.linalg.norm(motion.walk.xy[last] - motion.walk.xy[first])) / motion.metre
    reason = f"{path_m:.1f} nominal metres are walked, {chord_m:.1f} on a straight line"
    if chord_m < _STRAIGHT * path_m:
        return False, reason
    if scale.status == "relative":
        return False, "a model without a scale tells no length, not in steps either"
    if claim.length_m is None:
        return _FEW_LEAST_M <= chord_m <= _FEW_MOST_M, reason
    if scale.status != "metric":
        return False, "texts may not give lengths where no scale was measured"
    told_m = claim.length_m
    within_m = bars.length_m + (bars.length_share + 2.0 * scale.sigma) * told_m
    return chord_m - within_m <= told_m <= path_m + within_m, reason
