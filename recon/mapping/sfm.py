"""Structure from motion for clips: map, refine by the long tracks, add the other points, keep what has parallax.

A draft that is torn (`torn`), or a model that contradicts its matches (`contradictions`), is mapped again from that
place on: where a walk passes a blank wall, growth from one side may step into a wrong place that growth from the other
side does not. The matches are asked too because a walk that came out inside out, its sideways motion reversed, has no
tear. Global mapping, three to five times as expensive, comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pycolmap

from recon.adjust.refine import densify, refine, thin
from recon.audit.audit import LEAST_POINTS, Evidence, audit, find_flung
from recon.audit.parallax import is_standing, judge_parallax
from recon.audit.scale_hold import ScaleHoldOptions
from recon.audit.verdict import EvidenceKind, Verdict
from recon.colmap.database import copy_part
from recon.colmap.tasks import Packed, pack, quiet_colmap
from recon.findings import Finding
from recon.mapping.loop_closure import close_loops
from recon.mapping.mapping import (
    Attempt,
    MappingJob,
    halves_of,
    join_halves,
    make_attempt,
    map_again,
    map_globally,
    map_half,
    map_incrementally,
)
from recon.mapping.options import ENOUGH_OF_CLIP, SIFT_BARS, MappingBars, SfmOptions
from recon.records import Clip, SubModel
from recon.tasks import FanOut, Progress, fixed_threads, map_here


def reconstruct_clips(
    database_path: Path,
    frames_dir: Path,
    clips: Sequence[Clip],
    work_dir: Path,
    options: SfmOptions = SfmOptions(),
    seed: int = 0,
    progress: Progress | None = None,
    fan_out: FanOut = map_here,
    bars: MappingBars = SIFT_BARS,
    *,
    apart: bool = False,
) -> list[ClipResult]:
    """Recover camera poses and points from the frames of each clip, in an empty folder for the mapper's files.

    Clips that are mapped `apart` have a database each, so that machines that work on different ones share none.

    Returns:
        Every sub-model of every clip; none, with a finding that says why, where nothing could be reconstructed.
    """
    report = progress or (lambda _: None)
    jobs: list[MappingJob] = []
    for clip in clips:  # one after the other: whoever opens a database writes to it
        own = work_dir / f"{clip.name}.db" if apart else database_path
        if apart:
            copy_part(database_path, clip.frames, own, descriptors=True)
        jobs.append(MappingJob(own, frames_dir, clip.frames, work_dir / clip.name, options, bars, seed))
    with fixed_threads():
        parts = [halves_of(job) or (job,) for job in jobs]
        mapped: list[Packed[list[pycolmap.Reconstruction]]] = []
        for models in fan_out(map_part, [part for of_clip in parts for part in of_clip]):
            mapped.append(models)
            report(0.5 * len(mapped) / sum(map(len, parts)))
        waiting = iter(mapped)
        drafts = [
            ClipDraft(clip, job, [next(waiting) for _ in of]) for clip, job, of in zip(clips, jobs, parts, strict=True)
        ]
        results: list[ClipResult] = []
        for finished in fan_out(finish_clip, drafts):
            results.append(finished.unpack())
            report(0.5 + 0.5 * len(results) / len(clips))
    return results


@dataclass(frozen=True, eq=False)
class ClipResult:
    """What became of one clip."""

    clip: str
    sub_models: tuple[SubModel, ...]  # largest first, named `clip/0`, `clip/1`, ...
    findings: tuple[Finding, ...]
    sound_frames: int  # of the longest consistent stretch of the largest sub-model; 0 for none
    stands: bool = False  # whether nothing was mapped, and the matches tell that it was filmed from one place
    why_lost: str = ""  # why no frame has a pose; empty if any has one

    def with_finding(self, finding: Finding) -> ClipResult:
        """The same, and one thing more to say of the clip."""
        return replace(self, findings=(*self.findings, finding))


def map_part(job: MappingJob) -> Packed[list[pycolmap.Reconstruction]]:
    """A task: what incremental mapping makes of a whole clip, or of half of one, as it is.

    Returns:
        Models, largest first for a half; none if nothing could be mapped.
    """
    with quiet_colmap():
        return pack(map_half(job) if job.is_half else map_incrementally(job))


@dataclass(frozen=True)
class ClipDraft:
    """What `map_part` made of the parts of a clip."""

    clip: Clip
    job: MappingJob
    mapped: list[Packed[list[pycolmap.Reconstruction]]]


def finish_clip(draft: ClipDraft) -> Packed[ClipResult]:
    """A task: every sub-model of a clip; none, and why, if nothing could be reconstructed."""
    clip, job, mapped = draft.clip, draft.job, [models.unpack() for models in draft.mapped]
    with quiet_colmap():
        pycolmap.set_random_seed(job.seed)
        attempts = _attempts(clip, job, mapped)
        attempt = _best(attempts)
    sub_models = tuple(SubModel(f"{clip.name}/{k}", (clip.name,), model) for k, model in enumerate(attempt.models))
    is_flat = any(verdict.evidence == "parallax" for _, verdict in attempt.left_out)
    stands = not sub_models and is_standing(clip.frames, job.database_path, is_flat)
    where = f"clip {clip.name}"
    said = list(dict.fromkeys(_make_left_out_finding(where, *dropped) for dropped in attempt.left_out))
    why_lost = ""
    if stands:  # more frames of a camera that stands show no more of the scene
        why_lost = "the camera does not move through the scene: it stands still or only turns; walk while filming"
    elif not sub_models and is_flat:
        why_lost = (
            "what was mapped was dropped for want of parallax; film past furniture and corners, and walk meanwhile"
        )
    elif not sub_models:
        why_lost = (
            "too few frames share enough points; the input needs a camera that walks, with pictures that overlap; "
            "try a higher --sample.fps"
        )
    why_lost = why_lost and f"none of {len(clip.frames)} frames got a pose: {why_lost}"
    if sub_models and len(attempts) > 1:
        lengths = ", ".join(f"{other.name}: {other.audit.longest}" for other in attempts)
        message = (
            f"{attempt.name} mapping was kept; frames of {len(clip.frames)} in the longest consistent stretch of each "
            f"mapping: {lengths}"
        )
        said.append(Finding("info", "sfm.mapper", where, message))
    consistent = 0
    if attempt.models:
        # No mapper mends these, so they count only here, where it is decided whether other keypoints are asked.
        scale = Evidence(hold=ScaleHoldOptions(), leaps=True)
        consistent = audit(attempt.models[0], scale, known=attempt.audit.doubts).longest
    return pack(ClipResult(clip.name, sub_models, tuple(said), consistent, stands, why_lost))


def _attempts(clip: Clip, job: MappingJob, mapped: Sequence[Sequence[pycolmap.Reconstruction]]) -> list[Attempt]:
    """One attempt if it is whole, else more; the finished one with the longest consistent stretch is to be taken."""
    models = join_halves(mapped[0], mapped[1], len(clip.frames)) if len(mapped) > 1 else mapped[0]
    if len(mapped) > 1 and not models:  # the halves are not believed
        models = map_incrementally(job)
    draft = make_attempt("incremental", models, job)
    attempts = [draft]
    if job.bars.learned_follow and draft.audit.longest < _LEAST_CONSISTENT * len(clip.frames):
        return [_finish(draft, clip, job)]
    # Refining mends no tear, but most of what matches contradict: of an office walk the frames around a step that 4 of
    # 4 pairs spoke against were 18 cm off before it and 2.7 after.
    if any(doubt.evidence == "torn" for doubt in draft.audit.doubts):
        attempts += _map_again(draft, job)
    # Finishing costs more than mapping, so the best draft comes first, and the next only if it is needed.
    for place in _longest_first(attempts)[:_MOST_FINISHED]:
        attempts[place] = _finish(attempts[place], clip, job)
        if not attempts[place].audit.doubts:
            break
    left = attempts[0] if attempts[0].models else draft  # nothing of a wrong one may be left
    if len(attempts) == 1 and left.audit.doubts and (again := _map_again(left, job)):
        best = _longest_first(again)[0]
        again[best] = _finish(again[best], clip, job)
        attempts += again
    enough = ENOUGH_OF_CLIP * len(clip.frames)
    best = _best(attempts)
    if job.bars.may_map_globally and (best.registered < enough or (best.audit.doubts and best.audit.longest < enough)):
        attempts.append(_finish(make_attempt("global", map_globally(job), job), clip, job))
    return attempts


_LEAST_CONSISTENT = 0.5
"""Share of a clip in the longest consistent stretch of its first draft, below which it is left to learned keypoints. On
three hard phone tours with 0.2 to 0.45 neither another start nor global mapping mended anything, at 6 to 10 CPU-seconds
each; one with 0.6 came out whole globally."""
_MOST_FINISHED = 2  # drafts that are refined before global mapping has its turn


def _longest_first(attempts: Sequence[Attempt]) -> list[int]:
    return sorted(range(len(attempts)), key=lambda place: -attempts[place].audit.longest)


def _best(attempts: Sequence[Attempt]) -> Attempt:
    return max((attempt for attempt in attempts if attempt.finished), key=lambda attempt: attempt.audit.longest)


def _map_again(bad: Attempt, job: MappingJob) -> list[Attempt]:
    """Drafts that grow from either side of the worst place, until one is sound."""

    def grow_from(start: int) -> Attempt:
        name = f"incremental from frame {start}"
        return make_attempt(name, map_incrementally(job, start), job)

    return map_again(
        bad, job, grow_from, lambda draft: not draft.audit.doubts and draft.audit.longest > bad.audit.longest
    )


def _finish(draft: Attempt, clip: Clip, job: MappingJob) -> Attempt:
    """Refine what a mapper made, drop what has no depth or hangs on too little, and audit it again."""
    options = job.options
    left_out: list[tuple[int, Verdict]] = []
    kept: list[pycolmap.Reconstruction] = []
    placed: set[int] = set()

    def holds(model: pycolmap.Reconstruction, verdict: Verdict) -> bool:
        left_out.extend([] if verdict.ok else [(model.num_reg_images(), verdict)])
        return verdict.ok

    for model in draft.models:
        if not holds(model, judge_model(model, options.min_model_frames)):
            continue
        # Exclude frames of larger sub-models; else a tiny one can grow over the whole clip, distorted, and win.
        frames = (set(clip.frames) - placed) | set(model.reg_image_ids())
        for frame in find_flung(model):  # refinement registers it again where it belongs
            model.deregister_frame(model.image(frame).frame_id)
        thin(model)
        refine(model, job.database_path, frames, job.bars.refine, job.seed)
        model = close_loops(model, job.database_path, job.bars.refine, job.seed)
        densify(model, job.database_path, frames, seed=job.seed)
        if not holds(model, judge_model(model, options.min_model_frames)):
            continue
        if not holds(model, judge_parallax(model, job.database_path)):
            continue
        kept.append(model)
        placed.update(model.reg_image_ids())
    return make_attempt(draft.name, kept, job, finished=True, left_out=left_out)


def judge_model(model: pycolmap.Reconstruction, least_frames: int) -> Verdict:
    """Whether a sub-model has frames and points enough: the first verdict that is not ok, or the last."""
    frames = model.reg_image_ids()
    ends = min(frames, default=0), max(frames, default=0)

    def judge(kind: EvidenceKind, value: float, bar: float, words: str) -> Verdict:
        return Verdict(value >= bar, kind, value, bar, ends, words)

    verdict = judge("frames", len(frames), least_frames, f"fewer than {least_frames} frames")
    if verdict.ok:
        points = float(model.compute_mean_observations_per_reg_image())
        words = f"{points:.0f} points per frame, need {LEAST_POINTS}"
        verdict = judge("points", points, LEAST_POINTS, words)
    if verdict.ok:
        share = measure_seen_again(model)
        words = f"{share:.0%} of its points are seen in a third frame, need {_LEAST_SEEN_AGAIN:.0%}"
        verdict = judge("tracks", share, _LEAST_SEEN_AGAIN, words)
    return verdict


def measure_seen_again(model: pycolmap.Reconstruction) -> float:
    """Share of the points of a model that a third frame sees, 0 to 1; two frames agree on a point by chance."""
    lengths = np.array([point.track.length() for point in model.points3D.values()])
    return float(np.mean(lengths > 2)) if len(lengths) else 0.0


_LEAST_SEEN_AGAIN = 0.4
"""Learned keypoints made models of white noise whose share was 0.17 and 0.20; those of four filmed walks had 0.66 to
0.98, of a made one 0.98."""


def _make_left_out_finding(where: str, frames: int, verdict: Verdict) -> Finding:
    """What was dropped, and what to do about it."""
    if verdict.evidence == "frames":
        return Finding("info", "sfm.tiny_model", where, f"a sub-model of {verdict.words} was dropped")
    message = f"a sub-model of {frames} frames was dropped: {verdict.words}{_ADVICE.get(verdict.evidence, '')}"
    if verdict.evidence == "parallax":
        return Finding("warning", "sfm.no_parallax", where, message)
    return Finding("warning", "sfm.weak_model", where, message)


_ADVICE: dict[EvidenceKind, str] = {
    "points": "; the scene is blank, dark, blurred or full of moving people",
    "tracks": "; so few match by chance, in noise and in pictures without a common scene",
}
"""What a sub-model may be dropped for."""
