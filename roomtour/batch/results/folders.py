"""The folders of attempts: each is one attempt's alone, and only the driver moves or removes them."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from roomtour.batch.records import Attempt
from roomtour.errors import RoomtourError
from roomtour.snapshot import snapshot_run


def take_over(attempt: Attempt, run: Path, *, is_gone: bool) -> None:
    """Begin with what the tour has: the folder of its newest attempt, or its run.

    Args:
        attempt: Its folder is made, or stays absent where there is nothing to begin with.
        run: Where the tour's result is published.
        is_gone: Whether the process of the attempt before is gone for certain. If not, its folder is left to it, and
            what it has finished is copied.
    """
    if attempt.folder.exists():
        return
    earlier = list_attempts(attempt.folder.parent, attempt.task.tour.name)
    if earlier and not is_gone:
        with suppress(RoomtourError):  # its writer gave no moment of rest, or its manifest is torn: begin anew
            snapshot_run(earlier[-1], attempt.folder)
        return
    newest = earlier[-1] if earlier else run
    if newest.is_dir():
        newest.rename(attempt.folder)


def list_attempts(attempts: Path, name: str) -> list[Path]:
    """Folders of a tour's attempts, oldest first."""
    found = [
        (int(path.suffix[1:]), path)
        for path in attempts.glob(f"{name}.*")
        if path.stem == name and path.suffix[1:].isdecimal()
    ]
    return [path for _, path in sorted(found)]


def publish(attempt: Attempt, run: Path) -> None:
    """Put the folder of the last attempt in the tour's place; only called when its process is gone."""
    if not attempt.folder.is_dir():
        return
    run.parent.mkdir(exist_ok=True)
    old = attempt.folder.with_name(f".old-{run.name}")
    if run.exists():
        shutil.rmtree(old, ignore_errors=True)
        run.rename(old)
    attempt.folder.rename(run)
    shutil.rmtree(old, ignore_errors=True)


def remove_lost(attempt: Attempt) -> list[int]:
    """Remove what earlier attempts left that were given up as lost, once a later one has come to its end.

    Returns:
        Numbers of those that ended after all, in order.
    """
    late = []
    for folder in list_attempts(attempt.folder.parent, attempt.task.tour.name):
        number = int(folder.suffix[1:])
        if number >= attempt.number:
            continue
        if attempt.log.with_name(f"{number}.outcome.json").is_file():
            late.append(number)
        shutil.rmtree(folder, ignore_errors=True)  # its writer may still be at work; the next end of a tour tries again
    return late
