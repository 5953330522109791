"""Rows written one by one: JSON arrays, and JSON lines in files of bounded size."""

from __future__ import annotations

import json
import math
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType


class JsonArrayWriter:
    """A JSON array on disk, one item per line, of which memory holds one item."""

    def __init__(self, path: Path):
        self._file = path.open("w", encoding="utf-8")
        self._file.write("[")
        self._between = "\n"

    def __enter__(self) -> JsonArrayWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        with self._file:
            if error is None:
                self._file.write("\n]\n")

    def add(self, item: object) -> None:
        """Append one item; NaN and infinity are refused."""
        self._file.write(self._between + json.dumps(item, ensure_ascii=False, allow_nan=False))
        self._between = ",\n"


class JsonLines:
    """JSON lines in files of bounded size, of which memory holds one row: `x.jsonl`, then `x-00001.jsonl`, ..."""

    def __init__(self, path: Path, max_mb: float = math.inf):
        """The first file is there without rows too; a file is full once it holds `max_mb` (2^20 bytes)."""
        self._path, self._max_bytes = path, max_mb * 2**20
        self._number, self._bytes = 0, 0
        self._file = path.open("wb")

    def __enter__(self) -> JsonLines:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self._file.close()

    def add(self, row: object) -> None:
        """Append one row; NaN and infinity are refused."""
        line = (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
        if self._bytes and self._bytes + len(line) > self._max_bytes:
            self._file.close()
            self._number += 1
            self._file, self._bytes = shard(self._path, self._number).open("wb"), 0
        self._file.write(line)
        self._bytes += len(line)


def shard(path: Path, number: int) -> Path:
    """The file of a number, counted from 0, of rows that begin in `path`."""
    return path if number == 0 else path.with_name(f"{path.stem}-{number:05d}{path.suffix}")


def shards(path: Path) -> list[Path]:
    """The files that hold the rows that begin in `path`, in order, whether or not `path` is there."""
    return [path, *sorted(path.parent.glob(f"{path.stem}-[0-9][0-9][0-9][0-9][0-9]{path.suffix}"))]


def open_rows(path: Path) -> JsonArrayWriter | JsonLines:
    """A file that takes rows one by one, as lines or as items of a list by the end of its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return JsonLines(path) if path.suffix == ".jsonl" else JsonArrayWriter(path)


class RowFiles(ExitStack):
    """A context: files of rows, each of which is there from its first row on."""

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[Path, JsonArrayWriter | JsonLines] = {}

    def open(self, path: Path) -> JsonArrayWriter | JsonLines:
        """A file, which is then there without rows too."""
        if path not in self._files:
            self._files[path] = self.enter_context(open_rows(path))
        return self._files[path]

    def add(self, path: Path, row: object) -> None:
        """Append a row to a file."""
        self.open(path).add(row)
