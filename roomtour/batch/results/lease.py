"""Who drives what lies in a folder that several machines may share: one at a time, and never two.

It is filelock's lease. Its holder gives a sign every few seconds; one that ended on this machine is replaced at once,
one that gave no sign for a minute by whoever then watches it for another. No clocks of machines are compared.

What is guaranteed: one that was replaced knows it before its next publication, since it asks before each, however long
it slept. Between asking and publishing nobody is held back; what lies there is whole either way, as attempts never mix.
"""

from __future__ import annotations

import os
import platform
import secrets
from pathlib import Path

from filelock import SoftFileLease, Timeout

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
