"""Ways with their pictures, for a person to look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.formats.streamvln.write import ANNOTATIONS, RGB


def read_rows(folder: Path) -> Iterator[FileRow]:
    """The items of the splits, each with the names of its pictures below the dataset."""
    for name, row in read_row_files(folder, f"*/{ANNOTATIONS}"):
        pictures = sorted((folder / name).parent.glob(f"{row.get('video')}/{RGB}/*.jpg"))
        yield name, {**row, "images": [path.relative_to(folder).as_posix() for path in pictures]}
