"""What a job is told between two of its runs: to forget a tour, or to try some again."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from roomtour.batch.ledger import add_row, latest_rows, now, read_rows
from roomtour.batch.records import LedgerRow
from roomtour.batch.results.storage import open_storage
from roomtour.errors import RoomtourError
from roomtour.tour_facts import INFO, SIDE_CAR

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
