"""Rows for a person to look at: each with the name of its video in place of where that comes from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roomtour.export.core.row_files import FileRow, read_row_files


def read_rows(folder: Path) -> Iterator[FileRow]:
    """Rows whose `video` is a file of the folder, if it is here."""
    for file, row in read_row_files(folder, "*.parquet"):
        yield file, {**row, "video": f"{row.get('dataset')}/{row.get('scene_name')}.mp4"}
