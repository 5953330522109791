"""Items for a person to look at: their pictures by the path below the dataset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.formats.gar.write import ROOT


def read_rows(folder: Path) -> Iterator[FileRow]:
    """The items of the splits."""
    for name, row in read_row_files(folder, "gar_*.json"):
        yield name, {**row, "image": str(row.get("image")).removeprefix(f"{ROOT}/")}
