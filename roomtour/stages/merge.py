"""Merging of sub-models."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from recon.diagnosis.contradictions import CHECK_LEARNED
from recon.diagnosis.torn import TORN_LEARNED
from recon.merging.merge import merge_sub_models
from recon.merging.pan_join import join_over_pans
from recon.records import SubModel
from roomtour.artifacts import DATABASE, FRAMES, MERGE_LOG, MERGED, SOURCE, SUB_MODELS
from roomtour.files.frames import read_source
from roomtour.files.models import find_database, read_sub_models, write_sub_models
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.floors import find_floors


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    first, options = context.path(DATABASE), config.merge
    database = find_database(first, context.path(SUB_MODELS))
    if database != first or config.features.kind == "xfeat":
        straighten = replace(options.straighten, torn=TORN_LEARNED, check=CHECK_LEARNED)
        options = replace(options, straighten=straighten)
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
        result = join_over_pans(result, database, frames, floors, options, config.seed)
    write_sub_models(context.out(MERGED), [_drop_prefix(model) for model in result.models])
    context.write(MERGE_LOG, result.attempts)
    accepted = sum(attempt.verdict == "accepted" for attempt in result.attempts)
    return StageResult({"models": len(result.models), "merges": accepted}, result.findings)


def _drop_prefix(model: SubModel) -> SubModel:
    """`merged/0` as `0`, its folder under recon/merged/."""
    return replace(model, name=model.name.removeprefix("merged/"))
