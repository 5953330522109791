"""Join sub-models over the frames they share: align, fuse, adjust, and undo what made things worse.

Depth first over the merge graph from the first clip (RoomTour3D, section 3). A join is undone when the merged model's
reprojection error exceeds the sum of the two, when the shared cameras disagree after alignment, or when too many
observations are lost. What cannot be joined stays as a model of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

import numpy as np
import pycolmap

from recon.align import Alignment, align
from recon.colmap_log import quiet_colmap
from recon.findings import Finding
from recon.fuse import fuse
from recon.overlap import build_graph
from recon.records import MergeAttempt, SubModel
from recon.refine import RefineOptions, adjust_and_filter, refine

Progress = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """When two sub-models may become one."""

    min_shared_frames: int = 4
    """The paper joins models that share more than 3 frames."""
    max_center_disagreement_steps: float = 1.0
    """Median distance of the shared cameras after alignment, in median steps of the first model's walk."""
    max_center_disagreement_depth: float = 0.05
    """The same as a share of the median depth. Both must be exceeded: steps mean nothing where the camera stands."""
    max_rotation_disagreement_deg: float = 3.0
    """Median angle between the shared cameras; two good models agree within a few tenths."""
    max_lost_observations: float = 0.2
    """Share of the observations of both that may be filtered away after the join."""
    seam_frames: int = 200
    """A model of more frames is adjusted only around the seam until the end, so that the cost per join is bounded."""
    refine: RefineOptions = field(default_factory=lambda: RefineOptions(search_rounds=1))
    """Adjustment after each join, and of every merged model at the end."""


@dataclass(frozen=True, eq=False)
class MergeResult:
    """What became of the sub-models."""

    models: tuple[SubModel, ...]
    """Largest first, named `merged/0`, `merged/1`, ..."""
    attempts: tuple[MergeAttempt, ...]
    """In the order tried."""
    findings: tuple[Finding, ...]


def merge_sub_models(
    sub_models: Sequence[SubModel],
    database_path: Path | None = None,
    options: MergeOptions = MergeOptions(),
    num_threads: int = -1,
    seed: int = 0,
    progress: Progress | None = None,
) -> MergeResult:
    """Join all sub-models that share frames and agree.

    Args:
        sub_models: Of one tour and one database, with different names; never modified.
        database_path: Where given, joined models are refined once more with the database's matches, which adds points
            across the seams.
        options: When a join is undone.
        num_threads: -1 uses all cores.
        seed: Of random sampling.
        progress: Called with a fraction from 0 to 1.

    Returns:
        Models that keep every input frame. Empty for no sub-models.
    """
    report = progress or (lambda _: None)
    with quiet_colmap():
        pycolmap.set_random_seed(seed)
        nodes, attempts = _join_all(sub_models, options, num_threads, report)
        ordered = sorted(nodes, key=lambda model: (-len(model.frames), model.frames))
        finished: list[SubModel] = []
        for place, model in enumerate(ordered):
            reconstruction = pycolmap.Reconstruction(model.reconstruction)
            if database_path is not None and model.name.startswith(_JOIN):
                refine(reconstruction, database_path, model.frames, options.refine, num_threads, seed)
            finished.append(SubModel(f"merged/{place}", model.clips, reconstruction))
    report(1.0)
    return MergeResult(tuple(finished), tuple(attempts), tuple(_findings(ordered, attempts)))


_JOIN = "join/"


def _join_all(
    sub_models: Sequence[SubModel], options: MergeOptions, num_threads: int, progress: Progress
) -> tuple[list[SubModel], list[MergeAttempt]]:
    """Depth first: stay with the node that grew until none of its neighbours fits, then go to the next."""
    nodes = {model.name: model for model in sorted(sub_models, key=_clip_order)}
    attempts: list[MergeAttempt] = []
    undone: set[frozenset[str]] = set()
    settled: set[str] = set()
    while current := next((name for name in nodes if name not in settled), None):
        graph = build_graph(nodes.values(), options.min_shared_frames)
        untried = [other for other in graph.neighbors(current) if frozenset((current, other)) not in undone]
        partner = max(untried, key=lambda other: len(graph.edges[current, other]["shared"]), default=None)
        if partner is None:
            settled.add(current)
            continue
        shared = graph.edges[current, partner]["shared"]
        joined, attempt = _join(nodes[current], nodes[partner], shared, f"{_JOIN}{len(attempts)}", options, num_threads)
        attempts.append(attempt)
        if joined is None:
            undone.add(frozenset((current, partner)))
        else:
            rest = [model for name, model in nodes.items() if name not in (current, partner)]
            nodes = {model.name: model for model in sorted([joined, *rest], key=_clip_order)}
            settled.clear()
        progress(min(0.8, len(attempts) / max(1, len(sub_models))))
    return list(nodes.values()), attempts


def _clip_order(model: SubModel) -> tuple[str, int, str]:
    """First clip first, the larger model of a clip first."""
    return (min(model.clips), -len(model.frames), model.name)


