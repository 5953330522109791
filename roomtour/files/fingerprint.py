"""What a file or folder held when it was written, so that damage shows: number of files, bytes, and a hash."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

_BLOCK_BYTES = 1 << 20
_SQLITE = b"SQLite format 3\0"
_SQLITE_COUNTERS = ((24, 28), (92, 100))
"""Bytes of its header: the file change counter, what it was valid for, and the version that wrote last."""


@dataclass(frozen=True)
class Fingerprint:
    """Of a file, or of all files of a folder."""

    files: int
    bytes: int
    sha256: str
    """Over names (relative, sorted), sizes and contents."""


def fingerprint(path: Path) -> Fingerprint:
    """Read everything there is; nothing for a path that does not exist."""
    digest, files, size = sha256(), 0, 0
    for name, file in _files(path):
        own = file.stat().st_size
        files, size = files + 1, size + own
        digest.update(f"{name}\0{own}\0".encode("utf-8", "surrogateescape"))
        for block in _blocks(file):
            digest.update(block)
    return Fingerprint(files, size, digest.hexdigest())


def find_damage(path: Path, written: Fingerprint, *, by_content: bool) -> str | None:
    """How a file or folder differs from what was written, in words; None if it does not.

    Args:
        path: What to look at.
        written: What it was.
        by_content: Read it all; else only files are counted and their sizes added up.
    """
    sizes = [file.stat().st_size for _, file in _files(path)]
    if len(sizes) != written.files:
        return "missing" if not sizes else f"{len(sizes)} files instead of {written.files}"
    if sum(sizes) != written.bytes:
        return f"{sum(sizes)} bytes instead of {written.bytes}"
    if by_content and fingerprint(path) != written:
        return "changed since it was written"
    return None


def _blocks(file: Path) -> Iterator[bytes]:
    """Its content; of an SQLite file without the counters that whoever opens it raises, COLMAP for reading too."""
    with file.open("rb") as stream:
        block = stream.read(_BLOCK_BYTES)
        if block.startswith(_SQLITE):
            kept = bytearray(block)
            for start, end in _SQLITE_COUNTERS:
                kept[start:end] = bytes(end - start)
            block = bytes(kept)
        while block:
            yield block
            block = stream.read(_BLOCK_BYTES)


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    if path.is_file():
        yield "", path
        return
    for folder, inner, names in os.walk(path):
        inner.sort()
        for name in sorted(names):
            file = Path(folder) / name
            yield file.relative_to(path).as_posix(), file
