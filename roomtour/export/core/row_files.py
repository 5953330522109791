"""Rows of a dataset as they lie in its files, for a person to look at: whatever the format, a row is a mapping."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from roomtour.errors import RoomtourError
from roomtour.files.records import parse_json, read_table

FileRow = tuple[str, dict[str, Any]]
"""The name of a file relative to the dataset, and a row of it."""
_BATCH_ROWS = 64
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
    lists = [one for one in value.values() if isinstance(one, list)] if isinstance(value, dict) else [value]
    return iter(lists[0] if lists and isinstance(lists[0], list) else [value])


def _read_lines(path: Path, left_out: str) -> Iterator[Any]:
    with path.open(encoding="utf-8") as lines:
        yield from map(parse_json, lines)


def _read_parquet(path: Path, left_out: str) -> Iterator[Any]:
    with pq.ParquetFile(path) as file:
        columns = [name for name in file.schema_arrow.names if name != left_out]
        for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
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