def _join(
    one: SubModel, other: SubModel, shared: Sequence[int], name: str, options: MergeOptions, num_threads: int
) -> tuple[SubModel | None, MergeAttempt]:
    """Try one pair; the larger model keeps its frame and unit."""
    start = perf_counter()
    first, second = (one, other) if len(one.frames) >= len(other.frames) else (other, one)
    attempt = MergeAttempt(
        first=first.name,
        second=second.name,
        result="",
        shared_frames=tuple(shared),
        error_first_px=first.mean_reprojection_error_px,
        error_second_px=second.mean_reprojection_error_px,
        error_merged_px=None,
        center_disagreement=None,
        rotation_disagreement_deg=None,
        observations_before=_observations(first) + _observations(second),
        observations_after=None,
        verdict="not aligned",
        reason="the shared frames have too few points in common, so nothing tells the scale between the models",
        seconds=0.0,
    )
    alignment = align(first, second, shared)
    if alignment is None:
        return None, replace(attempt, seconds=perf_counter() - start)
    step = _median_step(first)
    attempt = replace(
        attempt,
        verdict="rolled back",
        center_disagreement=alignment.center_disagreement / step if step > 0 else None,
        rotation_disagreement_deg=alignment.rotation_disagreement_deg,
    )
    if reason := _disagreement(alignment, step, options):
        return None, replace(attempt, reason=reason, seconds=perf_counter() - start)
    merged = fuse(first.reconstruction, second.reconstruction, alignment.first_from_second)
    before = merged.compute_num_observations()
    adjust_and_filter(merged, _moving_frames(first, second, shared, options), options.refine, num_threads)
    after = merged.compute_num_observations()
    joined = SubModel(name, tuple(sorted({*first.clips, *second.clips})), merged)
    attempt = replace(
        attempt,
        error_merged_px=joined.mean_reprojection_error_px,
        observations_before=before,
        observations_after=after,
        seconds=perf_counter() - start,
    )
    if reason := _damage(joined, attempt, options):
        return None, replace(attempt, reason=reason)
    reason = f"{len(shared)} shared frames agree over {alignment.common_points} common keypoints"
    return joined, replace(attempt, result=name, verdict="accepted", reason=reason)


def _moving_frames(first: SubModel, second: SubModel, shared: Sequence[int], options: MergeOptions) -> set[int]:
    """Frames that the join's adjustment moves: the second model and the first's surroundings of the seam."""
    if len(first.frames) <= options.seam_frames:
        return {*first.frames, *second.frames}
    places = np.searchsorted(first.frames, shared)
    around = range(
        max(0, int(places.min()) - options.seam_frames // 2), int(places.max()) + options.seam_frames // 2 + 1
    )
    return {*second.frames, *(first.frames[place] for place in around if place < len(first.frames))}


def _observations(model: SubModel) -> int:
    return int(model.reconstruction.compute_num_observations())


def _median_step(model: SubModel) -> float:
    """Median distance between consecutive registered frames; 0 for a single one."""
    centers = np.array([model.reconstruction.image(frame).projection_center() for frame in model.frames])
    return float(np.median(np.linalg.norm(np.diff(centers, axis=0), axis=1))) if len(centers) > 1 else 0.0


def _disagreement(alignment: Alignment, step: float, options: MergeOptions) -> str:
    """Why the aligned models cannot show the same place; empty if they can."""
    turned = alignment.rotation_disagreement_deg
    if turned > options.max_rotation_disagreement_deg:
        return f"shared cameras differ by {turned:.1f} deg, allowed {options.max_rotation_disagreement_deg}"
    off = alignment.center_disagreement
    if (
        off > options.max_center_disagreement_steps * step
        and off > options.max_center_disagreement_depth * alignment.depth
    ):
        return (
            f"shared cameras lie {off / step if step > 0 else np.inf:.1f} steps apart after alignment, "
            f"allowed {options.max_center_disagreement_steps}"
        )
    return ""


def _damage(joined: SubModel, attempt: MergeAttempt, options: MergeOptions) -> str:
    """Why the joined model is worse than two models; empty if it is not."""
    allowed = attempt.error_first_px + attempt.error_second_px
    if joined.mean_reprojection_error_px > allowed:
        return (
            f"reprojection error {joined.mean_reprojection_error_px:.2f} px exceeds the sum of both, {allowed:.2f} px"
        )
    lost = 1.0 - (attempt.observations_after or 0) / max(1, attempt.observations_before)
    if lost > options.max_lost_observations:
        return (
            f"{lost:.0%} of the observations do not fit the joined model, allowed {options.max_lost_observations:.0%}"
        )
    return ""


def _findings(models: Sequence[SubModel], attempts: Sequence[MergeAttempt]) -> list[Finding]:
    """What a user should know: joins that were undone, and models that stay apart."""
    undone = [attempt for attempt in attempts if attempt.verdict != "accepted"]
    findings = [
        Finding("warning", "merge.undone", f"{attempt.first} + {attempt.second}", f"not joined: {attempt.reason}")
        for attempt in undone
    ]
    if len(models) > 1:
        sizes = ", ".join(str(len(model.frames)) for model in models)
        message = f"the tour stays in {len(models)} models of {sizes} frames; see the merge log for each attempt"
        findings.append(Finding("warning", "merge.apart", "tour", message))
    return findings
