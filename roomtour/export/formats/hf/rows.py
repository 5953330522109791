"""Rows of the shards for a person to look at: a text gets the pictures of its frames, which lie in `views`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roomtour.export.core.guided_paths import thin
from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.formats.hf.write import INSTRUCTIONS, VIEWS

_MOST_IMAGES = 8


def read_rows(folder: Path) -> Iterator[FileRow]:
    """Views, then texts, then the rows of all other configs."""
    images: dict[Any, Any] = {}
    for file, row in read_row_files(folder, f"{VIEWS}/*.parquet", f"{INSTRUCTIONS}/*.parquet", "*/*.parquet"):
        if file.startswith(VIEWS):
            images[row.get("tour"), row.get("frame")] = {"path": (row.get("image") or {}).get("path")}
        elif file.startswith(INSTRUCTIONS):
            shown = thin(row.get("views") or (), _MOST_IMAGES)
            row["images"] = [images[row.get("tour"), frame] for frame in shown if (row.get("tour"), frame) in images]
        yield file, row
