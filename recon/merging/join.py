"""One attempt to make two sub-models one: align, fuse, adjust, and judge what came of it (RoomTour3D, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
import pycolmap

from recon.adjust.refine import RefineOptions, adjust_and_filter, refine
from recon.adjust.thinning import ThinningOptions
from recon.audit.contradictions import ContradictionOptions, check_pairs
from recon.colmap.align import Alignment, align, measure_turn_apart
from recon.colmap.database import open_database
from recon.colmap.fuse import fuse
from recon.colmap.shared_frames import Agreement, find_shared_frames, read_pairs_across
from recon.merging.bridge import Bridge
from recon.merging.regrow import StraightenOptions
from recon.merging.seam_scale import seam_doubt
from recon.ranges import AtLeastOne, HalfTurn, NotNegative, Share
from recon.records import JoinedBy, MergeAttempt, SubModel


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """When two sub-models may become one."""

    min_shared_frames: AtLeastOne = 4
    """The paper joins models that share more than 3 frames."""
    max_center_disagreement_steps: NotNegative = 1.0
    """Median distance of the shared cameras after alignment, in median steps of the first model's walk."""
    max_center_disagreement_depth: NotNegative = 0.05
    """The same as a share of the median depth. Both must be exceeded: steps mean nothing where the camera stands."""
    max_rotation_disagreement_deg: HalfTurn = 3.0
    """Median angle between the shared cameras; two good models agree within a few tenths. Also by how much a join by
    matches may turn them against the frames beside them."""
    max_scale_disagreement: NotNegative = 0.15
    """Change of the relative scale along the shared frames. Two good models agree within a few percent."""
    max_lost_observations: Share = 0.2
    """Share of the observations of both that may be filtered away after the join."""
    max_contradicting_pairs: Share = 0.5
    """Share of the verified pairs across a join by shared frames that may contradict the merged model. Some do until
    the last refinement, since only the seam's surroundings have moved."""
    max_contradicting_by_matches: Share = 0.2
    """The same for a join by matches: sound ones at most 0.05, one at a scale wrong by half 0.49."""
    seam_frames: AtLeastOne = 100
    """A model of more frames is adjusted only around the seam until the end, so that the cost per join is bounded."""

    @property
    def agreement(self) -> Agreement:
        """What is asked of shared frames."""
        return Agreement(
            turn_deg=self.max_rotation_disagreement_deg,
            steps=self.max_center_disagreement_steps,
            depth=self.max_center_disagreement_depth,
            scale=self.max_scale_disagreement,
        )


@dataclass(frozen=True, kw_only=True)
class MergeBars:
    """How models are cut and refined; no options, but other ones for other keypoints."""

    straighten: StraightenOptions = StraightenOptions()
    """Cutting bent models, before they are joined and after."""
    refine: RefineOptions = RefineOptions(search_rounds=1, max_views=15)
    """Refinement of every merged model at the end. Asking 15 frames of each point costs half of asking all on ten
    minutes of tour, for the same result."""


_CONNECT = RefineOptions(search_rounds=0, thinning=ThinningOptions(points_per_frame=0))
"""How matches across a join become common points, and the adjustment after. All points stay: lost ones are evidence
against the join."""


@dataclass(frozen=True)
class JoinJob:
    """What every attempt needs."""

    options: MergeOptions
    database_path: Path | None
    seed: int
    bars: MergeBars = MergeBars()


def join_by_frames(
    one: SubModel, other: SubModel, shared: Sequence[int], name: str, job: JoinJob
) -> tuple[SubModel | None, MergeAttempt]:
    """Try a pair over the frames it shares; the larger model keeps its frame and unit."""
    start = perf_counter()
    first, second = _larger_first(one, other)
    attempt = begin_attempt(first, second, shared, "shared frames")
    alignment = align(first, second, shared)
    if alignment is None:
        reason = "the shared frames have too few points in common, so the scale between the models is unknown"
        return None, replace(attempt, reason=reason, seconds=perf_counter() - start)
    joined, attempt = _fuse_and_judge(first, second, alignment, shared, replace(attempt, result=name), job)
    return joined, replace(attempt, seconds=perf_counter() - start)


def join_by_matches(
    one: SubModel, other: SubModel, bridge: Bridge, name: str, job: JoinJob
) -> tuple[SubModel | None, MergeAttempt]:
    """Try a pair over a bridge of matches; `bridge` was found for the larger model as the first."""
    start = perf_counter()
    first, second = _larger_first(one, other)
    attempt = replace(begin_attempt(first, second, bridge.frames, "matches"), result=name)
    joined, attempt = _fuse_and_judge(first, second, bridge.alignment, bridge.frames, attempt, job)
    return joined, replace(attempt, seconds=perf_counter() - start)


