"""The offline page of a run: gathers what the stages left and writes report.html."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from instructions.asking.counts import Reach
from instructions.perception.hiding.find import make_task
from instructions.perception.hiding.pixelate import copy_hidden
from instructions.perception.hiding.words import split_words
from roomtour.artifacts import REPORT
from roomtour.config import Config
from roomtour.export.core.records import RunData
from roomtour.report import write_report
from roomtour.report.records import RunFacts, StageFacts, SubModelSummary
from roomtour.run import Run
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.store import RunStore


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    words = split_words(context.config.hide)
    with TemporaryDirectory() as folder:
        data = Run(context.store.root).data_so_far
        counts: Counts = {}
        if words:
            find = make_task(words, context.config.vision.folder)
            frames = data.scene.frames
            done = copy_hidden(
                frames, data.frames_dir, Path(folder), find, fan_out=context.workers.map, progress=context.progress
            )
            data = replace(data, frames_dir=Path(folder))
            counts["pictures with something hidden"] = done.changed
        _write(context.store, data, context.config, context.out(REPORT))
    return StageResult(counts)


def require_hiding(config: Config) -> None:
    """Refuse at once to hide what nothing here can find.

    Raises:
        InstructionError: Naming the networks, and how to get them.
    """
    words = split_words(config.hide)
    if words:
        make_task(words, config.vision.folder)


def _write(store: RunStore, data: RunData, config: Config, path: Path) -> None:
    """Write the page for the run folder of `store` to `path`."""
    run = Run(store.root)
    told = {kind: run.row_counts(kind) for kind in run.kinds}
    facts = RunFacts(
        stages=tuple(
            StageFacts(name=name, seconds=entry.seconds, cpu_seconds=entry.cpu_seconds)
            for name, entry in store.stages.items()
        ),
        options=store.facts["options"],
        versions=store.facts["versions"],
        not_asked={kind: counts.get("not_asked", {}) for kind, counts in told.items()},
        reach={kind: Reach(**counts["reach"]) for kind, counts in told.items() if "reach" in counts},
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
        for entry in (run.sub_models if run.imported_as is None else ())
    ]
    write_report(data, facts, path, merge_attempts=run.merge_attempts, sub_models=sub_models)
