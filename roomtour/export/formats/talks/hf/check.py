"""Check Hugging Face parquet: the card's configs, the columns, and every row with what it refers to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from roomtour.export.core.checking import SPLITS, DatasetCheck
from roomtour.export.core.folder import CARD
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.core.talks.sources import TALK_KINDS
from roomtour.export.core.walks.guided_paths import thin
from roomtour.export.formats.talks.hf.rows import CONFIGS, INSTRUCTIONS, VIEWS, schema_of_config
from roomtour.export.formats.talks.hf.write import CONVENTION, HfOptions, tell_header, write


def _check(data: DatasetCheck) -> None:
    """The configs of the card, then every row with what it refers to."""
    found: dict[tuple[str, str], list[Path]] = {}
    for file in sorted(data.folder.glob("*/*.parquet")):
        key = (file.parent.name, file.name.split("-")[0])
        if key[0] in CONFIGS and key[1] in SPLITS:
            found.setdefault(key, []).append(file)
        else:
            data.bad(CARD, "configs", "a config and a split of the format", f"{key[0]}/{file.name}")
    tables = [(config, split) for config in CONFIGS for split in SPLITS if (config, split) in found]
    header = tell_header([key for key in tables if any(map(_may_have_rows, found[key]))])
    try:
        told = (data.folder / CARD).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        told = str(error)
    if not told.startswith(header):
        data.bad(CARD, "configs", f"to begin with {header!r}: every config and split that has rows", told)
    for config, split in sorted(tables, key=lambda key: key[0] != VIEWS):  # what others refer to comes first
        for shard in found[config, split]:
            for row in data.table(shard.relative_to(data.folder).as_posix(), schema_of_config(config), split):
                if config == VIEWS:  # that the view is there holds whatever is wrong with it
                    row.new("frame", row.record["frame"], f"{row.record['tour']} {row.record['model']}")
                data.fit(row, CONFIGS[config], config, depth=1)  # problems are named by their column


def _may_have_rows(shard: Path) -> bool:
    """Whether a file holds rows; a damaged one is told by the check of its rows."""
    try:
        return pq.read_metadata(shard).num_rows > 0
    except (pa.ArrowException, OSError):
        return True


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
    write=write,
    check=_check,
    rows=_read_rows,
)
