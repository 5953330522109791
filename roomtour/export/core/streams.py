"""Rows of datasets: written one by one as JSON arrays, JSON lines and parquet of bounded size, and read again."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from roomtour.errors import RoomtourError
from roomtour.files.records import parse_json, read_table

AddItem = Callable[[object], None]
"""Appends one item or row; NaN and infinity are refused."""


@contextmanager
def open_array(path: Path) -> Iterator[AddItem]:
    """Write a JSON array, one item per line, of which memory holds one item."""
    between = "\n"
    with path.open("w", encoding="utf-8") as file:
        file.write("[")

        def add(item: object) -> None:
            nonlocal between
            file.write(between + json.dumps(item, ensure_ascii=False, allow_nan=False))
            between = ",\n"

        yield add
        file.write("\n]\n")


@contextmanager
def open_lines(path: Path, max_mb: float = math.inf) -> Iterator[AddItem]:
    """Write JSON lines, of which memory holds one: `x.jsonl`, then `x-00001.jsonl`, ...

    The first file is there without rows too; a file is full once it holds `max_mb` (2^20 bytes).
    """
    number = size = 0
    file = path.open("wb")

    def add(row: object) -> None:
        nonlocal number, size, file
        line = (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
        if size and size + len(line) > max_mb * 2**20:
            file.close()
            number += 1
            file, size = shard(path, number).open("wb"), 0
        size += file.write(line)

    try:
        yield add
    finally:
        file.close()


def shard(path: Path, number: int) -> Path:
    """The file of a number, counted from 0, of rows that begin in `path`."""
    return path if number == 0 else path.with_name(f"{path.stem}-{number:05d}{path.suffix}")


def shards(path: Path) -> list[Path]:
    """The files that hold the rows that begin in `path`, in order, whether or not `path` is there."""
    return [path, *sorted(path.parent.glob(f"{path.stem}-[0-9][0-9][0-9][0-9][0-9]{path.suffix}"))]


class RowFiles(ExitStack):
    """A context: files of rows, lines or items of a list by the end of their names."""

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[Path, AddItem] = {}

    def open(self, path: Path, max_mb: float = math.inf) -> AddItem:
        """The file of a path, which is then there without rows too; files of lines go on in others beyond `max_mb`."""
        if path not in self._files:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = open_lines(path, max_mb) if path.suffix == ".jsonl" else open_array(path)
            self._files[path] = self.enter_context(file)
        return self._files[path]


_GROUP_ROWS = 1000
_GROUP_BYTES = 16 * 2**20
"""What memory holds at most before it goes to disk as one row group."""


MOST_MB = 500.0
"""Size of a file before the next one begins, as the hub recommends."""


class ParquetShards(AbstractContextManager["ParquetShards"]):
    """A table in several files. The first is there without rows too, to tell the columns."""

    def __init__(self, path_of: Callable[[int], Path], schema: pa.Schema, max_mb: float = MOST_MB):
        """`path_of` names the file of a number that counts from 0."""
        self._path_of, self._schema, self._max_bytes = path_of, schema, max_mb * 2**20
        self._rows: list[Mapping[str, Any]] = []
        self._row_bytes = 0
        self._written = 0
        self.number = 0
        """Of the file that takes the next row."""
        self._writer = self._open()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        try:
            if error is None:
                self._flush()
        finally:
            self._writer.close()

    def make_room(self, size_bytes: int) -> None:
        """Begin the next file if what comes would make this one too large. Rows between two calls stay together."""
        held = self._written + self._row_bytes
        if held and held + size_bytes > self._max_bytes:
            self._flush()
            self._writer.close()
            self.number += 1
            self._writer, self._written = self._open(), 0

    def add(self, row: Mapping[str, Any], size_bytes: int) -> None:
        """Append one row that weighs about so much."""
        self._rows.append(row)
        self._row_bytes += size_bytes
        if len(self._rows) >= _GROUP_ROWS or self._row_bytes >= _GROUP_BYTES:
            self._flush()

    def _open(self) -> pq.ParquetWriter:
        path = self._path_of(self.number)
        path.parent.mkdir(parents=True, exist_ok=True)
        return pq.ParquetWriter(path, self._schema, compression="zstd", write_page_checksum=True)

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._written += self._row_bytes
            self._rows, self._row_bytes = [], 0


FileRow = tuple[str, dict[str, Any]]
"""The name of a file relative to the dataset, and a row of it."""
BATCH_ROWS = 64
"""Of a parquet file in memory at once: a row may hold many pictures."""


def rows_of(*patterns: str) -> Callable[[Path], Iterator[FileRow]]:
    """What reads the files of these patterns, in the order of the patterns, then of names."""
    return lambda folder: read_row_files(folder, *patterns)


def read_row_files(folder: Path, *patterns: str, left_out: str = "") -> Iterator[FileRow]:
    """Rows of the files that fit any of the patterns, each file once.

    Args:
        folder: The dataset.
        patterns: Of its files.
        left_out: Column of parquet files that is not read, such as that of the pictures.

    Raises:
        RoomtourError: Naming the first file that cannot be read.
    """
    for path in dict.fromkeys(path for pattern in patterns for path in sorted(folder.glob(pattern))):
        name = path.relative_to(folder).as_posix()
        try:
            for row in _READERS[path.suffix](path, left_out):
                if not isinstance(row, dict):
                    raise ValueError(f"a row is {type(row).__name__}, need an object")
                yield name, row
        except (OSError, EOFError, zlib.error, ValueError, pa.ArrowException) as error:
            raise RoomtourError(f"{path}: cannot be read: {error}; see roomtour validate {folder}") from error


def _read_array(path: Path, left_out: str) -> Iterator[Any]:
    """Items of a list, or of the only list of an object."""
    data = path.read_bytes()
    value = parse_json(gzip.decompress(data) if path.suffix == ".gz" else data)
    lists = [part for part in value.values() if isinstance(part, list)] if isinstance(value, dict) else [value]
    return iter(lists[0] if lists and isinstance(lists[0], list) else [value])


def _read_lines(path: Path, left_out: str) -> Iterator[Any]:
    with path.open(encoding="utf-8") as lines:
        yield from (parse_json(line) for line in lines if line.strip())


def _read_parquet(path: Path, left_out: str) -> Iterator[Any]:
    with pq.ParquetFile(path) as file:
        columns = [name for name in file.schema_arrow.names if name != left_out]
        for batch in file.iter_batches(BATCH_ROWS, columns=columns):
            yield from batch.to_pylist()


def _read_tsv(path: Path, left_out: str) -> Iterator[Any]:
    with path.open(encoding="utf-8", newline="") as lines:
        yield from read_table(lines, "\t")


_READERS: dict[str, Callable[[Path, str], Iterator[Any]]] = {
    ".json": _read_array,
    ".gz": _read_array,
    ".jsonl": _read_lines,
    ".parquet": _read_parquet,
    ".tsv": _read_tsv,
}
