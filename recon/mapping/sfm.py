"""Structure from motion for one clip: map, refine by the long tracks, add the other points, keep what has parallax.

A model that is torn (`torn`) or contradicts its matches (`contradictions`) is mapped again from that place on: where a
walk passes a blank wall, growth from one side may step into a wrong place that growth from the other side does not. The
matches are asked too because a walk that came out inside out, its sideways motion reversed, has no tear. Global
mapping, three to five times as expensive, comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import pycolmap
from annotated_types import Ge, Le

from recon.adjust.densify import DensifyOptions, densify
from recon.adjust.refine import RefineOptions, refine
from recon.adjust.thinning import ThinningOptions, thin
from recon.colmap.log import quiet_colmap
from recon.colmap.packed import PackedModel, pack
from recon.colmap.parallax import relative_baseline
from recon.diagnosis.contradictions import ContradictionOptions
from recon.diagnosis.diagnose import diagnose
from recon.diagnosis.scale_hold import ScaleHoldOptions
from recon.diagnosis.seams import split_at, weak_seams
from recon.diagnosis.torn import TornOptions
from recon.findings import Finding
from recon.mapping.attempts import Attempt, Mapper, make_attempt, map_again
from recon.mapping.flat_models import is_standing, keep_moving_part
from recon.mapping.halves import halves_of, join_halves, map_half
from recon.mapping.mapping import MappingJob, map_globally, map_incrementally
from recon.ranges import AtLeastOne, Count, HalfTurn, NotNegative, Positive, Share
from recon.records import Clip, SubModel
from recon.tasks import THREADS_PER_TASK


@dataclass(frozen=True, kw_only=True)
class SfmOptions:
    """How one clip is mapped."""

    mapper: Literal["auto", "incremental", "global"] = "auto"
    """`auto` maps incrementally, from another start where that tears, and globally where `auto_registered_share` of the
    clip is not whole yet; the longest sound stretch wins."""
    min_model_frames: Annotated[int, Ge(2), Le(1_000_000)] = 3
    """Smaller sub-models are dropped (and counted in a finding)."""
    init_min_inliers: AtLeastOne = 50
    """Matches a first pair needs. Half of COLMAP's default: 360-line frames have few keypoints."""
    init_min_angle_deg: HalfTurn = 6.0
    """Median triangulation angle of a first pair. COLMAP asks for 16 and 100 matches, which in a walk leads to pairs
    far apart: of 20 first mappings of the office 15 were torn, with 8 degrees and 50 matches 7, with 6 degrees 4."""
    register_min_inliers: AtLeastOne = 15
    """3D points a new frame must agree with. Half of COLMAP's default; with 30 office walks break at blank walls."""
    register_min_inlier_ratio: NotNegative = 0.25
    """And the share of those it might see; COLMAP's default, by which it chooses how many poses it tries."""
    register_max_error_px: Positive = 8.0
    """Reprojection error that counts as agreement. COLMAP's 12 are meant for large pictures."""
    auto_registered_share: Share = 0.9
    """`auto` accepts incremental mapping when its sub-models hold this share of the clip, and the largest has
    no tear or an untorn stretch of that length; merging looks after the rest."""
    min_relative_baseline: NotNegative = 0.05
    """Spread of the camera centres over the median depth; below it there is no parallax and depths mean nothing."""
    min_parallax_share: Share = 0.2
    """Share of its matches, in a median frame, that no homography explains; below it the camera stood or only turned,
    or there are only planes. On walks 0.28 and more, standing before moving people 0.13, turning 0.05."""
    min_moving_frames: Count = 0
    """A model with a lower share is kept all the same if so many frames tell by most of their matches that they were
    taken from elsewhere; 0: never. On walks along bare walls 12 and more (try 8), standing and turning on the spot 0.
    Off, because one of three such models was 1.1 % of its path off and nothing told it from the others."""
    min_observations: AtLeastOne = 20
    """Points an average frame of a sub-model must see; poses that hang on fewer are chance."""
    min_seam_points: AtLeastOne = 20
    """A model is cut where fewer points than this are seen from both sides: their relation would be invented."""
    torn: TornOptions = TornOptions()
    """When a model is mapped again."""
    check: ContradictionOptions = ContradictionOptions()
    """Which places of a model the matches contradict: half a second for 200 frames."""
    thinning: ThinningOptions = ThinningOptions()
    """The points that are kept of what mapping made."""
    refine: RefineOptions = RefineOptions()
    """Final refinement of each sub-model."""
    densify: DensifyOptions = DensifyOptions()
    """Triangulation of all other points in the refined sub-model."""
    last_refine: Literal["usual", "full"] = "usual"
    """`full` refines the poses of the finished models once more, by more keypoints in the pictures at full resolution.
    For clean pictures: on 100 exact made ones the error fell from 0.4 to 0.1 cm, for 1.7 times the CPU of all the rest
    of the reconstruction."""


