"""What a job is told between two of its runs: forget a tour, try some again, write anew a ledger that was lost."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from roomtour.batch.job_options import JobTour
from roomtour.batch.ledger import add_row, latest_rows, now, read_rows
from roomtour.batch.records import LedgerRow
from roomtour.batch.results.lease import FolderLease
from roomtour.batch.results.parcels import Finished, read_finished
from roomtour.batch.results.storage import is_bucket, name_place, open_storage
from roomtour.batch.status import find_runs, read_job, read_storage, read_tours
from roomtour.config import Config, config_from_dict
from roomtour.errors import USER_ERRORS, RoomtourError
from roomtour.keys import choose_perception, list_identities, list_stages, result_keys
from roomtour.kinds import require_kinds
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
        for one in (path, *(stem.with_name(stem.name + end) for end in (SIDE_CAR, INFO)), *collected):
            if one.is_dir() and not one.is_symlink():
                shutil.rmtree(one)
            elif one.exists() or one.is_symlink():
                one.unlink()
            else:
                continue
            removed.append(str(one))
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
    told = read_job(job)
    config = choose_perception(config_from_dict(told.options))
    identities = list_identities(config)
    wanted = [stage.name for stage in list_stages(require_kinds(config.data), told.job.until)]
    runs = find_runs(job)
    for name, finished in _read_finished(job, tours):
        facts = facts_from_dict(finished.manifest.get("options", {}).get("tour", {}), name)
        tour = Tour(name, Path(tours[name].source), runs / name, facts)
        if _is_done(tour, finished.stages, wanted, config, identities):
            yield _describe(name, tours[name].key, finished.stages)


def _read_finished(job: Path, tours: Iterable[str]) -> Iterator[tuple[str, Finished]]:
    address = read_storage(job)
    if address is None or not is_bucket(address):
        found = ((name, read_finished(find_runs(job) / name)) for name in sorted(tours))
    else:
        from roomtour.batch.results.object_storage import ObjectStorage

        storage = ObjectStorage(address, job)
        names = sorted(open_storage(address, job).survey().results & set(tours))
        found = ((name, index.finished) for name in names if (index := storage.read_result(name)) is not None)
    return ((name, finished) for name, finished in found if finished is not None)


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
