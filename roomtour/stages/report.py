"""The offline page of a run: gathers what the stages left and writes report.html."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from instructions.asking.counts import Reach
from instructions.perception.hiding.find import make_task
from instructions.perception.hiding.words import split_words
from roomtour.artifacts import REPORT
from roomtour.config import Config
from roomtour.export.core.records import RunData
from roomtour.report.page import RunFacts, build_page
from roomtour.run import Run
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.inputs.hidden_frames import hide_in_frames
from roomtour.store import RunStore


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config, data = context.config, Run(context.store.root).data_so_far
    with TemporaryDirectory() as folder:
        frames_dir, changed = hide_in_frames(
            data.scene.frames, data.frames_dir, config.hide, Path(folder),
            networks=config.vision.folder, fan_out=context.workers.map, progress=context.progress,
        )  # fmt: skip
        _write(context.store, replace(data, frames_dir=frames_dir), context.out(REPORT))
    return StageResult({"pictures with something hidden": changed} if config.hide else {})


def require_hiding(config: Config) -> None:
    """Refuse at once to hide what nothing here can find.

    Raises:
        InstructionError: Naming the networks, and how to get them.
    """
    words = split_words(config.hide)
    if words:
        make_task(words, config.vision.folder)


def _write(store: RunStore, data: RunData, path: Path) -> None:
    """Write the page for the run folder of `store` to `path`."""
    run = Run(store.root)
    row_counts = {kind: run.row_counts(kind) for kind in run.kinds}
    facts = RunFacts(
        stages=store.stages,
        options=store.facts["options"],
        versions=store.facts["versions"],
        not_asked={kind: counts.get("not_asked", {}) for kind, counts in row_counts.items()},
        reach={kind: Reach(**counts["reach"]) for kind, counts in row_counts.items() if "reach" in counts},
    )
    sub_models = run.sub_models if run.imported_as is None else ()
    path.write_text(build_page(data, facts, run.merge_attempts, sub_models), encoding="utf-8")
