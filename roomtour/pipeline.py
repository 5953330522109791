"""Plan and run the stages of one tour: what is done stays, what changed runs again, what fails is told in one line."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from instructions.perception.models.shelf import ModelShelf
from recon.findings import Finding
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.log import open_log
from roomtour.progress import Observer, Silent
from roomtour.run import Run
from roomtour.sources import Tour, plan_tours, source_key
from roomtour.stages.context import Stage, StageContext
from roomtour.stages.instructions import require_language
from roomtour.stages.table import STAGE_NAMES, STAGES, depending_on
from roomtour.stages.vision import require_models
from roomtour.store import RunStore, StageEntry, describe_counts, disk_full_as_error, require_room, result_key
from roomtour.workers.interfaces import Workers
from roomtour.workers.local import LocalWorkers

_REPORTED_PACKAGES = ("roomtour", "pycolmap", "av", "opencv-python-headless", "numpy", "scipy", "scikit-learn")


def process_tour(
    tour: Tour,
    config: Config = Config(),
    *,
    until: str | None = None,
    force: str | None = None,
    observer: Observer | None = None,
    workers: Workers | None = None,
    models: ModelShelf | None = None,
) -> Run:
    """Make or continue one run folder.

    Args:
        tour: What to read and where to write.
        config: Options of every stage.
        until: Last stage to run; all by default.
        force: Run this stage and all that rest on it again.
        observer: Told of the progress.
        workers: Run the tasks of the stages; they stay open. By default `config.workers` processes of this machine,
            for this tour only.
        models: Keeps learned models on a GPU from tour to tour; by default they are loaded for this one.

    Raises:
        RoomtourError, ReconError, TrajectoryError, InstructionError: One line on what is wrong with the input.
    """
    if workers is None:
        with LocalWorkers(config.workers) as own:
            return process_tour(tour, config, until=until, force=force, observer=observer, workers=own, models=models)
    observer, shelf = observer or Silent(), models or ModelShelf()
    _require_known("--until", until)
    _require_known("--force", force)
    require_language(config, tour.run, until)
    require_models(config, until)
    identity = source_key(tour.source)
    store = RunStore(tour.run)
    with store.opened(), disk_full_as_error(tour.run):
        log, log_file = open_log(tour.run / "log.jsonl")
        with log_file:
            _describe(store, tour, config)
            if force is not None:
                store.forget([force, *depending_on(force)])
            observer.tour_started(tour.name)
            log.info("run", tour=tour.name, source=str(tour.source), until=until, force=force)
            keys: dict[str, str] = {}
            for stage in STAGES:
                inputs = [keys[name] for name in stage.needs] or [tour.name, identity]
                keys[stage.name] = result_key(stage.name, stage.version, inputs, stage.options(config))
                context = StageContext(tour, config, store, store.part, observer.stage_progress, workers, shelf)
                _run_stage(stage, keys[stage.name], context, observer, log)
                if stage.name == until:
                    break
    return Run(tour.run)


def _run_stage(stage: Stage, key: str, context: StageContext, observer: Observer, log: FilteringBoundLogger) -> None:
    store = context.store
    observer.stage_started(stage.title)
    if store.is_done(stage.name, key) and all((store.root / output).exists() for output in stage.outputs):
        observer.stage_done(stage.title, 0.0, True, describe_counts(store.stages[stage.name].counts))
        log.info("stage kept", stage=stage.name, key=key)
        return
    store.begin()
    started, cpu_started = time.perf_counter(), _cpu_s(context.workers)
    log.info("stage started", stage=stage.name, key=key)
    try:
        result = stage.run(context)
        require_room(store.root)
    except BaseException as error:
        log.error("stage failed", stage=stage.name, error=f"{type(error).__name__}: {error}")
        raise
    seconds = time.perf_counter() - started
    entry = StageEntry(
        key=key,
        seconds=round(seconds, 3),
        cpu_seconds=round(_cpu_s(context.workers) - cpu_started, 3),
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        counts=result.counts,
        findings=result.findings,
    )
    store.commit(stage.name, entry, stage.outputs, depending_on(stage.name))
    for finding in result.findings:
        _log_finding(log, stage, finding)
    log.info("stage done", stage=stage.name, seconds=entry.seconds, cpu_seconds=entry.cpu_seconds, **result.counts)
    observer.stage_done(stage.title, seconds, False, describe_counts(result.counts))


def _cpu_s(workers: Workers) -> float:
    """CPU-seconds of this process and of those that work for it."""
    return time.process_time() + workers.cpu_s


def _log_finding(log: FilteringBoundLogger, stage: Stage, finding: Finding) -> None:
    log.info("finding", stage=stage.name, **asdict(finding))


def _describe(store: RunStore, tour: Tour, config: Config) -> None:
    """Fill the manifest's facts and write it, so that the folder is ours from the first moment."""
    store.facts = {
        "tour": tour.name,
        "source": str(tour.source),
        "options": config.to_dict(),
        "versions": {
            **{name: importlib.metadata.version(name) for name in (*_REPORTED_PACKAGES, *_learned_packages(config))},
            "python": platform.python_version(),
        },
        "platform": f"{platform.system()} {platform.machine()}",
    }
    store.write()


def _learned_packages(config: Config) -> tuple[str, ...]:
    return ("torch", "transformers") if config.perception == "models" else ()


def _require_known(flag: str, stage: str | None) -> None:
    if stage is not None and stage not in STAGE_NAMES:
        raise RoomtourError(f"{flag} {stage}: no such stage; known: {', '.join(STAGE_NAMES)}")


def process(path: Path | str, out: Path | str, config: Config = Config()) -> Run:
    """Process one tour from Python.

    Args:
        path: A video or a folder of ordered images (set `Config(input=InputOptions(fps=...))` then).
        out: The run folder, made if absent and continued if present.
        config: Options of every stage.

    Returns:
        The run, whose scene, trajectories and instructions are typed objects.

    Raises:
        RoomtourError, ReconError, TrajectoryError, InstructionError: One line on what is wrong with the input.
    """
    return process_tour(plan_tours([Path(path)], Path(out))[0], config)
