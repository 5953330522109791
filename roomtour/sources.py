"""Which tours a command line names: their safe names, their run folders and what identifies their content."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from roomtour.errors import RoomtourError
from roomtour.files.paths import require_usable_path

_EDGE_BYTES = 1 << 20


@dataclass(frozen=True)
class Tour:
    """One input and where its run goes."""

    name: str
    """Letters, digits, `-` and `_`: safe in file names and dataset ids."""
    source: Path
    run: Path


def safe_name(path: Path) -> str:
    """The file or folder name without its suffix, every other character replaced by `_`."""
    stem = path.stem if path.is_file() else path.name
    return re.sub(r"[^A-Za-z0-9_-]+", "_", stem).strip("_") or "tour"


def plan_tours(inputs: Sequence[Path], out: Path, poses: Path | None = None) -> list[Tour]:
    """One input makes `out` itself the run folder, several make `out/<name>/` each.

    Raises:
        RoomtourError: For no input, two inputs of the same name, or given poses for more than one.
    """
    if not inputs:
        raise RoomtourError("no input given; name at least one video or folder of images")
    if poses is not None and len(inputs) > 1:
        raise RoomtourError(f"--poses {poses} belongs to one tour, {len(inputs)} are given; process them one by one")
    if len(inputs) == 1:
        return [Tour(safe_name(inputs[0].resolve()), inputs[0], out)]
    tours = [Tour(safe_name(path.resolve()), path, out / safe_name(path.resolve())) for path in inputs]
    seen: dict[str, Path] = {}
    for tour in tours:
        if tour.name in seen:
            raise RoomtourError(
                f"{seen[tour.name]} and {tour.source} would both be run {tour.run}; rename one or process it separately"
            )
        seen[tour.name] = tour.source
    return tours


def source_key(source: Path) -> str:
    """Identify a source cheaply: names, sizes and times of change, and for a file its first and last mebibyte.

    Raises:
        RoomtourError: If there is no such file or folder, or it cannot be read.
    """
    require_usable_path(source)
    digest = sha256()
    try:
        if source.is_dir():
            for entry in sorted(source.iterdir()):
                facts = entry.stat() if entry.exists() else entry.lstat()  # a link to nothing is no picture
                digest.update(os.fsencode(entry.name) + f"\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
        else:
            facts = source.stat()
            digest.update(f"{facts.st_size}\0".encode())
            with source.open("rb") as file:
                digest.update(file.read(_EDGE_BYTES))
                file.seek(max(0, facts.st_size - _EDGE_BYTES))
                digest.update(file.read(_EDGE_BYTES))
    except FileNotFoundError as error:
        raise RoomtourError(f"{source}: no such file or folder") from error
    except OSError as error:
        raise RoomtourError(f"{source}: cannot be read: {error.strerror or error}") from error
    return digest.hexdigest()[:16]