@dataclass(frozen=True, eq=False)
class ClipResult:
    """What became of one clip."""

    clip: str
    sub_models: tuple[SubModel, ...]
    """Largest first, named `clip/0`, `clip/1`, ..."""
    mapper: Mapper
    mapper_reason: str
    findings: tuple[Finding, ...]
    sound_frames: int
    """Of the longest stretch of the largest sub-model without a tear, a contradiction or a place that nothing holds the
    scale across; 0 for none."""


@dataclass(frozen=True)
class MapPart:
    """A task: what incremental mapping makes of a whole clip, or of half of one, as it is."""

    options: SfmOptions

    def __call__(self, part: ClipPart) -> list[PackedModel]:
        """Models, largest first for a half; none if nothing could be mapped."""
        with quiet_colmap():
            if part.is_half:
                models = map_half(part.job, self.options.thinning, self.options.torn)
            else:
                models = map_incrementally(part.job)
        return [pack(model) for model in models]


@dataclass(frozen=True)
class ClipPart:
    """What one run of a mapper is given."""

    job: MappingJob
    is_half: bool


def parts_to_map(job: MappingJob, options: SfmOptions) -> list[ClipPart]:
    """What incremental mapping of a clip begins with: two halves of a long one; nothing if it is mapped globally."""
    if options.mapper == "global":
        return []
    halves = halves_of(job, options.torn)
    return [ClipPart(job, False)] if halves is None else [ClipPart(half, True) for half in halves]


def finish_clip(
    clip: Clip, job: MappingJob, mapped: Sequence[Sequence[pycolmap.Reconstruction]], options: SfmOptions
) -> ClipResult:
    """The sub-models of a clip from what `MapPart` made of its parts.

    Args:
        clip: Its frames are the only ones used.
        job: How the whole clip is mapped.
        mapped: Models per part of `parts_to_map`.
        options: Thresholds and choice of mapper.

    Returns:
        Every sub-model; none, with a finding that says why, if nothing could be reconstructed.
    """
    with quiet_colmap():
        pycolmap.set_random_seed(job.seed)
        attempts = _attempts(clip, job, mapped, options)
        attempt = _best(attempts)
        for model in attempt.models:
            model.extract_colors_for_all_images(job.frames_dir, THREADS_PER_TASK)
    sub_models = tuple(SubModel(f"{clip.name}/{k}", (clip.name,), model) for k, model in enumerate(attempt.models))
    reason = _reason(attempts, len(clip.frames), options)
    dropped = any(finding.code == "sfm.no_parallax" for finding in attempt.findings)
    least = options.min_parallax_share, options.min_moving_frames
    stands = not sub_models and is_standing(clip.frames, job.database_path, *least, dropped)
    said = [*dict.fromkeys(attempt.findings), *_coverage(clip, sub_models, stands)]
    if sub_models and len(attempts) > 1:
        said.append(Finding("info", "sfm.mapper", f"clip {clip.name}", f"{attempt.name} mapping was taken; {reason}"))
    # No mapper mends an open scale, so it counts only here, where it is decided whether other keypoints are asked.
    open_scale = diagnose(attempt.models[0], job.database_path, hold=ScaleHoldOptions()) if attempt.models else None
    sound_frames = attempt.longest_without([doubt.place for doubt in open_scale.doubts] if open_scale else [])
    return ClipResult(clip.name, sub_models, attempt.mapper, reason, tuple(said), sound_frames)


