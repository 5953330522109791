"""Where the results of a job lie: in its folder, in another, or in an S3 bucket, and who drives it: one at a time.

Attempts write there, each in a place of its own; the driver alone makes one of them a tour's result.

Who drives holds filelock's lease. Its holder gives a sign every few seconds; one that ended on this machine is replaced
at once, one that gave no sign for a minute by whoever then watches it for another. No clocks are compared.

What is guaranteed: one that was replaced knows it before its next publication, since it asks before each, however long
it slept. Between asking and publishing nobody is held back; what lies there is whole either way, as attempts never mix.
"""

from __future__ import annotations

import os
import platform
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from filelock import SoftFileLease, Timeout

from roomtour.batch.records import Attempt, Survey
from roomtour.batch.results.object_storage import ObjectStorage
from roomtour.batch.results.parcels import snapshot_run
from roomtour.errors import RoomtourError

BEAT_S, STALE_S = 5.0, 60.0
"""A holder gives a sign so often; one without a sign for so long is taken to be gone."""
_SILENT_BEATS = 4
"""Signs that may be missing before a job is said to have nobody at work."""


class FolderLease:
    """The place of a driver in a folder; held from `take` to `release`."""

    def __init__(self, folder: Path, name: str, *, stale_s: float = STALE_S):
        """Take nothing yet.

        Args:
            folder: Is there.
            name: Of the place; others are held apart from it.
            stale_s: Without a sign for so long, a holder is replaced; the same for all.
        """
        self._folder, self._path, self._stale_s = folder, folder / f".{name}.lease", stale_s
        self._beat_s = min(BEAT_S, stale_s / 12)
        self._lease = SoftFileLease(
            self._path, lease_duration=stale_s, heartbeat_interval=self._beat_s, thread_local=False
        )

    def take(self) -> bool:
        """Take the place; where its holder has been silent for long, only after watching it.

        Returns:
            Whether it was taken from a holder that may still be at work: one without a sign, whose end nobody saw.

        Raises:
            RoomtourError: If somebody has it, or the folder cannot be read or written.
        """
        try:
            if self._acquire(0.0):
                return False
            owner, age_s = self._lease.owner, self._measure_age_s()
            if age_s > self._stale_s and self._acquire(self._stale_s + 2 * self._beat_s):
                return True
        except OSError as error:
            raise RoomtourError(f"{self._folder}: {error.strerror or error}") from error
        host, wait_s = owner.hostname if owner is not None else "another machine", max(0.0, self._stale_s - age_s) + 1
        raise RoomtourError(
            f"{self._folder}: another process runs this job now, on {host}; its last sign was {age_s:.0f} s old. If "
            f"that machine is gone, try again in {wait_s:.0f} s"
        )

    def require(self) -> None:
        """Be sure that the place is still ours; after a long sleep of this process too.

        Raises:
            RoomtourError: If another took it, or may have since the folder cannot be reached.
        """
        if self._lease.token is None:  # released, or never taken
            return
        lost, owner = self._lease.compromise, self._lease.owner
        if lost is not None and lost.reason == "refresh-failed":
            raise RoomtourError(
                f"{self._folder}: cannot be reached ({lost.error}), so another driver may have this job by now; this "
                "one ends. The same command goes on"
            )
        if lost is not None or (owner is not None and owner.token != self._lease.token) or self._is_gone():
            raise RoomtourError(f"{self._folder}: another driver took this job over; this one ends")

    def is_held(self) -> bool:
        """Whether somebody has the place, for who does not want it; also where its signs cannot be read."""
        try:
            age_s = self._measure_age_s()
        except FileNotFoundError:
            return False
        except OSError:
            return True
        owner = self._lease.owner
        is_here = owner is not None and owner.hostname == platform.node()
        return age_s <= _SILENT_BEATS * self._beat_s and not (owner and is_here and _has_ended(owner.pid))

    def release(self) -> None:
        """Leave it to others."""
        if self._lease.is_locked:
            self._lease.release()

    def _acquire(self, timeout_s: float) -> bool:
        try:
            self._lease.acquire(timeout=timeout_s)
        except Timeout:
            return False
        return True

    def _is_gone(self) -> bool:
        """Whether our file was removed; what cannot be reached for a moment is not gone."""
        try:
            self._path.stat()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return False

    def _measure_age_s(self) -> float:
        """Seconds since the last sign, by the clock of the storage: that of a file which it makes now."""
        with self._path.open("rb") as file:  # opened, since what a client knows of a file may be old
            changed = os.fstat(file.fileno()).st_mtime
        asked = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}.clock")
        try:
            asked.write_bytes(b"0")
            return max(0.0, asked.stat().st_mtime - changed)
        finally:
            asked.unlink(missing_ok=True)


def _has_ended(pid: int) -> bool:
    """Whether this machine has no such process; another of its number may have come since."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


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
        last = {name: int(folders[-1].suffix[1:]) for name in names if (folders := list_attempts(attempts, name))}
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
    numbered = [
        (int(path.suffix[1:]), path)
        for path in attempts.glob(f"{name}.*")
        if path.stem == name and path.suffix[1:].isdecimal()
    ]
    return [path for _, path in sorted(numbered)]


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
