"""Where a job stands, for whoever sees its folder: while it runs and after."""

from __future__ import annotations

from pathlib import Path

from roomtour.batch.ledger import count_status, read_rows
from roomtour.batch.records import JobStatus
from roomtour.errors import RoomtourError
from roomtour.files.records import read_json
from roomtour.report.index.runs import Fate

JOB, RUNS = "job.json", "runs"
"""File of a job that says what it is, and its folder with one run folder per tour."""


def read_status(job: Path) -> JobStatus:
    """Out of the ledger.

    Raises:
        RoomtourError: If the folder is none of a job, or its files cannot be read.
    """
    return count_status(read_rows(job), _read_tours(job))


def list_fates(job: Path) -> dict[str, Fate]:
    """What the index says of tours that are not done, by name.

    Raises:
        RoomtourError: As `read_status` does.
    """
    tours = _read_tours(job)
    return {
        row.tour: Fate(row.state, row.reason, tours.get(row.tour, {}).get("seconds") or None)
        for row in read_status(job).tours
        if row.state not in ("done", "done-with-errors", "unfinished")
    }


def _read_tours(job: Path) -> dict[str, dict[str, float]]:
    if not (job / JOB).is_file():
        raise RoomtourError(f"{job}: no folder of a job (it has no {JOB}); make one with: roomtour batch run")
    told = read_json(job / JOB)
    tours = told.get("tours") if isinstance(told, dict) else None
    if not isinstance(tours, dict):
        raise RoomtourError(f"{job / JOB}: names no tours; the same roomtour batch run command makes it anew")
    return tours