def make_mapping_job(
    database_path: Path,
    frames_dir: Path,
    frames: tuple[int, ...],
    work_dir: Path,
    options: SfmOptions = SfmOptions(),
    seed: int = 0,
) -> MappingJob:
    """What the mappers need of a clip and the options."""
    return MappingJob(
        database_path=database_path,
        frames_dir=frames_dir,
        frames=frames,
        work_dir=work_dir,
        min_model_frames=options.min_model_frames,
        init_min_inliers=options.init_min_inliers,
        init_min_angle_deg=options.init_min_angle_deg,
        register_min_inliers=options.register_min_inliers,
        register_min_inlier_ratio=options.register_min_inlier_ratio,
        register_max_error_px=options.register_max_error_px,
        min_seam_points=options.min_seam_points,
        seed=seed,
    )


def _attempts(
    clip: Clip, job: MappingJob, mapped: Sequence[Sequence[pycolmap.Reconstruction]], options: SfmOptions
) -> list[Attempt]:
    """One attempt if it is whole, else more; the finished one with the longest sound stretch is to be taken."""

    def finish(draft: Attempt, compared: bool = True) -> Attempt:
        attempt = _finish(draft, clip, job, options)
        return _add_contradicted(attempt, job, options) if compared else attempt

    if options.mapper == "global":
        return [finish(_draft("global", "global", map_globally(job), job, options), compared=False)]
    models = join_halves(mapped[0], mapped[1], len(clip.frames)) if len(mapped) > 1 else mapped[0]
    if len(mapped) > 1 and not models:  # the halves are not believed
        models = map_incrementally(job)
    attempts = [_add_contradicted(_draft("incremental", "incremental", models, job, options), job, options)]
    if not attempts[0].sound:
        attempts += _map_again(attempts[0], job, options)
    # Finishing costs more than mapping, so the best draft comes first, and the next only if it is needed.
    for place in _longest_first(attempts)[:_MOST_FINISHED]:
        attempts[place] = finish(attempts[place], compared=len(attempts) > 1)
        if attempts[place].sound:
            break
    if len(attempts) == 1 and not attempts[0].sound:
        again = _map_again(attempts[0], job, options)
        attempts = [_add_contradicted(attempts[0], job, options), *again]
        if again:
            best = 1 + _longest_first(again)[0]
            attempts[best] = finish(attempts[best])
    enough = options.auto_registered_share * len(clip.frames)
    best = _best(attempts)
    broken = best.registered < enough or not (best.sound or best.longest >= enough)
    if options.mapper == "auto" and broken:
        if len(attempts) == 1:
            attempts = [_add_contradicted(attempts[0], job, options)]
        attempts.append(finish(_draft("global", "global", map_globally(job), job, options)))
    return attempts


_MOST_FINISHED = 2
"""Drafts that are refined before global mapping has its turn."""


def _longest_first(attempts: Sequence[Attempt]) -> list[int]:
    return sorted(range(len(attempts)), key=lambda place: -attempts[place].longest)


def _best(attempts: Sequence[Attempt]) -> Attempt:
    return max((attempt for attempt in attempts if attempt.finished), key=lambda attempt: attempt.longest)


def _map_again(bad: Attempt, job: MappingJob, options: SfmOptions) -> list[Attempt]:
    """Drafts that grow from either side of the worst place, until one is sound."""

    def grow_from(start: int) -> Attempt:
        name = f"incremental from frame {start}"
        return _add_contradicted(_draft(name, "incremental", map_incrementally(job, start), job, options), job, options)

    return map_again(bad, job, grow_from, lambda draft: draft.sound and draft.longest > bad.longest)


def _draft(
    name: str, mapper: Mapper, models: Sequence[pycolmap.Reconstruction], job: MappingJob, options: SfmOptions
) -> Attempt:
    return make_attempt(name, mapper, models, job, options.torn)


def _add_contradicted(attempt: Attempt, job: MappingJob, options: SfmOptions) -> Attempt:
    """The attempt with the places that its pairs contradict, the widest first, after its tears."""
    if not attempt.models or options.check.max_share >= 1.0:  # then nothing is ever doubtful
        return attempt
    doubts = diagnose(attempt.models[0], job.database_path, check=options.check).doubts
    widest_first = sorted(doubts, key=lambda doubt: doubt.first - doubt.last)
    return replace(attempt, places=(*attempt.places, *(doubt.place for doubt in widest_first)))


def _reason(attempts: Sequence[Attempt], total: int, options: SfmOptions) -> str:
    """Why the mapper was chosen, for people."""
    if len(attempts) > 1:
        found = ", ".join(f"{attempt.name} {attempt.longest}" for attempt in attempts)
        return f"longest sound stretch: {found} of {total} frames"
    if options.mapper != "auto":
        return "asked for"
    return f"incremental mapping registered {attempts[0].registered} of {total} frames"


