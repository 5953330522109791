"""Files as people hand them in: what operating systems leave among them, the order of their names, their text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

_SYSTEM_FILES = frozenset({".ds_store", "thumbs.db", "desktop.ini"})


def is_system_file(name: str) -> bool:
    """Whether an operating system made a file of that name: caches of thumbnails, and the `._NAME` twins that macOS
    writes beside every file on foreign disks and into archives (AppleDouble).
    """
    return name.startswith("._") or name.casefold() in _SYSTEM_FILES


def list_files(folder: Path) -> tuple[Path, ...]:
    """The plain files of a folder in natural order of their names, without what operating systems leave there.

    Empty where there is no such folder.
    """
    entries = folder.iterdir() if folder.is_dir() else ()
    files = (entry for entry in entries if entry.is_file() and not is_system_file(entry.name))
    return tuple(sorted(files, key=lambda file: natural_key(file.name)))


def natural_key(name: str) -> list[tuple[int, int | str]]:
    """Sort key under which numbers inside names compare as numbers: `img9` before `img10`."""
    parts = re.split(r"(\d+)", name.casefold())
    return [*((0, int(part)) if part.isdecimal() else (1, part) for part in parts), (2, name)]


def read_given_text(path: Path, errors: Literal["strict", "replace"] = "strict") -> str:
    """The text of a file in UTF-8, without the byte-order mark that editors of Windows put before it.

    Raises:
        OSError: If it cannot be read.
        UnicodeDecodeError: If it is no UTF-8, and `errors` is `strict`.
    """
    return path.read_text(encoding="utf-8-sig", errors=errors)


def describe_unread(error: OSError | UnicodeDecodeError) -> str:
    """Why `read_given_text` failed, in words that name neither the path again nor a number of the system."""
    if isinstance(error, UnicodeDecodeError):
        return "it is no text in UTF-8"
    return (error.strerror or str(error)).lower()
