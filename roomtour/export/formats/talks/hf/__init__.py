"""The format `hf`: its row of the table; how it is written and how it is checked lie beside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.core.talks.sources import TALK_KINDS
from roomtour.export.core.walks.guided_paths import thin
from roomtour.export.formats.talks.hf import check, write
from roomtour.export.formats.talks.hf.write import COLUMNS, CONVENTION, INSTRUCTIONS, VIEWS, HfOptions

_MOST_IMAGES = 8


def _read_rows(folder: Path) -> Iterator[FileRow]:
    """Views, texts with the pictures of their frames, then the rows of all other configs."""
    images: dict[Any, Any] = {}
    for file, row in read_row_files(folder, f"{VIEWS}/*.parquet", f"{INSTRUCTIONS}/*.parquet", "*/*.parquet"):
        if file.startswith(VIEWS):
            images[row.get("tour"), row.get("frame")] = {"path": (row.get("image") or {}).get("path")}
        elif file.startswith(INSTRUCTIONS):
            shown = thin(row.get("views") or (), _MOST_IMAGES)
            row["images"] = [images[row.get("tour"), frame] for frame in shown if (row.get("tour"), frame) in images]
        yield file, row


HF = ExportFormat(
    name="hf",
    summary="parquet shards of views (image, pose), texts, questions and talks, with a card the hub understands",
    client="datasets.load_dataset",
    shows=("spatial_lines",),
    kinds=("navigation", *TALK_KINDS),
    convention=CONVENTION,
    options=HfOptions,
    write=write.write,
    check=check.check,
    files=tuple(f"{config}/*.parquet" for config in COLUMNS),
    rows=_read_rows,
)
