"""The files of a job besides its ledger: what it is (`job.json`), where it stands (`status.json`, `metrics.prom`)."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from roomtour.batch.engines.engine import SAME_VERSIONS
from roomtour.batch.engines.gate import HeldGate
from roomtour.batch.job_options import JobFile, JobOptions, JobTour
from roomtour.batch.ledger import count_status
from roomtour.batch.metrics import Metric, list_metrics, write_metrics
from roomtour.batch.records import LedgerRow, TourTask
from roomtour.batch.status import JOB, name_job_file
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.files.records import write_json
from roomtour.stages.table import STAGES

STATUS = "status.json"


def write_job(folder: Path, tasks: Iterable[TourTask], config: Config, options: JobOptions) -> None:
    """Say what a job is; each part of it (`--shard`) says so of its own tours.

    Raises:
        RoomtourError: If there is no room, or no right to write.
    """
    tours = {task.tour.name: JobTour(str(task.tour.source), task.key, task.seconds) for task in tasks}
    versions = {name: importlib.metadata.version(name) for name in SAME_VERSIONS}
    stages = {stage.name: stage.code for stage in STAGES}
    told = asdict(JobFile(tours, options, config.to_dict(), {**versions, "stages": stages}))
    for name in dict.fromkeys((name_job_file(options.shard), JOB)):
        try:
            write_json(folder / name, told)
        except OSError as error:
            raise RoomtourError(f"{folder / name}: cannot be written: {error.strerror}") from error


def write_status(
    folder: Path,
    rows: Sequence[LedgerRow],
    tours: Collection[str],
    gate: HeldGate | None,
    tell: Callable[[Sequence[Metric]], None],
    driven: Collection[str] | None = None,
) -> None:
    """Replace what says where a job stands, and let its machines show it; `driven` as in `count_status`."""
    status = count_status(rows, tours, driven)
    write_json(folder / STATUS, asdict(status))
    asked = None
    with suppress(OSError):  # a gate that does not answer costs figures, no tours
        asked = gate.count() if gate else None
    metrics = list_metrics(status, rows, asked)
    write_metrics(folder, metrics)
    tell(metrics)