def _finish(draft: Attempt, clip: Clip, job: MappingJob, options: SfmOptions) -> Attempt:
    """Refine what a mapper made, drop what is not sound, and look for tears again."""
    findings: list[Finding] = []
    kept: list[pycolmap.Reconstruction] = []
    placed: set[int] = set()
    for model in draft.models:
        if (flaw := _flaw(clip, model, options)) is not None:
            findings.append(flaw)
            continue
        # A crumb may not pick up what a larger model holds: it grew over the whole clip, bent, and passed for the best.
        frames = (set(clip.frames) - placed) | set(model.reg_image_ids())
        thin(model, options.thinning)
        refine(model, job.database_path, frames, options.refine, job.seed)
        densify(model, job.database_path, frames, options.densify, job.seed)
        for part in split_at(model, weak_seams(model, options.min_seam_points)):
            if (flaw := _flaw(clip, part, options)) is not None:
                findings.append(flaw)
                continue
            least = options.min_parallax_share, options.min_moving_frames
            moving = keep_moving_part(part, job.database_path, *least, f"clip {clip.name}")
            findings += [moving.finding] if moving.finding is not None else []
            if moving.model is None:
                continue
            # What is left without its turns may hang together by less than the whole did.
            seams = weak_seams(moving.model, options.min_seam_points) if moving.model is not part else []
            for piece in split_at(moving.model, seams) if seams else [moving.model]:
                if piece is not part and (flaw := _flaw(clip, piece, options)) is not None:
                    findings.append(flaw)
                    continue
                kept.append(piece)
                placed.update(piece.reg_image_ids())
    attempt = _draft(draft.name, draft.mapper, kept, job, options)
    return replace(attempt, finished=True, findings=tuple(findings))


def _flaw(clip: Clip, model: pycolmap.Reconstruction, options: SfmOptions) -> Finding | None:
    """Why a sub-model is dropped; None if it is sound."""
    where, frames = f"clip {clip.name}", model.num_reg_images()
    if frames < options.min_model_frames:
        message = f"a sub-model of fewer than {options.min_model_frames} frames was dropped"
        return Finding("info", "sfm.tiny_model", where, message)
    baseline = relative_baseline(model)
    if baseline < options.min_relative_baseline:
        return Finding(
            "warning",
            "sfm.no_parallax",
            where,
            f"a sub-model of {frames} frames was dropped: the camera moves by {baseline:.1%} of the scene's depth, "
            f"need {options.min_relative_baseline:.0%}; it stands still or only turns, so walk while filming",
        )
    observations = float(model.compute_mean_observations_per_reg_image())
    if observations < options.min_observations:
        return Finding(
            "warning",
            "sfm.weak_model",
            where,
            f"a sub-model of {frames} frames was dropped: {observations:.0f} points per frame, need "
            f"{options.min_observations}; the scene is blank, dark, blurred or full of moving people",
        )
    return None


def _coverage(clip: Clip, sub_models: tuple[SubModel, ...], stands: bool) -> list[Finding]:
    """Findings on frames without a pose."""
    where, total = f"clip {clip.name}", len(clip.frames)
    registered = len({frame for model in sub_models for frame in model.frames})
    if not sub_models:
        why = (
            "the camera does not move through the scene: it stands still or only turns; walk while filming"
            if stands  # more frames of a camera that stands show no more of the scene
            else "too few frames share enough points; the input needs a camera that walks, with pictures that overlap; "
            "try a higher --sample.fps"
        )
        return [Finding("error", "sfm.no_model", where, f"none of {total} frames got a pose: {why}")]
    findings = []
    if registered < total:
        severity = "warning" if registered < 0.9 * total else "info"
        message = f"{total - registered} of {total} frames got no pose (blur, blank walls or too little overlap)"
        findings.append(Finding(severity, "sfm.unregistered", where, message))
    if len(sub_models) > 1:
        sizes = ", ".join(str(len(model.frames)) for model in sub_models)
        message = f"the clip broke into {len(sub_models)} sub-models of {sizes} frames"
        findings.append(Finding("warning", "sfm.broken", where, message))
    return findings
