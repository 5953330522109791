"""Where the results of a job lie: in its folder, in another, or in an S3 bucket. What the driver does with them.

Attempts write there, each in a place of its own; the driver alone makes one of them a tour's result.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from roomtour.batch.records import Attempt, Survey
from roomtour.batch.results.lease import FolderLease
from roomtour.batch.results.object_storage import ObjectStorage
from roomtour.batch.results.snapshot import snapshot_run
from roomtour.errors import RoomtourError


class FolderStorage:
    """A folder that every machine sees: that of the job, or another."""

    def __init__(self, job: Path, root: Path | None = None, shard: str = ""):
        """Results in `root`, by default in the folder of the job, whose own place the driver holds itself."""
        self._job, self._root = job, root or job
        self._lease = FolderLease(root, name_place(shard)) if root is not None else None

    @property
    def address(self) -> str | None:
        """Of the folder, unless it is the job's."""
        return None if self._root == self._job else str(self._root)

    def hold(self) -> bool:
        """Keep other drivers out, by a lease; whether one was replaced that may still be at work."""
        if self._lease is None:
            return False
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            return self._lease.take()
        except OSError as error:
            raise RoomtourError(f"--storage {self._root}: {error.strerror or error}") from error

    def require_hold(self) -> None:
        """Be sure that nobody else came in, as the lease says."""
        if self._lease is not None:
            self._lease.require()

    def release(self) -> None:
        """Let other drivers in."""
        if self._lease is not None:
            self._lease.release()

    def survey(self) -> Survey:
        """By the folders of runs and attempts."""
        runs, attempts = self._root / "runs", self._root / "attempts"
        results = {path.name for path in runs.iterdir() if path.is_dir()} if runs.is_dir() else set()
        names = {path.stem for path in attempts.iterdir()} if attempts.is_dir() else set()
        last = {name: int(found[-1].suffix[1:]) for name in names if (found := list_attempts(attempts, name))}
        return Survey(results, last)

    def place(self, name: str, number: int) -> Path:
        """Beside those of the other tours."""
        return self._root / "attempts" / f"{name}.{number}"

    def take_over(self, attempt: Attempt, *, is_gone: bool) -> None:
        """Begin with what the tour has: the folder of its newest attempt, or its run; by a rename.

        Args:
            attempt: Its folder is made, or stays absent where there is nothing to begin with.
            is_gone: Whether the process of the attempt before is gone for certain. If not, its folder is left to it,
                and what it has finished is copied.
        """
        if attempt.folder.exists():
            return
        earlier = list_attempts(attempt.folder.parent, attempt.task.tour.name)
        if earlier and not is_gone:
            with suppress(RoomtourError):  # its writer gave no moment of rest, or its manifest is torn: begin anew
                snapshot_run(earlier[-1], attempt.folder)
            return
        newest = earlier[-1] if earlier else self._run(attempt)
        if newest.is_dir():
            newest.rename(attempt.folder)

    def publish(self, attempt: Attempt) -> None:
        """Put the folder of the last attempt in the tour's place; only called when its process is gone."""
        if not attempt.folder.is_dir():
            return
        run = self._run(attempt)
        run.parent.mkdir(exist_ok=True)
        old = attempt.folder.with_name(f".old-{run.name}")
        if run.exists():
            shutil.rmtree(old, ignore_errors=True)
            run.rename(old)
        attempt.folder.rename(run)
        shutil.rmtree(old, ignore_errors=True)

    def remove_lost(self, attempt: Attempt) -> list[int]:
        """Remove what earlier attempts left that were given up as lost.

        Returns:
            Numbers of those that ended after all, in order.
        """
        late = []
        for folder in list_attempts(attempt.folder.parent, attempt.task.tour.name):
            number = int(folder.suffix[1:])
            if number < attempt.number:
                late += [number] if attempt.log.with_name(f"{number}.outcome.json").is_file() else []
                shutil.rmtree(folder, ignore_errors=True)  # its writer may be at work; the tour's next end tries again
        return late

    def forget(self, name: str) -> list[str]:
        """Its run, logs and attempts."""
        own = (self._root / "runs" / name, self._job / "logs" / name)
        removed = [path for path in (*own, *list_attempts(self._root / "attempts", name)) if path.is_dir()]
        for path in removed:
            shutil.rmtree(path)
        return [str(path) for path in removed]

    def _run(self, attempt: Attempt) -> Path:
        return self._root / "runs" / attempt.task.tour.name


def list_attempts(attempts: Path, name: str) -> list[Path]:
    """Folders of a tour's attempts, oldest first."""
    found = [
        (int(path.suffix[1:]), path)
        for path in attempts.glob(f"{name}.*")
        if path.stem == name and path.suffix[1:].isdecimal()
    ]
    return [path for _, path in sorted(found)]


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


Storage = FolderStorage | ObjectStorage


def open_storage(address: str | None, job: Path, shard: str = "") -> Storage:
    """The storage of a job: its folder, another, or a bucket.

    Raises:
        RoomtourError: If the address is none, or needs a client that is not installed.
    """
    if address is None or not is_bucket(address):
        return FolderStorage(job, Path(address).absolute() if address else None, shard)
    return ObjectStorage(address, job)
