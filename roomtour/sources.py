"""Which tours a command line names: their safe names, their run folders and what identifies their content.

A tour is a video, a folder of images, each video of a folder of videos, or a row of a list: a file `*.jsonl` with
`{"source": ...}` per line, and with `name`, `seconds`, `info` (a file that a downloader wrote) and the facts of the
tour where they are known; or a file `*.txt` with a path per line.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from recon.given_files import is_system_file
from recon.video.image_folder import image_files
from roomtour.errors import RoomtourError
from roomtour.files.paths import require_usable_path
from roomtour.files.records import parse_given, read_given
from roomtour.tour_facts import TourFacts, facts_from_dict, read_info

_EDGE_BYTES, _EDGE_BYTES_IN_FOLDER = 1 << 20, 1 << 16
"""Read at either end of a video, and of each file of a folder: an edited picture has another size or other edges."""
VIDEO_SUFFIXES = (".mp4", ".mkv", ".webm", ".mov", ".m4v", ".avi")
_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]{1,120}")


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...


@dataclass(frozen=True)
class Tour:
    """One input and where its run goes."""

    name: str
    """Letters, digits, `-` and `_`: safe in file names and dataset ids."""
    source: Path
    run: Path
    facts: TourFacts = TourFacts()
    """What a list of tours says of it."""
    seconds: float = 0.0
    """Length that a list tells; 0 if none does."""


def safe_name(path: Path) -> str:
    """The file or folder name without its suffix, every other character replaced by `_`."""
    stem = path.stem if path.is_file() else path.name
    return re.sub(r"[^A-Za-z0-9_-]+", "_", stem).strip("_") or "tour"


def plan_tours(inputs: Sequence[Path], out: Path, poses: Path | None = None) -> list[Tour]:
    """One input makes `out` itself the run folder; several, those of a list and of a folder make `out/<name>/` each.

    Inputs of the same name in several folders are told apart by a hash of where they are: `NAME-1f3a`.

    Args:
        inputs: Videos, folders of videos, folders of images, and lists.
        out: See above.
        poses: Of the one tour.

    Raises:
        RoomtourError: For no input, an input that is given twice, a name that a list gives twice, a list that is none,
            or given poses for more than one.
    """
    if not inputs:
        raise RoomtourError("no input given; name at least one video or folder of images")
    if len(inputs) == 1 and not _is_list(inputs[0]) and not _holds_videos(inputs[0]):
        return [replace(_tour_in(out, inputs[0]), run=out)]
    tours = [tour for path in inputs for tour in _read_input(path, out)]
    if poses is not None and len(tours) > 1:
        raise RoomtourError(f"--poses {poses} belongs to one tour, {len(tours)} are given; process them one by one")
    return _tell_apart(tours, out)


def _read_input(path: Path, out: Path) -> list[Tour]:
    if _is_list(path):
        return _read_list(path, out)
    return [_tour_in(out, video) for video in (list_videos(path) if _holds_videos(path) else [path])]


def list_videos(folder: Path) -> list[Path]:
    """The videos of a folder and of those in it, by the ends of their names, sorted."""
    return sorted(file for file in folder.rglob("*") if file.suffix.lower() in VIDEO_SUFFIXES and file.is_file())


def _holds_videos(path: Path) -> bool:
    """Whether a path is a folder of videos; one that holds images is a tour."""
    return path.is_dir() and not image_files(path) and bool(list_videos(path))


def _tell_apart(tours: Sequence[Tour], out: Path) -> list[Tour]:
    """The tours under different names, whatever the order in which they are given."""
    shared = {name for name, number in Counter(tour.name for tour in tours).items() if number > 1}
    named = [_name_by_place(tour, out) if tour.name in shared else tour for tour in tours]
    seen: dict[str, Path] = {}
    for tour in named:
        if tour.name in seen:
            raise RoomtourError(
                f"{seen[tour.name]} and {tour.source} would both be run {tour.run}; give each tour once, and each name"
            )
        seen[tour.name] = tour.source
    return named


def _name_by_place(tour: Tour, out: Path) -> Tour:
    if tour.name != _name(tour.source):
        return tour  # the list's own name
    name = f"{tour.name}-{sha256(os.fsencode(tour.source.absolute())).hexdigest()[:4]}"
    return replace(tour, name=name, run=out / name)


def _is_list(path: Path) -> bool:
    return path.suffix.lower() in (".jsonl", ".txt") and not path.is_dir()


def _tour_in(out: Path, source: Path, name: str = "", facts: TourFacts = TourFacts(), seconds: float = 0.0) -> Tour:
    """A tour by what a list or a command line calls it."""
    name = name or _name(source)
    return Tour(name, source, out / name, facts, seconds)


def _name(source: Path) -> str:
    """What a tour is called if nobody says; a link is named as it is called, not as what it leads to."""
    return safe_name(Path(os.path.abspath(source)))


def _read_list(path: Path, out: Path) -> list[Tour]:
    """The tours of a list; a `source` that is not absolute is sought beside the list.

    Raises:
        RoomtourError: Naming file and line.
    """
    lines = read_given(path, "a list of tours").splitlines()
    if path.suffix.lower() == ".txt":
        named = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
        tours = [_tour_in(out, path.parent / name) for name in named]
    else:
        tours = [_read_row(line, path, number, out) for number, line in enumerate(lines, 1) if line.strip()]
    if not tours:
        need = "the path of a video" if path.suffix.lower() == ".txt" else '{"source": "VIDEO"}'
        raise RoomtourError(f"{path}: lists no tour; need a line {need} per tour")
    return tours


def _read_row(line: str, path: Path, number: int, out: Path) -> Tour:
    where = f"{path}: line {number}"
    need = 'an object with "source": the path of a video or folder'
    row = parse_given(line, where, need)
    source, name, seconds, info = (row.pop(field, "") for field in ("source", "name", "seconds", "info"))
    if not isinstance(source, str) or not source:
        raise RoomtourError(f"{where}: need {need}")
    if not isinstance(name, str) or (name and not _SAFE_NAME.fullmatch(name)):
        raise RoomtourError(f"{where}: name is {name!r}, need letters, digits, '-' and '_'")
    if seconds != "" and (not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds < 1e9):
        raise RoomtourError(f"{where}: seconds is {seconds!r}, need the length of the tour")
    if not isinstance(info, str):
        raise RoomtourError(f"{where}: info is {info!r}, need the path of a file that a downloader wrote")
    facts = facts_from_dict(row, where)
    if info:
        facts = facts.or_else(read_info(path.parent / info))
    return _tour_in(out, path.parent / source, name, facts, float(seconds or 0.0))


def source_key(source: Path) -> str:
    """Identify a source cheaply: sizes and the edges of its files, and for a folder their names. A copy has the same.

    Raises:
        RoomtourError: If there is no such file or folder, or it cannot be read.
    """
    require_usable_path(source)
    try:
        if source.is_dir():
            return _key_of_folder(source)
        digest = sha256()
        _add_edges(digest, source, _EDGE_BYTES)
        return digest.hexdigest()[:16]
    except FileNotFoundError as error:
        raise RoomtourError(f"{source}: no such file or folder") from error
    except OSError as error:
        raise RoomtourError(f"{source}: cannot be read: {error.strerror or error}") from error


def _key_of_folder(folder: Path) -> str:
    """Over everything below it by relative name; what is no file, or may not be read, counts by its name alone.

    What an operating system leaves in a folder that is looked into changes nothing.
    """
    from recon.pictures import find_missing_decoder  # OpenCV takes a while

    digest = sha256()
    for entry in sorted(entry for entry in folder.rglob("*") if not is_system_file(entry.name)):
        digest.update(os.fsencode(entry.relative_to(folder).as_posix()) + b"\0")
        if entry.is_file() and os.access(entry, os.R_OK):
            head = _add_edges(digest, entry, _EDGE_BYTES_IN_FOLDER)
            digest.update((find_missing_decoder(head) or "").encode())  # it might be decoded here one day
    return digest.hexdigest()[:16]


def _add_edges(digest: _Digest, path: Path, edge_bytes: int) -> bytes:
    """Size, first and last bytes of a file; gives the first."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(edge_bytes)
        file.seek(max(0, size - edge_bytes))
        digest.update(f"{size}\0".encode() + head + file.read(edge_bytes))
    return head
