"""Where the results of a job lie: in its folder, in another, or in an S3 bucket. What the driver does with them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Protocol

from roomtour.batch.records import Attempt, Survey
from roomtour.batch.results.folders import list_attempts, publish, remove_lost, take_over
from roomtour.batch.results.lease import FolderLease
from roomtour.batch.results.objects import SOURCES
from roomtour.batch.results.signs import OUTCOME, FolderSigns
from roomtour.errors import RoomtourError


class Storage(Protocol):
    """Attempts write here, each in a place of its own; the driver alone makes one of them a tour's result."""

    @property
    def address(self) -> str | None:
        """Of a bucket or a folder; None for the folder of the job."""
        ...

    def hold(self) -> bool:
        """Keep other drivers out.

        Returns:
            Whether one was replaced that gave no sign and may still be at work.

        Raises:
            RoomtourError: If another has the place.
        """
        ...

    def require_hold(self) -> None:
        """Be sure that nobody else came in.

        Raises:
            RoomtourError: If another did.
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

    def place(self, name: str, number: int) -> Path:
        """The folder of an attempt, where machines see it; in a bucket it has none, and nothing is written there."""
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
    """A folder that every machine sees: that of the job, or another."""

    def __init__(self, job: Path, root: Path | None = None, shard: str = ""):
        """Results in `root`, by default in the folder of the job, whose own place the driver holds itself."""
        self._job, self._root = job, root or job
        self._shard = shard
        self._lease: FolderLease | None = None
        self._signs = FolderSigns(root) if root is not None else None

    @property
    def address(self) -> str | None:
        """Of the folder, unless it is the job's."""
        return None if self._root == self._job else str(self._root)

    def hold(self) -> bool:
        """By a lease; machines that do not share it have another folder."""
        if self.address is None:
            return False
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            self._lease = FolderLease(self._root, name_place(self._shard))
            return self._lease.take()
        except OSError as error:
            raise RoomtourError(f"--storage {self._root}: {error.strerror or error}") from error

    def require_hold(self) -> None:
        """As the lease says."""
        if self._lease is not None:
            self._lease.require()

    def release(self) -> None:
        """Give the lease back."""
        if self._lease is not None:
            self._lease.release()
            self._lease = None

    def survey(self) -> Survey:
        """By the folders of runs and attempts."""
        runs, attempts = self._root / "runs", self._root / "attempts"
        results = {path.name for path in runs.iterdir() if path.is_dir()} if runs.is_dir() else set()
        names = {path.stem for path in attempts.iterdir()} if attempts.is_dir() else set()
        last = {name: int(found[-1].suffix[1:]) for name in names if (found := list_attempts(attempts, name))}
        return Survey(results, last)

    def collect_outcome(self, attempt: Attempt) -> None:
        """Where machines need not see the folder of the job, the child left it in this one."""
        if self._signs is not None and not attempt.outcome.is_file():
            body = self._signs.read(attempt.task.tour.name, attempt.number, OUTCOME)
            if body is not None:
                attempt.outcome.write_bytes(body)

    def place(self, name: str, number: int) -> Path:
        """Beside those of the other tours."""
        return self._root / "attempts" / f"{name}.{number}"

    def take_over(self, attempt: Attempt, *, is_gone: bool) -> None:
        """By a rename, or a copy where the last writer may still be at work.

        What one of this number told another job, whose driver was killed before it removed that, is forgotten.
        """
        if self._signs is not None:
            self._signs.remove_attempt(attempt.task.tour.name, attempt.number)
        take_over(attempt, self._run(attempt), is_gone=is_gone)

    def publish(self, attempt: Attempt) -> None:
        """By a rename."""
        publish(attempt, self._run(attempt))

    def remove_lost(self, attempt: Attempt) -> list[int]:
        """Their folders, and what was fetched of the tour itself."""
        late = remove_lost(attempt)
        if attempt.task.tour.address:
            shutil.rmtree(self._root / SOURCES / attempt.task.tour.name, ignore_errors=True)
        if self._signs is not None:
            told = self._signs.list_told(attempt.task.tour.name, OUTCOME)
            seen = {number for number in told if attempt.log.with_name(f"{number}.outcome.json").is_file()}
            late = sorted({*late, *(number for number in told - seen if number < attempt.number)})
            self._signs.remove(attempt.task.tour.name)
        return late

    def forget(self, name: str) -> list[str]:
        """Its run, logs and attempts."""
        if self._signs is not None:
            self._signs.remove(name)
        own = (self._root / "runs" / name, self._job / "logs" / name, self._root / SOURCES / name)
        found = [*own, *list_attempts(self._root / "attempts", name)]
        removed = [path for path in found if path.is_dir()]
        for path in removed:
            shutil.rmtree(path)
        return [str(path) for path in removed]

    def _run(self, attempt: Attempt) -> Path:
        return self._root / "runs" / attempt.task.tour.name


def name_place(shard: str) -> str:
    """What a driver holds: drivers of different shards do not meet."""
    return f"driver-{shard}" if shard else "driver"


def is_bucket(address: str) -> bool:
    """Whether a storage is no folder.

    Raises:
        RoomtourError: For an address that lost a stroke.
    """
    if address.startswith("s3:/") and "://" not in address:
        raise RoomtourError(f"--storage {address}: need s3://BUCKET/PREFIX, or a folder")
    return "://" in address


def open_storage(address: str | None, job: Path, shard: str = "") -> Storage:
    """The storage of a job: its folder, another, or a bucket.

    Raises:
        RoomtourError: If the address is none, or needs a client that is not installed.
    """
    if address is None or not is_bucket(address):
        return FolderStorage(job, Path(address).absolute() if address else None, shard)
    from roomtour.batch.results.object_storage import ObjectStorage

    return ObjectStorage(address, job)
