"""Merging of sub-models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from recon.adjust.refine import prolong
from recon.audit.contradictions import CHECK_LEARNED, ContradictionOptions
from recon.audit.health import Assessment, assess
from recon.audit.torn import TORN_LEARNED
from recon.colmap.colors import color_points
from recon.findings import Finding
from recon.mapping.full_refine import FullyRefined, refine_fully
from recon.merging.join import MergeOptions
from recon.merging.merge import merge_sub_models
from recon.merging.pan_join import join_over_pans
from recon.merging.seam_join import join_over_seams
from recon.merging.turned_frames import place_turned_frames
from recon.records import MergeAttempt, SubModel
from roomtour.artifacts import DATABASE, FRAMES, MASK, MERGE_LOG, MERGED, SOURCE, SUB_MODELS
from roomtour.config import Config
from roomtour.files.frames import read_mask, read_source
from roomtour.files.models import find_database, read_sub_models, write_assessments, write_sub_models
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.floors import find_floors


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    first = context.path(DATABASE)
    database = find_database(first, context.path(SUB_MODELS))
    options = choose_options(config, has_both_kinds=database != first)
    result = merge_sub_models(
        read_sub_models(context.path(SUB_MODELS)),
        # Poses that the user brought are not ours to cut, to grow or to move.
        database if config.poses is None else None,
        options,
        seed=config.seed,
        progress=context.progress,
        fan_out=context.workers.map,
        first_kind_path=first if database != first else None,
    )
    if config.poses is None:
        frames = read_source(context.path(SOURCE)).frames
        floors = partial(find_floors, frames_dir=context.path(FRAMES), config=config, workers=context.workers)
        result = join_over_seams(result, database, frames, floors, options, config.seed)
        result = join_over_pans(result, database, frames, floors, options, config.seed)
    models, findings = list(result.models), list(result.findings)
    if config.recon.last_refine == "full":
        models, said = _refine_fully(context, models)
        findings += said
    if config.poses is None:
        models, said = place_turned_frames(models, database, read_source(context.path(SOURCE)).frames)
        findings += said
    merged = [_drop_prefix(model) for model in models]
    for model in merged:  # here, because every model passes, whatever mapped, joined or grew it
        color_points(model.reconstruction, context.path(FRAMES))
    write_sub_models(context.out(MERGED), merged)
    write_assessments(context.out(MERGED), _assess(context, merged, result.attempts, database))
    context.write(MERGE_LOG, result.attempts)
    accepted = sum(attempt.verdict == "accepted" for attempt in result.attempts)
    return StageResult({"models": len(result.models), "merges": accepted}, tuple(findings))


def _assess(
    context: StageContext, models: Sequence[SubModel], attempts: Sequence[MergeAttempt], database: Path
) -> dict[str, Assessment]:
    """Health and pose uncertainty of every model, while the matches are there."""
    is_learned = database != context.path(DATABASE) or context.config.features.are_learned
    check = CHECK_LEARNED if is_learned else ContradictionOptions()
    frames = [frame.index for frame in read_source(context.path(SOURCE)).frames]
    return {
        model.name: assess(model, frames, database, attempts, fan_out=context.workers.map, check=check)
        for model in models
    }


def choose_options(config: Config, has_both_kinds: bool) -> MergeOptions:
    """The options of merging by what holds the models: SIFT, learned keypoints, or both kinds."""
    options = config.merge
    if not has_both_kinds and not config.features.are_learned:
        return options
    straighten = replace(options.straighten, torn=TORN_LEARNED, check=CHECK_LEARNED)
    if has_both_kinds:
        # These walks were judged with their floor: what they lost of a pan would be its frames, not its scale.
        straighten = replace(straighten, hold=replace(straighten.hold, shrunk=0.0))
    return replace(options, straighten=straighten, refine=prolong(options.refine))


def _refine_fully(context: StageContext, models: Sequence[SubModel]) -> tuple[list[SubModel], list[Finding]]:
    """The models with poses of full resolution, and what became of each."""
    config, frames = context.config, read_source(context.path(SOURCE)).frames
    if config.poses is not None:
        message = "poses that were given are not moved at full resolution; --pose-source.refine refines them"
        return list(models), [Finding("info", "merge.not_refined", "poses", message)]
    refined: list[SubModel] = []
    findings: list[Finding] = []
    for model in models:
        if model.held_by_floor:
            done = FullyRefined(model, 0.0, "its scale is held by the floor, which pictures alone would give up")
        else:
            work = context.part / "full"
            work.mkdir()
            done = refine_fully(
                model,
                context.path(FRAMES),
                frames,
                work,
                seed=config.seed,
                mask=read_mask(context.path(MASK)),
                fan_out=context.workers.map,
            )
            work.rmdir()
        refined.append(done.model)
        where = f"frames {model.frames[0]}-{model.frames[-1]}"  # models may yet change their places
        if done.reason:
            message = f"its poses stay as they were: {done.reason}"
            findings.append(Finding("warning", "merge.not_refined", where, message))
        else:
            message = f"its poses were refined at full resolution: by {done.moved:.3%} of the walk (RMS)"
            findings.append(Finding("info", "merge.refined_fully", where, message))
    return refined, findings


def _drop_prefix(model: SubModel) -> SubModel:
    """`merged/0` as `0`, its folder under recon/merged/."""
    return replace(model, name=model.name.removeprefix("merged/"))
