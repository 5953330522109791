"""Paths that people name: what cannot work with any of them is told before anything is opened."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from roomtour.errors import RoomtourError

_KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


def require_usable_path(path: Path, name: str = "") -> None:
    """Refuse what would hang, end the process or name nothing: a pipe, a loop of links, a name nobody can write down.

    Args:
        path: It need not exist.
        name: What it is of, such as `--out`, for the error.

    Raises:
        RoomtourError: Saying what is wrong with it.
    """
    where = f"{name} {path}".strip()
    try:
        str(path.absolute()).encode()
        kind = _KINDS.get(stat.S_IFMT(path.stat().st_mode))
    except UnicodeEncodeError:
        raise RoomtourError(f"{where}: the name is not valid UTF-8, so no file can tell it; rename it") from None
    except ValueError as error:  # a zero byte
        raise RoomtourError(f"{where}: no name of a file: {error}") from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise RoomtourError(f"{where}: a link that leads back to itself") from error
        if error.errno == errno.ENAMETOOLONG:
            longest = max(len(os.fsencode(part)) for part in path.parts)
            raise RoomtourError(f"{where[:60]}...: the name is too long: a part of {longest} bytes") from error
        return  # whoever opens it tells of the rest
    if kind is not None:
        raise RoomtourError(f"{where}: is {kind}, need a file or folder")


def require_plain_files(folder: Path) -> None:
    """Refuse a folder that holds anything but files and folders: a pipe keeps its reader waiting, a device never ends.

    Links count as what they lead to; one that leads to nothing is left to whoever opens it.

    Raises:
        RoomtourError: Naming the first such entry.
    """
    for parent, inner, names in os.walk(folder):
        for name in (*inner, *names):
            path = Path(parent) / name
            try:
                kind = _KINDS.get(stat.S_IFMT(path.stat().st_mode))
            except OSError:
                continue
            if kind is not None:
                raise RoomtourError(f"{path}: is {kind}, need a file or folder; remove it and run the command again")
