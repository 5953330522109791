"""The offline page of a run: gathers what the stages left and writes report.html."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from roomtour.artifacts import REPORT, ROW_COUNTS
from roomtour.report import write_report
from roomtour.report.records import RunFacts, StageFacts, SubModelSummary
from roomtour.run import Run
from roomtour.stages.context import StageContext, StageResult
from roomtour.store import RunStore


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    _write(context.store, context.out(REPORT))
    return StageResult({})


def _write(store: RunStore, path: Path) -> None:
    """Write the page for the run folder of `store` to `path`."""
    run = Run(store.root)
    facts = RunFacts(
        stages=tuple(
            StageFacts(name=name, seconds=entry.seconds, cpu_seconds=entry.cpu_seconds)
            for name, entry in store.stages.items()
        ),
        options=store.facts["options"],
        versions=store.facts["versions"],
        not_asked=_not_asked(store.root),
    )
    sub_models = [
        SubModelSummary(
            name=entry.name,
            clip=entry.clips[0] if entry.clips else "",
            frames=entry.frames,
            mean_reprojection_error_px=entry.mean_reprojection_error_px,
            points=entry.points,
            first_frame=entry.first_frame,
            last_frame=entry.last_frame,
        )
        for entry in run.sub_models
    ]
    write_report(run.data, facts, path, merge_attempts=run.merge_attempts, sub_models=sub_models)


def _not_asked(run: Path) -> Mapping[str, Mapping[str, int]]:
    path = run / ROW_COUNTS["spatial"].path
    return json.loads(path.read_text(encoding="utf-8")).get("not_asked", {}) if path.is_file() else {}
