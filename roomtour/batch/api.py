"""Jobs of many tours from Python: `from roomtour.batch.api import run, plan, status`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from roomtour.batch.cost import plan_job
from roomtour.batch.driver import Job
from roomtour.batch.engines.engine import Engine
from roomtour.batch.engines.local import LocalEngine
from roomtour.batch.job_options import JobOptions, Prices
from roomtour.batch.ledger import list_done, read_rows
from roomtour.batch.plan import plan_tasks
from roomtour.batch.records import JobPlan, JobStatus, LedgerRow
from roomtour.batch.results.storage import open_storage
from roomtour.batch.status import read_status
from roomtour.config import Config
from roomtour.workers.machine import count_cores


def run(
    tours: Sequence[Path],
    out: Path,
    config: Config = Config(),
    *,
    engine: Engine | None = None,
    options: JobOptions = JobOptions(),
    observer: Callable[[LedgerRow], None] = lambda row: None,
) -> JobStatus:
    """Bring every tour to an end; returns when nothing is left to do.

    Args:
        tours: Videos, folders of images, and lists.
        out: Folder of the job, made if absent and continued if present.
        config: Options of every tour.
        engine: Where they run: `LocalEngine` (by default, on all cores) or `RayEngine`.
        options: How the job runs.
        observer: Called with each row of the ledger that ends an attempt.

    Raises:
        RoomtourError: As `roomtour batch run` would say.
    """
    tasks = plan_tasks(tours, out, config, options.until, options.shard)
    return Job(out, tasks, config, options, engine or LocalEngine()).run(observer)


def plan(
    tours: Sequence[Path],
    out: Path,
    config: Config = Config(),
    *,
    slots: int | None = None,
    options: JobOptions = JobOptions(),
    prices: Prices = Prices(),
) -> JobPlan:
    """What is left of a job, and what it will take; starts nothing.

    Args:
        tours: As `run` takes them.
        out: Folder of the job.
        config: Options of every tour.
        slots: Tours at once; as many as there are cores if None.
        options: How the job will run.
        prices: Of a core, and of a gigabyte.

    Raises:
        RoomtourError: As `roomtour batch plan` would say.
    """
    tasks = plan_tasks(tours, out, config, options.until, options.shard)
    done = list_done(out, open_storage(options.storage, out).survey().results)
    return plan_job(tasks, read_rows(out), done, slots or count_cores(), prices)


status = read_status
