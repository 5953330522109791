"""Tours that lie in a bucket: looked at when a job is planned, fetched by the machine that works on them.

A tour has the same key as a copy on a disk would have, from its size and edges. What is fetched is the version that was
looked at, or nothing. A transfer that broke off goes on where it stopped, as long as its machine has what came.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from filelock import FileLock

from roomtour.batch.results.s3 import Object
from roomtour.errors import RoomtourError
from roomtour.sources import Tour, key_by_edges
from roomtour.store import require_room

SOURCES = ".fetched"
"""Where fetched tours lie while they are worked on; no name of a user's own folder, for what lies there is removed."""
_AT_ONCE = 16
_BLOCK_BYTES = 8 << 20
_BUFFER_BYTES = 1 << 18


def look_at_objects(tours: Sequence[Tour]) -> dict[str, tuple[Tour, float, str]]:
    """Each with its key, its length (0 if unknown) and its version, by name; a few requests per tour.

    One that is not there, or may not be read, has neither: its child refuses it.

    Args:
        tours: With addresses.

    Raises:
        RoomtourError: If an address is none, or the client is not installed or finds no server or keys.
    """
    if not tours:
        return {}
    found = [Object(tour.address) for tour in tours]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return {looked[0].name: looked for looked in pool.map(_look, tours, found)}


def _look(tour: Tour, there: Object) -> tuple[Tour, float, str]:
    facts = there.look()
    if facts is None:
        return tour, 0.0, ""
    key = key_by_edges(facts.bytes, lambda start, count: there.read(start, count, facts.etag))
    opened = io.BufferedReader(_Ranges(there, facts.bytes, facts.etag), _BUFFER_BYTES)
    return replace(tour, key=key), tour.seconds or read_length_s(cast(BinaryIO, opened)), facts.etag


def read_length_s(source: str | BinaryIO) -> float:
    """Length of a video by its head; 0 where it does not say.

    Args:
        source: Its path, or what can be read from.
    """
    import av

    try:
        with av.open(source, "r") as container:
            return (container.duration or 0) / 1e6
    except (OSError, ValueError):  # PyAV's own errors are both
        return 0.0


@contextmanager
def fetched(
    address: str, version: str, source: Path, tell: Callable[[float], None] = lambda done: None
) -> Iterator[None]:
    """A tour on a disk of this machine, as long as the block lasts; what came stays if this process is killed.

    Args:
        address: Of the object.
        version: That is wanted.
        source: Where it comes to lie.
        tell: Called with the share that is here.

    Raises:
        RoomtourError: If it is not there, or is another one now.
        OSError: If the storage cannot be reached, gives other bytes than it says, or the disk has no room: another
            attempt may do better.
    """
    source.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(place_lock(source)):
        _fetch(Object(address), version, source, tell)
        try:
            yield
        finally:
            source.unlink(missing_ok=True)


def place_lock(source: Path) -> Path:
    """Where the lock of a fetched tour lies: who holds it may write and remove the tour."""
    return source.with_name(f".{source.name}.lock")


def _fetch(there: Object, version: str, source: Path, tell: Callable[[float], None]) -> None:
    facts = there.look()
    if facts is None:
        raise RoomtourError(f"{there.address}: there is no such object, or it may not be read")
    if facts.etag != version:
        raise RoomtourError(f"{there.address}: was replaced since the job was planned; run the same command again")
    part, about = source.with_name(f".{source.name}.part"), source.with_name(f".{source.name}.part.json")
    source.unlink(missing_ok=True)
    if _read_version(about) != version:
        part.unlink(missing_ok=True)
    about.write_text(json.dumps({"address": there.address, "version": version}), encoding="utf-8")
    have = part.stat().st_size if part.is_file() else 0
    try:
        require_room(source.parent, max(0, facts.bytes - have))
    except RoomtourError as error:  # another machine may have it
        raise OSError(errno.ENOSPC, str(error)) from error
    with part.open("ab") as file:
        while have < facts.bytes:
            block = there.read(have, _BLOCK_BYTES, version)
            if not block:
                raise OSError(f"{there.address}: ended at {have} of {facts.bytes} bytes")
            file.write(block)
            have += len(block)
            tell(have / facts.bytes)
        file.flush()
        os.fsync(file.fileno())
    about.unlink()
    if have != facts.bytes or (facts.md5 and _md5(part) != facts.md5):
        part.unlink()
        raise OSError(f"{there.address}: what came is not what is there; it is fetched anew by the next attempt")
    part.replace(source)


def _read_version(about: Path) -> str:
    try:
        return str(json.loads(about.read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


class _Ranges(io.RawIOBase):
    """An object as a file that can be read at any place."""

    def __init__(self, there: Object, size: int, version: str):
        self._there, self._size, self._version, self._place = there, size, version, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = max(0, offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence])
        return self._place

    def readinto(self, buffer: Any) -> int:
        got = self._there.read(self._place, min(len(buffer), max(0, self._size - self._place)), self._version)
        buffer[: len(got)] = got
        self._place += len(got)
        return len(got)
