"""Who drives what lies in a folder that several machines may share: one at a time, and never two.

On one machine a lock of the kernel says so: it is gone in the moment in which its holder is. Between machines such
locks may not be seen, or outlive their holder. So the holder also gives a sign every few seconds, and one that gave
none for a minute is replaced. Each holder has a number; whoever comes next makes the file of the next number, which
only one can, and who finds a number above its own has lost its place. Ages are told by the clock of the storage alone.

What is guaranteed: one that was replaced knows it before its next publication, since it asks before each, however long
it slept. Between asking and publishing nobody is held back; what lies there is whole either way, as attempts never mix.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import secrets
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from roomtour.errors import RoomtourError

_BEAT_S, STALE_S = 5.0, 60.0
"""A holder gives a sign so often; one without a sign for so long is taken to be gone."""
_PATIENCE_S = 0.2
"""A lock may be held for an instant by somebody who only asks whether it is free."""
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class _Holder:
    """Whose place it is, as its file tells."""

    number: int
    machine: str
    host: str
    is_locked: bool
    """Whether it has the lock of its kernel; one that took the place of a frozen process has not."""
    is_released: bool
    age_s: float


class FolderLease:
    """The place of a driver in a folder; held from `take` to `release`."""

    def __init__(self, folder: Path, name: str, *, machine: str | None = None, stale_s: float = STALE_S):
        """Take nothing yet.

        Args:
            folder: Is there.
            name: Of the place; others are held apart from it.
            machine: What tells this machine from others: kernels see their own locks alone.
            stale_s: Without a sign for so long, a holder is replaced.
        """
        self._folder, self._name = folder, name
        self._machine, self._stale_s = machine or name_machine(), stale_s
        self._lock = FileLock(folder / f".{name}.lock")
        self._is_locked = False
        self._word, self._number = secrets.token_hex(8), 0
        self._beaten = 0.0
        self._fault: str | None = None
        self._guard = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self) -> bool:
        """Take the place.

        Returns:
            Whether it was taken from a holder that may still be at work: one without a sign, whose end nobody saw.

        Raises:
            RoomtourError: If somebody has it, or the folder cannot be read or written.
        """
        begun = _now_s()
        grip = self._grip()
        try:
            there = self._read_newest()
            from_living = self._require_free(there, grip)
            self._number = 1 + (there.number if there else 0)
            if not self._make(self._number) or not self._is_ours():  # a number that was dropped can be made once more
                raise FileExistsError
        except BaseException as error:
            self._number = 0
            self._lock.release()
            if isinstance(error, OSError):
                raise self._explain(error) from error
            raise
        self._beaten, self._fault = begun, None
        self._drop_older()
        self._stop.clear()
        self._thread = threading.Thread(target=self._beat_on, name=f"lease {self._name}", daemon=True)
        self._thread.start()
        return from_living

    def require(self) -> None:
        """Be sure that the place is still ours; after a long sleep of this process too.

        Raises:
            RoomtourError: If another took it.
        """
        self._beat()  # always: clocks may stand still while a machine sleeps
        if self._fault:
            raise RoomtourError(self._fault)

    def is_held(self) -> bool:
        """Whether somebody has the place, for who does not want it; also where its signs cannot be read."""
        try:
            there = self._read_newest()
        except OSError:
            return True
        if there is None or there.is_released:
            return False
        grip = self._grip()
        self._lock.release()
        return not self._is_gone(there, grip) and there.age_s <= self._stale_s

    def release(self) -> None:
        """Leave it to others."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        with suppress(OSError):
            if self._number and self._is_ours():  # the number stays, so that nobody gets it a second time
                self._write(self._path(self._number), is_released=True)
        self._number = 0
        self._lock.release()

    def _explain(self, error: OSError) -> RoomtourError:
        """Why the place could not be taken: files vanish and appear when another takes it meanwhile."""
        if isinstance(error, FileNotFoundError | FileExistsError) or error.errno == errno.ESTALE:
            return RoomtourError(f"{self._folder}: another process runs this job now; it came first")
        return RoomtourError(f"{self._folder}: {error.strerror or error}")

    def _grip(self) -> Literal["held", "refused", "none"]:
        """Ask for the lock of the kernel; `none` where the storage has no locks."""
        self._is_locked = False
        try:
            self._lock.acquire(timeout=_PATIENCE_S)
        except Timeout:
            return "refused"  # by a process of this machine, or by one whose storage carries locks
        except (OSError, NotImplementedError):
            return "none"
        self._is_locked = True
        return "held"

    def _require_free(self, there: _Holder | None, grip: str) -> bool:
        """Whether its holder may still live; refused if it gave a sign lately."""
        if there is None or there.is_released:
            if grip == "refused":  # it is about to say so itself
                raise RoomtourError(f"{self._folder}: another process runs this job now")
            return False
        if self._is_gone(there, grip):
            return False
        if there.age_s <= self._stale_s:
            left = self._stale_s - there.age_s
            raise RoomtourError(
                f"{self._folder}: another process runs this job now, on {there.host}; its last sign is "
                f"{there.age_s:.0f} s old. If that machine is gone, try again in {left + 1:.0f} s"
            )
        return True

    def _is_gone(self, there: _Holder, grip: str) -> bool:
        """Whether a holder of this machine ended without a word: then its lock is free."""
        return grip == "held" and there.is_locked and there.machine == self._machine

    def _beat_on(self) -> None:
        while not self._stop.wait(_BEAT_S):
            self._beat()

    def _beat(self) -> None:
        """Give a sign; what was lost meanwhile is remembered."""
        with self._guard:
            if self._fault or not self._number:
                return
            begun = _now_s()
            try:
                if not self._is_ours() or not self._touch():
                    self._fault = f"{self._folder}: another driver took this job over; this one ends"
                    return
                self._beaten = begun  # the storage may have noted it at any time since
            except OSError as error:  # it may be away for a moment
                silent = _now_s() - self._beaten
                if silent > self._stale_s - 2 * _BEAT_S:  # before another may come
                    self._fault = (
                        f"{self._folder}: cannot be reached for {silent:.0f} s ({error.strerror or error}), so another "
                        "driver may have this job by now; this one ends. The same command goes on"
                    )

    def _touch(self) -> bool:
        """Give our file a new time; False if it is gone."""
        try:
            os.utime(self._path(self._number))
        except FileNotFoundError:
            return False
        return True

    def _is_ours(self) -> bool:
        if self._list_numbers()[-1:] != [self._number]:
            return False
        try:
            return _read(self._path(self._number)).get("word") == self._word
        except FileNotFoundError:
            return False

    def _read_newest(self) -> _Holder | None:
        numbers = self._list_numbers()
        if not numbers:
            return None
        path = self._path(numbers[-1])
        with path.open("rb") as file:  # opened, since what a client knows of a file may be old
            changed = os.fstat(file.fileno()).st_mtime
        told = _read(path)
        return _Holder(
            numbers[-1],
            str(told.get("machine", "")),
            str(told.get("host", "another machine")),
            bool(told.get("locked")),
            bool(told.get("released")),
            max(0.0, self._now() - changed),
        )

    def _now(self) -> float:
        """By the clock of the storage: that of a file which it makes now."""
        asked = self._folder / f".{self._name}.{self._word}.clock"
        try:
            with asked.open("wb") as file:
                file.write(b"0")
                file.flush()
                return os.fstat(file.fileno()).st_mtime
        finally:
            asked.unlink(missing_ok=True)

    def _make(self, number: int) -> bool:
        """The file of a number; False if somebody else made it."""
        try:
            handle = os.open(self._path(number), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            return False
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(self._told(False), file)
            file.flush()
            os.fsync(file.fileno())
        return True

    def _write(self, path: Path, *, is_released: bool) -> None:
        aside = path.with_name(f".{self._name}.{self._word}.part")
        aside.write_text(json.dumps(self._told(is_released)), encoding="utf-8")
        aside.replace(path)

    def _told(self, is_released: bool) -> dict[str, object]:
        told = {"machine": self._machine, "host": platform.node(), "process": os.getpid(), "word": self._word}
        return {**told, "locked": self._is_locked, "released": is_released}

    def _drop_older(self) -> None:
        with suppress(OSError):  # they do no harm
            for number in self._list_numbers():
                if number < self._number:
                    self._path(number).unlink(missing_ok=True)

    def _list_numbers(self) -> list[int]:
        start = f".{self._name}."
        names = (entry.name for entry in os.scandir(self._folder))
        ends = (name.removeprefix(start).removesuffix(".json") for name in names if name.startswith(start))
        return sorted(int(end) for end in ends if end.isdecimal())

    def _path(self, number: int) -> Path:
        return self._folder / f".{self._name}.{number}.json"


def name_machine() -> str:
    """The same for all processes that see each other's locks: one start of one kernel, else one name in the network."""
    with suppress(OSError):
        return _BOOT.read_text(encoding="ascii").strip()
    return platform.node()


def _now_s() -> float:
    """Of a clock that goes on while the machine sleeps, where there is one."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


def _read(path: Path) -> dict[str, object]:
    """What a holder wrote; empty while it is being written."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
