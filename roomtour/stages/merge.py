"""Merging of sub-models."""

from __future__ import annotations

from recon.mapping.options import TourInputs
from recon.merging.merge import merge_tour
from roomtour.artifacts import DATABASE, FRAMES, MERGE_LOG, MERGED, SOURCE, SUB_MODELS
from roomtour.files.frames import read_source
from roomtour.files.models import find_database, read_sub_models, write_assessments, write_sub_models
from roomtour.stages.context import StageContext, StageResult


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config, first = context.config, context.path(DATABASE)
    database = find_database(first, context.path(SUB_MODELS))
    merged = merge_tour(
        read_sub_models(context.path(SUB_MODELS)),
        TourInputs(
            frames=read_source(context.path(SOURCE)).frames,
            frames_dir=context.path(FRAMES),
            seed=config.seed,
            fan_out=context.workers.map,
        ),
        first,
        both_kinds_path=None if database == first else database,
        is_learned=config.features.are_learned,
        are_given=config.poses is not None,
        progress=context.progress,
    )
    write_sub_models(context.out(MERGED), merged.models)
    write_assessments(context.out(MERGED), merged.assessments)
    context.write(MERGE_LOG, merged.attempts)
    accepted = sum(attempt.verdict == "accepted" for attempt in merged.attempts)
    return StageResult({"models": len(merged.models), "merges": accepted}, merged.findings)