def _larger_first(one: SubModel, other: SubModel) -> tuple[SubModel, SubModel]:
    return (one, other) if len(one.frames) >= len(other.frames) else (other, one)


def begin_attempt(first: SubModel, second: SubModel, shared: Sequence[int], joined_by: JoinedBy) -> MergeAttempt:
    """What is known of a pair before anything was tried."""
    return MergeAttempt(
        first=first.name,
        second=second.name,
        result="",
        shared_frames=tuple(shared),
        error_first_px=first.mean_reprojection_error_px,
        error_second_px=second.mean_reprojection_error_px,
        error_merged_px=None,
        center_disagreement=None,
        rotation_disagreement_deg=None,
        observations_before=sum(model.reconstruction.compute_num_observations() for model in (first, second)),
        observations_after=None,
        verdict="not aligned",
        reason="",
        seconds=0.0,
        joined_by=joined_by,
    )


def _fuse_and_judge(
    first: SubModel, second: SubModel, alignment: Alignment, shared: Sequence[int], attempt: MergeAttempt, job: JoinJob
) -> tuple[SubModel | None, MergeAttempt]:
    """Make one model and keep it if it is no worse than the two; `attempt.result` is its name."""
    options, name = job.options, attempt.result
    step = _median_step(first)
    attempt = replace(
        attempt,
        result="",
        verdict="rolled back",
        center_disagreement=alignment.center_disagreement / step if step > 0 else None,
        rotation_disagreement_deg=alignment.rotation_disagreement_deg,
        scale_disagreement=alignment.scale_disagreement,
    )
    if reason := options.agreement.find_disagreement(alignment, step):
        return None, replace(attempt, reason=reason)
    if reason := _scale_doubt(first, second, alignment, shared, attempt, job):
        return None, replace(attempt, verdict="not aligned", reason=reason)
    merged, before = _fuse_and_adjust(first, second, alignment, shared, attempt, job)
    asked, against = _pairs_across(merged, first, second, job)
    if attempt.joined_by == "shared frames" and _too_many(against, asked, options, attempt.joined_by):
        # The shared frames alone may hold the two badly. The matches across the join are given a say before a verdict.
        _connect(merged, job)
        asked, against = _pairs_across(merged, first, second, job)
    joined = SubModel(name, tuple(sorted({*first.clips, *second.clips})), merged)
    attempt = replace(
        attempt,
        error_merged_px=joined.mean_reprojection_error_px,
        observations_before=before,
        observations_after=merged.compute_num_observations(),
        asked_pairs=asked if job.database_path is not None else None,
        contradicting_pairs=against if job.database_path is not None else None,
    )
    if reason := _damage(joined, attempt, options):
        return None, replace(attempt, reason=reason)
    if _too_many(against, asked, options, attempt.joined_by):
        return None, replace(attempt, reason=_say_contradicted(against, asked))
    held = find_shared_frames(first, second)
    if attempt.joined_by == "matches" and (reason := _find_bend(joined, (first, second), held, options)):
        bent = min(*held, *shared), max(*held, *shared)
        return None, replace(attempt, reason=f"{reason} in frames {bent[0]}-{bent[1]}", bent=bent)
    placed = "frames placed by matches" if attempt.joined_by == "matches" else "shared frames"
    reason = f"{len(shared)} {placed} agree over {alignment.common_points} common keypoints"
    return joined, replace(attempt, result=name, verdict="accepted", reason=reason)


def _find_bend(joined: SubModel, parts: Sequence[SubModel], held: Sequence[int], options: MergeOptions) -> str:
    """Why one of two models must be bent, if joined by other frames they tear where they hold the same ones.

    Where shared frames do not know their scale, they still know how they are turned against the frames beside them. A
    bend that the matches take out moves to where a model is held least; one that they cannot opens the seam.
    """
    few = options.min_shared_frames
    for part in parts if len(held) >= few else ():
        beyond = sorted(set(part.frames).difference(held))
        if not beyond:
            continue
        beside = _choose_nearest(beyond, held, few)
        apart_deg = measure_turn_apart(joined, part, _choose_nearest(held, beside, few), beside)
        if apart_deg > options.max_rotation_disagreement_deg:
            return (
                f"joined by the matches of other frames, the frames that both hold would be turned by {apart_deg:.1f} "
                f"deg against those beside them, allowed {options.max_rotation_disagreement_deg}: one of the two is "
                "bent"
            )
    return ""


def _choose_nearest(frames: Sequence[int], others: Sequence[int], count: int) -> list[int]:
    """Those of the frames that are nearest in time to any of the others."""
    return sorted(frames, key=lambda frame: (min(abs(frame - other) for other in others), frame))[:count]


