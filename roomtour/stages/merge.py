"""Merging of sub-models."""

from __future__ import annotations

from dataclasses import replace

from recon.merging.merge import merge_sub_models
from recon.records import MergeAttempt, SubModel
from roomtour.files.models import read_sub_models, write_sub_models
from roomtour.files.records import write_jsonl
from roomtour.stages.context import Stage, StageContext, StageResult


def _run(context: StageContext) -> StageResult:
    config = context.config
    result = merge_sub_models(
        read_sub_models(context.run / "recon" / "clips"),
        # Poses that the user brought are not ours to cut, to grow or to move.
        context.run / "recon" / "database.db" if config.poses is None else None,
        config.merge,
        seed=config.seed,
        progress=context.progress,
        fan_out=context.workers.map,
    )
    write_sub_models(context.part / "recon" / "merged", [_unprefixed(model) for model in result.models])
    write_jsonl(context.part / "recon" / "merge_log.jsonl", result.attempts, MergeAttempt)
    accepted = sum(attempt.verdict == "accepted" for attempt in result.attempts)
    return StageResult({"models": len(result.models), "merges": accepted}, result.findings)


def _unprefixed(model: SubModel) -> SubModel:
    """`merged/0` as `0`, its folder under recon/merged/."""
    return replace(model, name=model.name.removeprefix("merged/"))


STAGE = Stage(
    name="merge",
    title="Merge sub-models",
    version=12,
    needs=("sfm",),
    outputs=("recon/merged", "recon/merge_log.jsonl"),
    options=lambda config: [config.merge, config.seed],
    run=_run,
)
