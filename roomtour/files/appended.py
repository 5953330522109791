"""Lines that people add to a run, appended so that no crash and no second person can spoil the file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

from filelock import FileLock

from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, parse_json, to_plain

_BLOCK_BYTES = 1 << 16


class _Rated(Protocol):
    @property
    def rater(self) -> str: ...


Judgement = TypeVar("Judgement", bound=_Rated)
Row = TypeVar("Row")


def append_record(path: Path, record: object, noun: str) -> None:
    """Add one line of JSON; when this returns it is on the disk.

    A lock is held meanwhile, so several people may write at once. What a crash left of an unfinished line is cut.

    Args:
        path: File, made if absent with its folder.
        record: Plain values.
        noun: What it is, for the error.

    Raises:
        RoomtourError: If the file cannot be written.
    """
    line = json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        is_new = not path.exists()
        path.parent.mkdir(exist_ok=True)
        with FileLock(path.with_name(".lock")), path.open("a+b") as file:
            file.truncate(_find_end_of_lines(file))
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        if is_new:
            _sync_folder(path.parent)
    except OSError as error:
        raise RoomtourError(f"{path}: the {noun} cannot be written: {error.strerror or error}") from error


def read_records(path: Path) -> Iterator[tuple[str, Any]]:
    """Where each line stands (`FILE:3`) and its values; none without a file. An unfinished last line is left out.

    Raises:
        RoomtourError: If the file cannot be read, or a line is not JSON.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise RoomtourError(f"{path}: {error.strerror or error}") from error
    for number, line in enumerate(content[: _whole_bytes(content)].splitlines(), start=1):
        try:
            yield f"{path}:{number}", parse_json(line)
        except ValueError as error:
            raise RoomtourError(f"{path}:{number}: not valid JSON: {error}") from error


@dataclass(frozen=True)
class Judgements(Generic[Judgement, Row]):
    """What people said of rows of a run: one JSON line each in a file of its folder.

    A later line of the same person on the same row replaces an earlier one.
    """

    file: Path
    """Within the run folder."""
    kind: type[Judgement]
    of: Callable[[Judgement], Hashable]
    """Names the row, with what it says: one that was written anew has not been judged."""
    names_of: Callable[[Row], Sequence[Hashable]]
    """Names of a row by which judgements are of it; new ones take the first."""

    def append(self, run: Path, judgement: Judgement) -> None:
        """Add one; when this returns it is on the disk.

        Raises:
            RoomtourError: If the file cannot be written.
        """
        append_record(run / self.file, to_plain(judgement, self.kind), "rating")

    def load(self, run: Path) -> tuple[Judgement, ...]:
        """The last of each person on each row, in the order in which they first came; none without a file.

        Raises:
            RoomtourError: Naming line and field of the first line that does not fit.
        """
        return self.load_file(run / self.file)

    def load_file(self, path: Path) -> tuple[Judgement, ...]:
        """The same of a file anywhere."""
        last: dict[Hashable, Judgement] = {}
        for where, value in read_records(path):
            judgement = from_plain(value, self.kind, where)
            last[self.of(judgement), judgement.rater] = judgement
        return tuple(last.values())

    def match(self, given: Iterable[Judgement], rows: Iterable[Row]) -> tuple[list[tuple[Judgement, Row]], int]:
        """Judgements with the rows they are of, and the number of outdated ones: their row is gone, or says something
        else now.
        """
        known = {name: row for row in rows for name in self.names_of(row)}
        given = list(given)
        matched = [(judgement, known[name]) for judgement in given if (name := self.of(judgement)) in known]
        return matched, len(given) - len(matched)


def _whole_bytes(content: bytes) -> int:
    """Length of the content up to the end of its last whole line."""
    return content.rfind(b"\n") + 1


def _find_end_of_lines(file: BinaryIO) -> int:
    """The same of a file, read from its end."""
    start = end = file.seek(0, os.SEEK_END)
    while start > 0:
        start = max(0, start - _BLOCK_BYTES)
        file.seek(start)
        whole = _whole_bytes(file.read(min(_BLOCK_BYTES, end - start)))
        if whole:
            return start + whole
    return 0


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
