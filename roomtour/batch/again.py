"""What a job is told between two of its runs: to forget a tour, or to try some again."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from roomtour.batch.ledger import add_row, latest_rows, now, read_rows
from roomtour.batch.records import LedgerRow
from roomtour.batch.storage import open_storage


def forget_tour(job: Path, name: str, storage: str | None = None) -> list[str]:
    """Remove a tour from a job: run, attempts, logs. Its rows in the ledger are kept without what they say of it.

    Returns:
        What was removed.
    """
    removed = open_storage(storage, job).forget(name)
    add_row(job, LedgerRow(now(), name, 0, platform.node(), "forgotten", "waiting"))
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
