"""The files of a job besides its ledger, written and read: what it is (`job.json`), and where it stands (`status.json`,
`metrics.prom`), for whoever sees its folder, while it runs and after.

RoomtourError is raised where a folder is none of a job, or its files cannot be read.
"""

from __future__ import annotations

import importlib.metadata
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from recon.numerals import count
from roomtour.batch.engines.engine import SAME_VERSIONS
from roomtour.batch.engines.gate import HeldGate
from roomtour.batch.job_options import JobFile, JobOptions, JobTour
from roomtour.batch.ledger import count_status, read_rows
from roomtour.batch.metrics import Metric, list_metrics, write_metrics
from roomtour.batch.records import GIVEN_UP, JobStatus, LedgerRow, TourTask
from roomtour.batch.results.storage import FolderLease, is_bucket, name_place
from roomtour.config import Config
from roomtour.drawing.text import duration
from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, read_json, write_json
from roomtour.progress import read_reached
from roomtour.report.index.page import write_index
from roomtour.report.index.runs import Fate, RunRow
from roomtour.stages.table import STAGES

_SHOWN = 5
JOB, RUNS = "job.json", "runs"
"""File of a job that says what it is, and its folder with one run folder per tour."""


def name_job_file(shard: str) -> str:
    """Of a job, or of a part of it (`K/N`), whose tours the job's own file need not name."""
    return f"job-{shard.replace('/', '-of-')}.json" if shard else JOB


def read_status(job: Path) -> JobStatus:
    """Out of the ledger; what runs by it, and has lost its driver, waits."""
    return count_status(read_rows(job), read_tours(job), _list_driven(job))


def write_page(job: Path, out: Path) -> tuple[RunRow, ...]:
    """Write the index of a job, with a row for every tour that came to an end or did not."""
    tours = read_tours(job)
    fates = {
        row.tour: Fate(row.state, row.reason, tours[row.tour].seconds or None if row.tour in tours else None)
        for row in read_status(job).tours
        if row.state not in ("done", "done-with-errors", "unfinished")
    }
    return write_index(find_runs(job), out, fates, job.resolve().name)


def read_storage(job: Path) -> str | None:
    """The bucket or the folder that holds the results of a job; None for its own folder."""
    return read_job(job).job.storage or None


def find_runs(job: Path) -> Path:
    """The folder in which run folders of a job lie, or come to lie when they are fetched from a bucket."""
    address = read_storage(job)
    return (job if address is None or is_bucket(address) else Path(address)) / RUNS


def read_command(job: Path) -> JobOptions | None:
    """How a job was started; None if that was from Python, or in parts (`--shard`), or if its folder is gone."""
    options = read_job(job).job
    return options if options.command and not options.shard and Path(options.cwd).is_dir() else None


def describe_status(status: JobStatus, job: Path) -> Iterator[str]:
    """In lines for people: how many tours came out how, what is left, what it took, and why others gave no result."""
    yield ", ".join(f"{number} {state}" for state, number in status.states.items()) or "no tours"
    yield from _describe_left(status, job)
    done = status.tour_s_done
    per = f", {status.cpu_s / done:.1f} per second of tour" if done else ""
    lost = f", {status.lost_cpu_s:.0f} CPU-s without a result" if status.lost_cpu_s >= 1 else ""
    yield f"{duration(done)} of tour done, {status.cpu_s:.0f} CPU-s{per}{lost}, most memory {status.peak_mb:.0f} MB"
    given_up = [row for row in status.tours if row.state in (*GIVEN_UP, "skipped")]
    for (state, why), number in Counter((row.state, _kind_of(row.reason)) for row in given_up).most_common():
        if number > 1:
            yield f"{number} {state}: {why}"
    for row in status.tours:
        if row.state not in ("done", "waiting", "running"):
            yield f"{row.state}: {row.tour}: {row.reason} (log: {job / 'logs' / row.tour}/{row.attempt}.log)"


def _kind_of(reason: str) -> str:
    """A reason without what differs from tour to tour: figures, and paths with the names of tours."""
    return re.sub(r"\d+(\.\d+)?", "N", re.sub(r"\S*/\S*", "...", reason))


