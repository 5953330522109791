"""What happened in a job, one line each. A log: run folders are the truth, and one process writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from roomtour.batch.records import (
    GIVEN_UP,
    NOT_STARTED,
    Attempt,
    Ended,
    JobStatus,
    LedgerRow,
    Outcome,
    State,
    Survey,
    TourTask,
)
from roomtour.files.appended import append_record, read_records
from roomtour.files.records import from_plain

LEDGER = "ledger.jsonl"


def now() -> str:
    """The time of a row."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def make_row(
    attempt: Attempt,
    event: Literal["started", "ended", "superseded"],
    state: State,
    outcome: Outcome,
    ended: Ended | None = None,
    node: str = "",
) -> LedgerRow:
    """What the ledger says of an attempt to which something happened, that leaves its tour in a state.

    `node` is the machine on which it runs, where its end names none.
    """
    ended = ended or Ended(attempt, "lost")
    return LedgerRow(
        time=now(),
        tour=attempt.task.tour.name,
        attempt=attempt.number,
        node=ended.node or node,
        event=event,
        state=state,
        stage=outcome.stage,
        seconds=ended.seconds,
        cpu_s=ended.cpu_s,
        gpu_s=round(outcome.gpu_s * attempt.need.gpu, 3),
        peak_mb=ended.peak_mb,
        signal=ended.signal,
        key=attempt.task.key,
        reason=outcome.reason,
        tour_s=outcome.tour_s,
        phase=attempt.phase.name,
        stage_s=outcome.stage_s,
    )


def add_row(job: Path, row: LedgerRow, shard: str = "") -> None:
    """Append a row; when this returns it is on the disk."""
    append_record(job / (f"ledger-{shard}.jsonl" if shard else LEDGER), asdict(row), "ledger of the job")


def read_rows(job: Path) -> tuple[LedgerRow, ...]:
    """Every row of every shard, in the order of time; a torn last line is left out.

    Raises:
        RoomtourError: If a file cannot be read or a row is none.
    """
    rows: list[LedgerRow] = []
    for path in sorted(job.glob("ledger*.jsonl")):
        rows += [from_plain(value, LedgerRow, where) for where, value in read_records(path)]
    return tuple(sorted(rows, key=lambda row: row.time))


def latest_rows(rows: Iterable[LedgerRow]) -> dict[str, LedgerRow]:
    """The last row of each tour that was not forgotten."""
    last: dict[str, LedgerRow] = {}
    for row in rows:
        if row.event == "forgotten":
            last.pop(row.tour, None)
        elif row.event != "superseded":
            last[row.tour] = row
    return last


def list_done(job: Path, results: Collection[str]) -> dict[str, str]:
    """Tours whose results are there (`results`), with the key under which they are done."""
    last = latest_rows(read_rows(job))
    return {
        name: row.key
        for name, row in last.items()
        if row.event == "ended" and row.state in ("done", "done-with-errors") and name in results
    }


def count_status(
    rows: Iterable[LedgerRow], waiting: Collection[str] = (), driven: Collection[str] | None = None
) -> JobStatus:
    """Where a job stands.

    Args:
        rows: Of its ledger.
        waiting: Names of the job's tours, which may not have been started.
        driven: Names of those whose driver is at work; a tour of another, whose end was never written, waits for the
            next run. None if all are.
    """
    rows = tuple(rows)
    last = {
        name: row if row.state != "running" or driven is None or name in driven else replace(row, state="waiting")
        for name, row in latest_rows(rows).items()
    }
    for name in waiting:
        last.setdefault(name, LedgerRow("", name, 0, "", "again", "waiting"))
    ended = [row for row in rows if row.event == "ended"]
    return JobStatus(
        states=dict(sorted(Counter(row.state for row in last.values()).items())),
        tours=tuple(last[name] for name in sorted(last)),
        cpu_s=sum(row.cpu_s for row in ended),
        lost_cpu_s=sum(row.cpu_s for row in ended if row.state in GIVEN_UP or row.state == "waiting"),
        tour_s_done=sum(row.tour_s for row in last.values() if row.state in ("done", "done-with-errors")),
        peak_mb=max((row.peak_mb for row in ended), default=0.0),
        gpu_s=sum(row.gpu_s for row in ended),
        is_driven=driven is None or bool(driven),
    )


def is_settled(last: LedgerRow | None, task: TourTask, there: Survey) -> bool:
    """Whether nothing is left to do for a tour: done or given up with this source and these options."""
    if last is None or last.event != "ended" or last.key != task.key:
        return False
    if last.state in GIVEN_UP:
        return last.attempt != NOT_STARTED  # what did not fit may fit now
    return last.state in ("done", "done-with-errors") and task.tour.name in there.results