def _fuse_and_adjust(
    first: SubModel, second: SubModel, alignment: Alignment, shared: Sequence[int], attempt: MergeAttempt, job: JoinJob
) -> tuple[pycolmap.Reconstruction, int]:
    """One model of both, adjusted around the seam, and its observations before that."""
    merged = fuse(first.reconstruction, second.reconstruction, alignment.first_from_second)
    before = merged.compute_num_observations()
    if attempt.joined_by == "matches":
        _connect(merged, job)  # no keypoint is in both models yet
    else:
        adjust_and_filter(merged, _choose_moving_frames(first, second, shared, job.options))
    return merged, before


def _connect(merged: pycolmap.Reconstruction, job: JoinJob) -> None:
    """Make the matches across the join common points, and adjust."""
    if job.database_path is not None:
        refine(merged, job.database_path, merged.reg_image_ids(), _CONNECT, job.seed)


def _too_many(against: int, asked: int, options: MergeOptions, joined_by: JoinedBy) -> bool:
    """Whether the matches across a join contradict it."""
    by_matches = joined_by == "matches"
    allowed = options.max_contradicting_by_matches if by_matches else options.max_contradicting_pairs
    return against >= ContradictionOptions().min_pairs and against > allowed * asked


def _say_contradicted(against: int, asked: int) -> str:
    return f"{against} of {asked} matched pairs across the join contradict the joined model"


def find_contradiction(joined: SubModel, first: SubModel, second: SubModel, job: JoinJob) -> str:
    """Why the matches between frames of only one of two models and only the other speak against the model of both.

    As strict as for a join by matches. Empty if they do not.
    """
    asked, against = _pairs_across(joined.reconstruction, first, second, job)
    return _say_contradicted(against, asked) if _too_many(against, asked, job.options, "matches") else ""


def _choose_moving_frames(first: SubModel, second: SubModel, shared: Sequence[int], options: MergeOptions) -> set[int]:
    """Frames that the join's adjustment moves: all of a model of few frames, the seam's surroundings in one of many."""
    moving: set[int] = set()
    for model in (first, second):
        frames = np.array(model.frames)
        places = np.searchsorted(frames, shared)
        reach = options.seam_frames // 2 if len(frames) > options.seam_frames else len(frames)
        moving.update(frames[max(0, places.min() - reach) : places.max() + reach + 1].tolist())
    return moving


def _median_step(model: SubModel) -> float:
    """Median distance between consecutive registered frames; 0 for a single one."""
    centers = np.array([model.reconstruction.image(frame).projection_center() for frame in model.frames])
    return float(np.median(np.linalg.norm(np.diff(centers, axis=0), axis=1))) if len(centers) > 1 else 0.0


def _scale_doubt(
    first: SubModel, second: SubModel, alignment: Alignment, shared: Sequence[int], attempt: MergeAttempt, job: JoinJob
) -> str:
    """Why the scale that the shared frames tell is not believed; empty if it is."""
    drift = job.options.agreement.find_drift(alignment)
    if drift or job.database_path is None or attempt.joined_by == "matches":
        return drift
    similarity = alignment.first_from_second
    return seam_doubt(first, second, shared, similarity, job.database_path, seed=job.seed)


def _damage(joined: SubModel, attempt: MergeAttempt, options: MergeOptions) -> str:
    """Why the joined model is worse than two models; empty if it is not."""
    allowed = attempt.error_first_px + attempt.error_second_px
    if joined.mean_reprojection_error_px > allowed:
        return (
            f"reprojection error {joined.mean_reprojection_error_px:.2f} px exceeds the sum of both, {allowed:.2f} px"
        )
    lost = 1.0 - joined.reconstruction.compute_num_observations() / max(1, attempt.observations_before)
    if lost > options.max_lost_observations:
        return (
            f"{lost:.0%} of the observations do not fit the joined model, allowed {options.max_lost_observations:.0%}"
        )
    return ""


def _pairs_across(joined: pycolmap.Reconstruction, first: SubModel, second: SubModel, job: JoinJob) -> tuple[int, int]:
    """Verified pairs with one frame from each model only: how many were asked, and how many contradict the join."""
    if job.database_path is None:
        return 0, 0
    with open_database(job.database_path) as database:
        across = [(a, b) for a, b, _ in read_pairs_across(database, first.frames, second.frames)]
    asked = across[:: max(1, len(across) // _MOST_ASKED)]
    checks = check_pairs(joined, job.database_path, job.bars.straighten.check, within=asked)
    return len(checks), sum(check.contradicts for check in checks)


_MOST_ASKED = 200
"""Pairs across a join, spread evenly: a share of 200 is good to 0.035, and each pair costs milliseconds."""