def _describe_left(status: JobStatus, job: Path) -> list[str]:
    """What is left of a job: time, what runs now, the slowest tours, and the disk."""
    lengths = {name: tour.seconds for name, tour in read_tours(job).items()}
    left = [row for row in status.tours if row.state in ("waiting", "running")]
    lines = []
    if left:
        seconds = sum(lengths.get(row.tour, 0.0) for row in left)
        running = [row for row in left if row.state == "running"]
        line = f"left: {count(len(left), 'tour')}, {duration(seconds)} of tour"
        if status.tour_s_done and running:
            per = status.cpu_s / status.tour_s_done
            line += f"; about {duration(per * seconds / len(running))} with {len(running)} at once"
        lines.append(line)
        longest = sorted(running, key=lambda row: -lengths.get(row.tour, 0.0))[:_SHOWN]
        lines += [_describe_running(job, row) for row in longest]
    done = [row for row in status.tours if row.state.startswith("done") and row.tour_s and row.cpu_s]
    slowest = sorted(done, key=lambda row: -row.cpu_s / row.tour_s)[:_SHOWN]
    if slowest:
        figures = ", ".join(f"{row.tour} {row.cpu_s / row.tour_s:.1f}" for row in slowest)
        lines.append(f"slowest, CPU-s per second of tour: {figures}")
    if left and not status.is_driven:
        command = read_command(job)
        again = (
            f"roomtour batch run {shlex.join(command.command)}" if command else "the same roomtour batch run command"
        )
        lines.append(f"nothing of this job runs now; go on with: {again}{f' (in {command.cwd})' if command else ''}")
    if left:
        lines.append(f"disk of the job: {shutil.disk_usage(job).free / 1e9:.1f} GB free")
    return lines


def _describe_running(job: Path, row: LedgerRow) -> str:
    """An attempt, with the stage and share that it told last and its machine, where that sees the folder of the job."""
    reached = read_reached(job / "logs" / row.tour / f"{row.attempt}.events.jsonl")
    stage = f", {reached.stage} {100 * reached.fraction:.0f} %" if reached.stage else ""
    node = f" on {reached.node}" if reached.node and not row.node else ""  # only here it is known from the start
    return f"running: {row.tour} ({row.phase}{stage}), attempt {row.attempt}{node}"


def read_tours(job: Path) -> dict[str, JobTour]:
    """What a job's tours are, by name; those of all parts that it was given out in."""
    return {name: tour for part in _read_parts(job) for name, tour in part.tours.items()}


def read_job(job: Path) -> JobFile:
    """What a job is, by the part that was written last."""
    if not (job / JOB).is_file():
        raise RoomtourError(f"{job}: no folder of a job (it has no {JOB}); make one with: roomtour batch run")
    return _read_file(job / JOB)


def _list_driven(job: Path) -> set[str]:
    """Tours of the parts whose driver is at work."""
    return {
        name
        for part in _read_parts(job)
        if FolderLease(job, name_place(part.job.shard.replace("/", "-of-"))).is_held()
        for name in part.tours
    }


def _read_parts(job: Path) -> list[JobFile]:
    first = read_job(job)
    _, _, parts = first.job.shard.partition("/")
    return [first, *(map(_read_file, sorted(job.glob(f"job-*-of-{parts}.json"))) if parts else ())]


def _read_file(path: Path) -> JobFile:
    return from_plain(read_json(path), JobFile, str(path))


STATUS = "status.json"


def write_job(folder: Path, tasks: Iterable[TourTask], config: Config, options: JobOptions) -> None:
    """Say what a job is; each part of it (`--shard`) says so of its own tours.

    Raises:
        RoomtourError: If there is no room, or no right to write.
    """
    tours = {task.tour.name: JobTour(str(task.tour.source), task.key, task.seconds) for task in tasks}
    versions = {name: importlib.metadata.version(name) for name in SAME_VERSIONS}
    stages = {stage.name: stage.code for stage in STAGES}
    job_file = asdict(JobFile(tours, options, config.to_dict(), {**versions, "stages": stages}))
    for name in dict.fromkeys((name_job_file(options.shard), JOB)):
        try:
            write_json(folder / name, job_file)
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
