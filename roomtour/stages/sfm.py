"""Structure from motion of each clip."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from recon.colmap.database import copy_part
from recon.findings import Finding
from recon.mapping.clips import Progress, reconstruct_clip, reconstruct_clips
from recon.mapping.given_poses import place_given_poses
from recon.mapping.leap_cuts import cut_leaps
from recon.mapping.options import LEARNED_BARS, SIFT_BARS, MappingBars, SfmOptions
from recon.mapping.second_look import SecondLook, look_again, loosened, needs_second_look
from recon.mapping.sfm import ClipResult
from recon.mapping.weak_ends import trim_weak_ends
from recon.pose_sources.tour import match_to_tour
from recon.records import Clip, Frame
from recon.tasks import FanOut, fixed_threads
from recon.video.larger import take_larger_pictures
from recon.video.sampling import SampledTour
from roomtour.artifacts import CLIPS, DATABASE, FRAMES, MASK, SOURCE, SUB_MODELS
from roomtour.files.frames import read_clips, read_mask, read_source
from roomtour.files.models import SECOND_DATABASE, write_sub_models
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.features import HOW_TO_GET, find_learned
from roomtour.stages.floors import find_floors
from roomtour.stages.known_poses import read_given_poses


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    if config.poses is not None:
        return _place_given_poses(context)
    clips = read_clips(context.path(CLIPS))
    work_dir = context.part / "work"
    work_dir.mkdir()
    second = _reconstruct_tour(context, clips, config.recon, work_dir)
    results = second.results
    sub_models = [model for result in results for model in result.sub_models]
    folder = context.out(SUB_MODELS)
    write_sub_models(folder, sub_models)
    if second.database_path is not None:
        second.database_path.replace(folder / SECOND_DATABASE)
    findings = tuple(_weigh(finding, bool(sub_models)) for result in results for finding in result.findings)
    registered = {frame for model in sub_models for frame in model.frames}
    counts: Counts = {"sub-models": len(sub_models), "registered": len(registered)}
    counts["mapper"] = " and ".join(sorted({result.mapper for result in results}))
    return StageResult(counts, findings)


def _reconstruct_tour(context: StageContext, clips: Sequence[Clip], options: SfmOptions, work_dir: Path) -> SecondLook:
    """All clips, and those that came out badly a second time."""
    results = _look_first(context, clips, options, work_dir, lambda done: context.progress(_FIRST_LOOK * done))
    if context.config.features.are_learned:
        return SecondLook(tuple(results), None)
    return _look_again(context, clips, results, options, work_dir)


def _look_first(
    context: StageContext, clips: Sequence[Clip], options: SfmOptions, work_dir: Path, progress: Progress
) -> list[ClipResult]:
    """The clips by the keypoints that were asked for."""
    config = context.config
    reconstruct = reconstruct_apart if context.workers.is_elsewhere else reconstruct_clips
    results = reconstruct(
        context.path(DATABASE),
        context.path(FRAMES),
        clips,
        work_dir,
        loosened(options) if config.features.are_learned else options,
        seed=config.seed,
        progress=progress,
        fan_out=context.workers.map,
        bars=LEARNED_BARS if config.features.are_learned else SIFT_BARS,
    )
    times_s = {frame.index: frame.time_s for frame in read_source(context.path(SOURCE)).frames}
    least = options.min_model_frames
    return [cut_leaps(trim_weak_ends(result, least), times_s, least) for result in results]


def reconstruct_apart(
    database_path: Path,
    frames_dir: Path,
    clips: Sequence[Clip],
    work_dir: Path,
    options: SfmOptions,
    seed: int,
    progress: Progress,
    fan_out: FanOut,
    bars: MappingBars,
) -> list[ClipResult]:
    """As `reconstruct_clips`, with a database for each clip: machines that work on different clips share none.

    `fan_out` is called from several threads.
    """
    done = dict.fromkeys((clip.name for clip in clips), 0.0)
    parts = {clip.name: work_dir / f"{clip.name}.db" for clip in clips}
    for clip in clips:  # one after the other: whoever opens a database writes to it
        copy_part(database_path, clip.frames, parts[clip.name], descriptors=True)

    def tell(name: str, share: float) -> None:
        done[name] = share
        progress(sum(done.values()) / len(done))

    def reconstruct(clip: Clip) -> ClipResult:
        note = partial(tell, clip.name)
        return reconstruct_clip(parts[clip.name], frames_dir, clip, work_dir, options, seed, note, fan_out, bars)

    with fixed_threads(), ThreadPoolExecutor(max(1, len(clips))) as pool:
        return list(pool.map(reconstruct, clips))


def _weigh(finding: Finding, has_models: bool) -> Finding:
    """A clip without a model is an error where it leaves the tour without any: a tour may have a dark shot."""
    is_partial = finding.code == "sfm.no_model" and has_models
    return replace(finding, severity="warning") if is_partial else finding


_FIRST_LOOK = 0.6
"""Share of the time, where clips are looked at again; bars then go on from here."""


def _look_again(
    context: StageContext, clips: Sequence[Clip], results: Sequence[ClipResult], options: SfmOptions, work_dir: Path
) -> SecondLook:
    """The second look with learned keypoints; without them, a finding on every clip that could use one."""
    config = context.config
    learned = find_learned(config)
    if learned is None or config.features.kind == "sift":
        return SecondLook(tuple(map(_tell_of_second_look, clips, results)), None)
    sampled = read_source(context.path(SOURCE))
    return look_again(
        context.path(DATABASE),
        context.path(FRAMES),
        sampled.frames,
        clips,
        results,
        work_dir,
        learned,
        lambda frames, folder: _take_pictures(context, sampled, frames, folder),
        lambda frames: find_floors(frames, context.path(FRAMES), config, context.workers),
        options,
        config.pairs,
        seed=config.seed,
        progress=lambda done: context.progress(_FIRST_LOOK + (1.0 - _FIRST_LOOK) * done),
        mask=read_mask(context.path(MASK)),
        fan_out=context.workers.map,
    )


def _tell_of_second_look(clip: Clip, result: ClipResult) -> ClipResult:
    if not needs_second_look(clip, result):
        return result
    sound = f"its longest sound stretch has {result.sound_frames} of {len(clip.frames)} frames"
    message = f"{sound}. Learned keypoints, for bare, dark or blurred rooms, may hold it together; {HOW_TO_GET}"
    finding = Finding("info", "sfm.second_look", f"clip {clip.name}", message)
    return replace(result, findings=(*result.findings, finding))


def _take_pictures(context: StageContext, sampled: SampledTour, frames: Sequence[Frame], folder: Path) -> Path:
    """Pictures of the frames with more lines, where the file has them and is still there; else as sampled."""
    source, lines = context.tour.source, min(frames[0].width, frames[0].height)
    if min(sampled.source.width, sampled.source.height) > lines and source.exists():
        read = context.config.input
        if take_larger_pictures(source, frames, folder, LINES, read.fps, read.rotate):
            return folder
    return context.path(FRAMES)


LINES = 640
"""Of the pictures for learned keypoints: their network takes no more."""


def _place_given_poses(context: StageContext) -> StageResult:
    """The stage's work with `--poses`."""
    config = context.config
    sampled = read_source(context.path(SOURCE))
    matched, unfit = match_to_tour(
        read_given_poses(config), context.tour.source, sampled.frames, config.pose_source, config.input.fps
    )
    sub_models, findings = place_given_poses(
        matched,
        context.path(DATABASE),
        sampled,
        read_clips(context.path(CLIPS)),
        config.pose_source,
        seed=config.seed,
        progress=context.progress,
        fan_out=context.workers.map,
    )
    write_sub_models(context.out(SUB_MODELS), sub_models)
    registered = {frame for model in sub_models for frame in model.frames}
    return StageResult({"given poses": len(registered), "sub-models": len(sub_models)}, (*unfit, *findings))
