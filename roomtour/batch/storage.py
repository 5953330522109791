"""Where the results of a job lie: in its folder, or in an S3 bucket. What the driver does with them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Protocol

from roomtour.batch.folders import list_attempts, publish, remove_lost, take_over
from roomtour.batch.records import Attempt, Survey
from roomtour.errors import RoomtourError


class Storage(Protocol):
    """Attempts write here, each in a place of its own; the driver alone makes one of them a tour's result."""

    @property
    def address(self) -> str | None:
        """Of a bucket; None for the folder of the job."""
        ...

    def hold(self) -> None:
        """Keep other drivers out, and say so again on every later call.

        Raises:
            RoomtourError: If another has the job.
        """
        ...

    def release(self) -> None:
        """Let other drivers in."""
        ...

    def survey(self) -> Survey:
        """What there is of which tours."""
        ...

    def collect_outcome(self, attempt: Attempt) -> None:
        """See that what a child said of itself lies beside its log."""
        ...

    def take_over(self, attempt: Attempt, *, is_gone: bool) -> None:
        """Let an attempt begin with what its tour has; see `folders.take_over`."""
        ...

    def publish(self, attempt: Attempt) -> None:
        """Make the last attempt the tour's result; only called when its process is gone."""
        ...

    def remove_lost(self, attempt: Attempt) -> list[int]:
        """Remove what earlier attempts left; the numbers of those that ended after they were given up."""
        ...

    def forget(self, name: str) -> list[str]:
        """Remove all there is of a tour; what was removed, in words."""
        ...


class FolderStorage:
    """The folder of the job, which every machine sees."""

    address = None

    def __init__(self, job: Path):
        self._job = job

    def hold(self) -> None:
        """Nothing: the driver locks the folder itself."""

    def release(self) -> None:
        """Nothing."""

    def survey(self) -> Survey:
        """By the folders of runs and attempts."""
        runs, attempts = self._job / "runs", self._job / "attempts"
        results = {path.name for path in runs.iterdir() if path.is_dir()} if runs.is_dir() else set()
        names = {path.stem for path in attempts.iterdir()} if attempts.is_dir() else set()
        last = {name: int(found[-1].suffix[1:]) for name in names if (found := list_attempts(attempts, name))}
        return Survey(results, last)

    def collect_outcome(self, attempt: Attempt) -> None:
        """Nothing: the child put it there."""

    def take_over(self, attempt: Attempt, *, is_gone: bool) -> None:
        """By a rename, or a copy where the last writer may still be at work."""
        take_over(attempt, is_gone=is_gone)

    def publish(self, attempt: Attempt) -> None:
        """By a rename."""
        publish(attempt)

    def remove_lost(self, attempt: Attempt) -> list[int]:
        """Their folders."""
        return remove_lost(attempt)

    def forget(self, name: str) -> list[str]:
        """Its run, logs and attempts."""
        found = [self._job / "runs" / name, self._job / "logs" / name, *list_attempts(self._job / "attempts", name)]
        removed = [path for path in found if path.is_dir()]
        for path in removed:
            shutil.rmtree(path)
        return [str(path) for path in removed]


def open_storage(address: str | None, job: Path) -> Storage:
    """The storage of a job: its folder, or a bucket.

    Raises:
        RoomtourError: If the address is none, or needs a client that is not installed.
    """
    if address is None:
        return FolderStorage(job)
    if "://" not in address:
        raise RoomtourError(f"--storage {address}: need s3://BUCKET/PREFIX; a folder that machines share goes as --out")
    from roomtour.batch.object_storage import ObjectStorage

    return ObjectStorage(address, job)
