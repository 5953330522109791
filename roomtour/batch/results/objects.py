"""Tours that lie in a bucket: looked at when a job is planned, fetched by the machine that works on them.

A tour has the same key as a copy on a disk would have, from its size and edges. What is fetched is the version that was
looked at, or nothing.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from roomtour.batch.results.s3 import Object, ObjectFacts
from roomtour.errors import RoomtourError
from roomtour.sources import Tour, key_by_edges
from roomtour.store import require_room

SOURCES = ".fetched"
"""Where fetched tours lie while they are worked on; no name of a user's own folder, for what lies there is removed."""
_AT_ONCE = 16
_BLOCK_BYTES = 8 << 20


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
    return replace(tour, key=key), tour.seconds or read_length_s(there.open()), facts.etag


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
    """A tour on a disk of this machine, as long as the block lasts.

    Args:
        address: Of the object.
        version: That is wanted.
        source: Where it comes to lie, in a folder that nobody else writes to.
        tell: Called with the share that is here.

    Raises:
        RoomtourError: If it is not there, or is another one now.
        OSError: If the storage cannot be reached, gives other bytes than it says, or the disk has no room: another
            attempt may do better.
    """
    there = Object(address)
    facts = there.look()
    if facts is None:
        raise RoomtourError(f"{address}: there is no such object, or it may not be read")
    if facts.etag != version:
        raise RoomtourError(f"{address}: was replaced since the job was planned; run the same command again")
    source.parent.mkdir(parents=True, exist_ok=True)
    try:
        _fetch(there, facts, source, tell)
        yield
    finally:
        source.unlink(missing_ok=True)


def _fetch(there: Object, facts: ObjectFacts, source: Path, tell: Callable[[float], None]) -> None:
    try:
        require_room(source.parent, facts.bytes)
    except RoomtourError as error:  # another machine may have it
        raise OSError(errno.ENOSPC, str(error)) from error
    have = 0
    with source.open("wb") as file:
        while have < facts.bytes:
            block = there.read(have, _BLOCK_BYTES, facts.etag)
            if not block:
                raise OSError(f"{there.address}: ended at {have} of {facts.bytes} bytes")
            file.write(block)
            have += len(block)
            tell(have / facts.bytes)
    if have != facts.bytes:
        raise OSError(f"{there.address}: what came is not what is there; it is fetched anew by the next attempt")
