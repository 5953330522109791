"""What is done with a job besides running it: forget a tour, try some again, write anew a ledger that was lost, note
which datasets were made of its runs, since a takedown has to name those that hold a tour.
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from roomtour.batch.job_options import JobTour
from roomtour.batch.ledger import add_row, latest_rows, now, read_rows
from roomtour.batch.records import LedgerRow
from roomtour.batch.results.parcels import Finished, read_finished
from roomtour.batch.results.storage import FolderLease, is_bucket, name_place, open_storage
from roomtour.batch.status import JOB, RUNS, find_runs, read_job, read_status, read_storage, read_tours
from roomtour.config import Config, config_from_dict
from roomtour.errors import USER_ERRORS, RoomtourError
from roomtour.export.core.folder import MARKER
from roomtour.files.appended import append_record, read_records
from roomtour.files.records import read_json
from roomtour.keys import choose_perception, list_identities, list_stages, result_keys
from roomtour.kinds import require_kinds
from roomtour.run import Run
from roomtour.sources import Tour
from roomtour.store import StageEntry
from roomtour.tour_facts import INFO, SIDE_CAR, facts_from_dict

_VIDEOS, _JUDGEMENTS = "videos", "judgements.jsonl"
_COLLECTED = (("runs/", ""), ("vectors/", ".npz"), ("hashes/", ".npz"))
"""Where `roomtour collect` keeps what it fetched and what it made of it, beside its ledger."""


def forget_tour(job: Path, name: str, storage: str | None = None) -> list[str]:
    """Remove a tour from a job: run, attempts, logs. Its rows in the ledger are kept without what they say of it.

    Returns:
        What was removed.
    """
    removed = open_storage(storage, job).forget(name)
    add_row(job, LedgerRow(now(), name, 0, platform.node(), "forgotten", "waiting"))
    return removed


def remove_source(source: str) -> list[str]:
    """Remove a tour's video, or its folder of images, and the files of facts beside it; of one that was fetched by
    `roomtour collect`, its pictures and what was made of them there too.

    Returns:
        What was removed.

    Raises:
        RoomtourError: If it cannot be removed.
    """
    path = Path(source)
    stem = path.with_suffix("") if path.is_file() else path
    collection = path.parent.parent
    is_collected = path.parent.name == _VIDEOS and (collection / _JUDGEMENTS).is_file()
    collected = [collection / f"{made}{stem.name}{end}" for made, end in _COLLECTED] if is_collected else []
    removed = []
    try:
        for file in (path, *(stem.with_name(stem.name + end) for end in (SIDE_CAR, INFO)), *collected):
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file)
            elif file.exists() or file.is_symlink():
                file.unlink()
            else:
                continue
            removed.append(str(file))
    except OSError as error:
        raise RoomtourError(f"{source}: cannot be removed: {error.strerror or error}") from error
    return removed


def ask_again(job: Path, states: Iterable[str], names: Iterable[str]) -> list[str]:
    """Let tours that were given up have new attempts in the next run.

    Returns:
        Their names.
    """
    wanted, named = set(states), set(names)
    chosen = [
        row
        for row in latest_rows(read_rows(job)).values()
        if row.event == "ended" and (row.state in wanted or row.tour in named)
    ]
    for row in chosen:
        add_row(job, replace(row, time=now(), event="again", state="waiting", key=""))
    return [row.tour for row in chosen]


def rebuild_ledger(job: Path) -> list[str]:
    """Write a row for each tour whose result is there and is what the job's options ask for.

    Others are tried again by the next run, which goes on with what they have. Tours that were given up are forgotten.

    Returns:
        Names of the tours that are done and that the ledger did not know.

    Raises:
        RoomtourError: If the folder is none of a job, or a job runs in it.
    """
    tours = read_tours(job)
    lease = FolderLease(job, name_place(""))
    lease.take()
    try:
        known = latest_rows(read_rows(job))
        rows = [row for row in _find_done(job, tours) if row.tour not in known]
        for row in rows:
            add_row(job, row)
    finally:
        lease.release()
    return [row.tour for row in rows]


def _find_done(job: Path, tours: Mapping[str, JobTour]) -> Iterator[LedgerRow]:
    job_file = read_job(job)
    config = choose_perception(config_from_dict(job_file.options))
    identities = list_identities(config)
    wanted = [stage.name for stage in list_stages(require_kinds(config.data), job_file.job.until)]
    runs = find_runs(job)
    for name, finished in _read_finished(job, tours):
        facts = facts_from_dict(finished.manifest.get("options", {}).get("tour", {}), name)
        tour = Tour(name, Path(tours[name].source), runs / name, facts)
        if _is_done(tour, finished.stages, wanted, config, identities):
            yield _describe(name, tours[name].key, finished.stages)


def _read_finished(job: Path, tours: Iterable[str]) -> Iterator[tuple[str, Finished]]:
    address = read_storage(job)
    if address is None or not is_bucket(address):
        results = ((name, read_finished(find_runs(job) / name)) for name in sorted(tours))
    else:
        from roomtour.batch.results.object_storage import ObjectStorage

        storage = ObjectStorage(address, job)
        names = sorted(open_storage(address, job).survey().results & set(tours))
        results = ((name, index.finished) for name in names if (index := storage.read_result(name)) is not None)
    return ((name, finished) for name, finished in results if finished is not None)


def _is_done(
    tour: Tour, stages: Mapping[str, StageEntry], wanted: list[str], config: Config, identities: Mapping[str, object]
) -> bool:
    try:
        keys = result_keys(tour, config, identities)
    except USER_ERRORS:  # its source is gone or changed beyond reading: the next run says so
        return False
    return all(name in stages and stages[name].key == keys.get(name) for name in wanted)


def _describe(name: str, key: str, stages: Mapping[str, StageEntry]) -> LedgerRow:
    errors = [finding for entry in stages.values() for finding in entry.findings if finding.severity == "error"]
    row = LedgerRow(now(), name, max(entry.attempt for entry in stages.values()), platform.node(), "ended", "done")
    return replace(
        row,
        state="done-with-errors" if errors else "done",
        reason=f"{errors[0].message} [{errors[0].code}]" if errors else "",
        seconds=round(sum(entry.seconds for entry in stages.values()), 3),
        cpu_s=round(sum(entry.cpu_seconds for entry in stages.values()), 3),
        peak_mb=max(entry.peak_mb for entry in stages.values()),
        key=key,
    )


EXPORTS = "exports.jsonl"
_ENDED_WELL = ("done", "done-with-errors", "unfinished")


def choose_runs(named: Sequence[Path]) -> tuple[list[Path], dict[str, str]]:
    """The runs that a dataset is made of, and tours of jobs that have none, with their state.

    Args:
        named: Run folders, and folders of jobs, which stand for all their tours. What a job gave up lies among its
            runs too, as far as it came.

    Raises:
        RoomtourError: If the files of a job cannot be read.
    """
    chosen: list[Path] = []
    left_out: dict[str, str] = {}
    states_of = cache(lambda job: {row.tour: row.state for row in read_status(job).tours})
    for path in named:
        job = path.resolve().parent.parent
        if (path / JOB).is_file():
            runs = {find_runs(path) / name: state for name, state in states_of(path).items()}
        elif path.resolve().parent.name == RUNS and (job / JOB).is_file():
            runs = {path: states_of(job).get(path.resolve().name, "")}
        else:
            runs = {path: ""}
        for run, state in runs.items():
            if not state or (run.is_dir() and (state in _ENDED_WELL or _is_whole(run))):
                chosen.append(run)
            else:
                left_out[run.resolve().name] = state if state not in _ENDED_WELL else "not fetched"
    return chosen, left_out


def _is_whole(run: Path) -> bool:
    """Whether it can be exported: a tour that is to be tried again may have an earlier result."""
    try:
        whole = Run(run)
        _ = whole.data
        return whole.is_readable
    except USER_ERRORS:
        return False


def note_export(runs: Sequence[Path], out: Path) -> None:
    """Write beside the runs of a job that a dataset is made of some of them; nothing for other runs.

    Raises:
        RoomtourError: If the note cannot be written.
    """
    folders = {run.resolve().parent for run in runs}
    for folder in sorted(folders):
        if folder.name == RUNS and ((folder.parent / JOB).is_file() or (folder.parent / "attempts").is_dir()):
            append_record(folder.parent / EXPORTS, {"time": now(), "out": str(out.absolute())}, "list of exports")


def find_exports(folders: Iterable[Path], name: str) -> tuple[list[Path], list[Path]]:
    """Datasets that hold a tour, and those that are no more where they were made, so that nobody can tell.

    Args:
        folders: Of the job and of its storage.
        name: Of the tour.

    Raises:
        RoomtourError: If a list of exports is damaged.
    """
    made = {Path(str(value["out"])) for folder in folders for _, value in read_records(folder / EXPORTS)}
    holding, gone = [], []
    for out in sorted(made):
        try:
            tours = read_json(out / MARKER)["tours"]
            holds = any(name == tour["tour"] for tour in tours)
        except (RoomtourError, KeyError, TypeError):
            gone.append(out)
            continue
        if holds:
            holding.append(out)
    return holding, gone
