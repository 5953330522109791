"""Parquet files of bounded size, written row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_GROUP_ROWS = 1000
_GROUP_BYTES = 16 * 2**20
"""What memory holds at most before it goes to disk as one row group."""


class ParquetShards:
    """A table in several files. The first is there without rows too, to tell the columns."""

    def __init__(self, path_of: Callable[[int], Path], schema: pa.Schema, max_mb: float):
        """`path_of` names the file of a number that counts from 0."""
        self._path_of, self._schema, self._max_bytes = path_of, schema, max_mb * 2**20
        self._rows: list[Mapping[str, Any]] = []
        self._row_bytes = 0
        self._written = 0
        self.number = 0
        """Of the file that takes the next row."""
        self._writer = self._open()

    def __enter__(self) -> ParquetShards:
        return self

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
