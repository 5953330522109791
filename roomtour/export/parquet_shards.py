"""Parquet files of bounded size, written row by row."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_GROUP_ROWS = 1000
_GROUP_BYTES = 16 * 2**20
"""What memory holds at most before it goes to disk as one row group."""


class ParquetShards:
    """A table in files `{stem}-00000.parquet`, ...; the first exists also without rows, so that its columns are known."""

    def __init__(self, stem: Path, schema: pa.Schema, max_mb: float):
        self._stem, self._schema, self._max_bytes = stem, schema, max_mb * 2**20
        self._rows: list[Mapping[str, Any]] = []
        self._row_bytes = 0
        self._written = 0
        self._files = 0
        stem.parent.mkdir(parents=True, exist_ok=True)
        self._writer = self._open()

    def __enter__(self) -> ParquetShards:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        try:
            if error is None:
                self._flush()
        finally:
            self._writer.close()

    def add(self, row: Mapping[str, Any], payload_bytes: int = 200) -> None:
        """Append one row; `payload_bytes` is about what it weighs (its image, if it holds one)."""
        if self._written + self._row_bytes + payload_bytes > self._max_bytes and self._written + self._row_bytes:
            self._flush()
            self._writer.close()
            self._writer, self._written = self._open(), 0
        self._rows.append(row)
        self._row_bytes += payload_bytes
        if len(self._rows) >= _GROUP_ROWS or self._row_bytes >= _GROUP_BYTES:
            self._flush()

    def _open(self) -> pq.ParquetWriter:
        path = self._stem.with_name(f"{self._stem.name}-{self._files:05d}.parquet")
        self._files += 1
        return pq.ParquetWriter(path, self._schema, compression="zstd")

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._written += self._row_bytes
            self._rows, self._row_bytes = [], 0
