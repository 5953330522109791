"""Room on a disk: how much is free, whether it suffices, and a full disk told in one line whichever library met it."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recon.errors import ReconError
from roomtour.errors import DiskFullError

_LEAST_FREE_BYTES = 256 << 10
"""Less than this at the end of a stage means that some file of it may be cut short."""


@contextmanager
def disk_full_as_error(folder: Path) -> Iterator[None]:
    """Turn a full disk, however a library reports it, into one line."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(_disk_full(folder)) from error
        raise
    except (RuntimeError, ReconError) as error:  # pycolmap and SQLite report a full disk as plain runtime errors
        if _free_bytes(folder) < _LEAST_FREE_BYTES:
            raise DiskFullError(_disk_full(folder)) from error
        raise


def require_room(folder: Path, need_bytes: int = _LEAST_FREE_BYTES) -> None:
    """Refuse to go on without room: at a full disk pycolmap and OpenCV cut files short silently, or abort the process.

    Raises:
        RoomtourError: If the disk of `folder` has less than `need_bytes` free.
    """
    free = _free_bytes(folder)
    if free < need_bytes:
        raise DiskFullError(_disk_full(folder, need_bytes))
    if need_bytes > _LEAST_FREE_BYTES:
        _require_file_of(folder, need_bytes)


def _require_file_of(folder: Path, need_bytes: int) -> None:
    """Try whether a file may get that large: quotas and limits of a process do not show in what a disk has free."""
    reserve = getattr(os, "posix_fallocate", None)
    if reserve is None or not folder.is_dir():
        return
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            reserve(file.fileno(), 0, need_bytes)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return  # a file system that cannot reserve says nothing about room
        raise DiskFullError(
            f"{folder}: a file of {need_bytes / 1e6:.0f} MB, as may be needed now, cannot be made: "
            f"{(error.strerror or str(error)).lower()}. What was finished is kept: raise the quota or the limit "
            "(ulimit -f) and run the same command again."
        ) from error


def _free_bytes(folder: Path) -> int:
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _disk_full(folder: Path, need_bytes: int = 0) -> str:
    need = f", up to {need_bytes / 1e6:.0f} MB needed now" if need_bytes > _LEAST_FREE_BYTES else ""
    return (
        f"{folder}: the disk is full ({_free_bytes(folder) / 1e6:.1f} MB free{need}). What was finished is kept: "
        "make room and run the same command again."
    )


def count_bytes(folder: Path) -> int:
    """Of all files below a folder, or of a file."""
    return sum(file.stat().st_size for file in (folder, *folder.rglob("*")) if file.is_file())
