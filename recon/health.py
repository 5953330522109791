"""Figures per model that tell a sound reconstruction from one that only looks sound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycolmap

from recon.contradictions import check_pairs, verified_pairs
from recon.database import opened
from recon.epipolar import fit_of
from recon.geometry import Camera, Pose
from recon.pose_uncertainty import UncertaintyOptions, pose_uncertainty
from recon.records import MergeAttempt, ModelHealth, PoseSigma, SubModel
from recon.scale_hold import scale_sigmas

_REVISIT_GAP = 20
"""Frames further apart than this in number are from another time."""
_LOOP_PAIRS = 100
"""So many revisits tell the residual as well as all."""
_OPEN_LOOP_PX = 5.0
"""Median distance from the epipolar lines. Revisits of sound models: at most 3 px; of an office walk whose scale had
drifted by a fifth between the visits: 55 to 77 px in 9 of 73, none of which another pose explained much better."""
_ENDS = 4
"""First and last frames of a walk: so few hold no scale, and need none."""


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
    options: UncertaintyOptions = UncertaintyOptions(),
    num_threads: int = -1,
) -> Assessment:
    """Measure one sub-model.

    Args:
        model: As it came from merging.
        tour_frames: Indices of all frames of the tour.
        database_path: From `build_database`; without it nothing is said of matches and loops.
        attempts: The merge log, for the scale drift between the parts of the model.
        options: Windows of the pose uncertainty.
        num_threads: -1 uses all cores.
    """
    reconstruction, frames = model.reconstruction, model.frames
    between = [frame for frame in tour_frames if frames[0] <= frame <= frames[-1]]
    checks = [] if database_path is None else check_pairs(reconstruction, database_path)
    revisits = [] if database_path is None else _revisits(reconstruction, database_path)
    loops = {} if database_path is None else _loop_residuals_px(reconstruction, database_path, revisits)
    loop_checks = [] if database_path is None else check_pairs(reconstruction, database_path, within=revisits)
    open_loops = {pair for pair, residual_px in loops.items() if residual_px > _OPEN_LOOP_PX}
    contradicted = open_loops.union((check.first, check.second) for check in loop_checks if check.contradicts)
    inner = scale_sigmas(reconstruction)[_ENDS:-_ENDS]
    drifts = [
        attempt.scale_disagreement
        for attempt in attempts
        if attempt.verdict == "accepted" and attempt.scale_disagreement is not None and _inside(attempt, model)
    ]
    health = ModelHealth(
        frames=len(frames),
        registered_share=len(frames) / max(1, len(between)),
        mean_track_length=float(reconstruction.compute_mean_track_length()),
        checked_pairs=len(checks),
        contradicting_pairs=sum(check.contradicts for check in checks),
        loop_pairs=len(loops),
        loop_residual_px=float(np.median(list(loops.values()))) if loops else None,
        contradicting_loops=len(contradicted),
        scale_sigma=float(min(inner.max(), 1.0)) if len(inner) else None,
        scale_drift=max(drifts, default=None),
    )
    return Assessment(health, pose_uncertainty(reconstruction, options, num_threads))


def _inside(attempt: MergeAttempt, model: SubModel) -> bool:
    """Whether a join became part of the model: it holds the frames that joined it."""
    return set(attempt.shared_frames).issubset(model.frames)


def _revisits(model: pycolmap.Reconstruction, database_path: Path) -> list[tuple[int, int]]:
    """Verified pairs of the model's frames from different times, spread evenly over all of them."""
    frames = set(model.reg_image_ids())
    with opened(database_path) as database:
        ids, _ = database.read_two_view_geometry_num_inliers()
    pairs = sorted(pycolmap.pair_id_to_image_pair(pair) for pair in ids)
    found = [(a, b) for a, b in pairs if a in frames and b in frames and b - a >= _REVISIT_GAP]
    return found[:: -(-len(found) // _LOOP_PAIRS)] if found else []


def _loop_residuals_px(
    model: pycolmap.Reconstruction, database_path: Path, revisits: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], float]:
    """Median epipolar distance of each revisit that shows depth, under the model's poses."""
    if not revisits:
        return {}
    poses = {frame: Pose.from_rigid3d(model.image(frame).cam_from_world()) for frame in model.reg_image_ids()}
    camera = Camera.from_colmap(model.camera(model.image(min(poses)).camera_id))
    return {
        (pair.first, pair.second): float(
            np.median(fit_of(poses[pair.second] @ poses[pair.first].inverse(), pair).error_px)
        )
        for pair in verified_pairs(database_path, camera, revisits, min_matches=1)
    }
