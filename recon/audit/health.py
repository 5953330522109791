"""Figures per model that tell a sound reconstruction from one that only looks sound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recon.audit.contradictions import ContradictionOptions, check_pairs
from recon.audit.pose_uncertainty import pose_uncertainty
from recon.audit.revisits import RevisitChecks, check_revisits, count_places
from recon.audit.scale_hold import scale_sigmas
from recon.records import MergeAttempt, ModelHealth, PoseSigma, SubModel
from recon.tasks import FanOut, map_here

_ENDS = 4  # first and last frames of a walk: so few hold no scale, and need none


@dataclass(frozen=True)
class Assessment:
    """What is known of the quality of one sub-model, in its own unit."""

    health: ModelHealth
    pose_sigma: Mapping[int, PoseSigma]


def assess(
    model: SubModel,
    tour_frames: Sequence[int],
    database_path: Path | None,
    attempts: Sequence[MergeAttempt] = (),
    fan_out: FanOut = map_here,
    check: ContradictionOptions = ContradictionOptions(),
) -> Assessment:
    """Measure one sub-model as it came from merging, among all frames of its tour.

    Without a database nothing is said of matches and loops; the merge log tells the scale drift between its parts.
    """
    reconstruction, frames = model.reconstruction, model.frames
    between = [frame for frame in tour_frames if frames[0] <= frame <= frames[-1]]
    checks = [] if database_path is None else check_pairs(reconstruction, database_path, check)
    visits = RevisitChecks({}, frozenset())
    if database_path is not None:
        visits = check_revisits(reconstruction, database_path, check)
    loops = visits.residuals_px
    inner = scale_sigmas(reconstruction)[_ENDS:-_ENDS]
    drifts = [  # of joins that became part of the model: it holds the frames that joined them
        attempt.scale_disagreement
        for attempt in attempts
        if attempt.verdict == "accepted"
        and attempt.scale_disagreement is not None
        and set(attempt.shared_frames).issubset(frames)
    ]
    health = ModelHealth(
        frames=len(frames),
        registered_share=len(frames) / max(1, len(between)),
        mean_track_length=float(reconstruction.compute_mean_track_length()),
        checked_pairs=len(checks),
        contradicting_pairs=sum(check.contradicts for check in checks),
        loop_pairs=len(loops),
        loop_residual_px=float(np.median(list(loops.values()))) if loops else None,
        contradicting_loops=len(visits.contradicting),
        scale_sigma=float(min(inner.max(), 1.0)) if len(inner) else None,
        scale_drift=max(drifts, default=None),
        contradicting_places=count_places(visits.contradicting),
    )
    return Assessment(health, pose_uncertainty(reconstruction, fan_out))
