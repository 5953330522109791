"""Structure from motion of each clip."""

from __future__ import annotations

from recon.mapping.clips import reconstruct_clips
from recon.mapping.given_poses import place_given_poses
from recon.pose_sources.tour import match_to_tour
from roomtour.artifacts import CLIPS, DATABASE, FRAMES, SOURCE, SUB_MODELS
from roomtour.config import Config
from roomtour.files.frames import read_clips, read_source
from roomtour.files.models import write_sub_models
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.known_poses import make_given_poses_key, read_given_poses


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    if config.poses is not None:
        return _place_given_poses(context)
    clips = read_clips(context.path(CLIPS))
    work_dir = context.part / "work"
    work_dir.mkdir()
    results = reconstruct_clips(
        context.path(DATABASE),
        context.path(FRAMES),
        clips,
        work_dir,
        config.recon,
        seed=config.seed,
        progress=context.progress,
        fan_out=context.workers.map,
    )
    sub_models = [model for result in results for model in result.sub_models]
    write_sub_models(context.out(SUB_MODELS), sub_models)
    findings = tuple(finding for result in results for finding in result.findings)
    registered = {frame for model in sub_models for frame in model.frames}
    counts: Counts = {"sub-models": len(sub_models), "registered": len(registered)}
    counts["mapper"] = " and ".join(sorted({result.mapper for result in results}))
    return StageResult(counts, findings)


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
        context.path(FRAMES),
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


def identity(config: Config) -> object:
    """What decides the result; poses that the user brings count by their content."""
    return [config.recon, config.seed, config.pose_source, make_given_poses_key(config)]
