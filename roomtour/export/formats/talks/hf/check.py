"""Check Hugging Face parquet: the card's configs, the columns, and every row with what it refers to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from pydantic import Field

from roomtour.export.core.checking import SPLITS, DatasetCheck, RelativePath, Row, RowCheck
from roomtour.export.core.folder import CARD
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.core.talks.sources import TALK_KINDS
from roomtour.export.core.walks.guided_paths import thin
from roomtour.export.formats.talks.hf.rows import CONFIGS, INSTRUCTIONS, VIEWS, schema_of_config
from roomtour.export.formats.talks.hf.write import CONVENTION, HfOptions, write
from roomtour.options.yaml_text import read_yaml


class _DataFile(Row):
    split: Literal["train", "val"]
    path: RelativePath


class _Config(Row):
    config_name: str
    data_files: Annotated[list[_DataFile], Field(min_length=1)]


class _Header(Row):
    configs: list[_Config]


def check(data: DatasetCheck) -> None:
    """The configs of the card, then every row with what it refers to."""
    files = _find_files(data)
    for config in dict.fromkeys((VIEWS, *CONFIGS)):  # what others refer to comes first
        for split, shards in files.get(config, {}).items():
            for shard in shards:
                name = shard.relative_to(data.folder).as_posix()
                for row in data.table(name, schema_of_config(config), split):
                    if config == VIEWS:  # that the view is there holds whatever is wrong with it
                        row.new("frame", row.record["frame"], f"{row.record['tour']} {row.record['model']}")
                    data.fit(row, CONFIGS[config], config, depth=1)  # problems are named by their column


def _find_files(data: DatasetCheck) -> dict[str, dict[str, list[Path]]]:
    """Shards by config and split, as the card's header names them."""
    path, header = data.folder, {}
    try:
        text = (path / CARD).read_text(encoding="utf-8")
        parts = text.split("---\n", 2)
        if text.startswith("---\n") and len(parts) == 3:
            header = read_yaml(parts[1])
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        data.bad(CARD, "configs", "a header in YAML", str(error))
        return {}
    card = RowCheck(data, CARD, None, header)
    told = card.fit(_Header, root="configs")
    files: dict[str, dict[str, list[Path]]] = {}
    for config in told.configs if told else ():
        name = config.config_name
        if name not in CONFIGS or name in files:
            card.bad("configs.config_name", f"each of {', '.join(CONFIGS)} once", name)
            continue
        files[name] = {}
        for entry in config.data_files:
            if entry.split in files[name]:
                card.bad("configs.data_files.split", f"each of {', '.join(SPLITS)} once at most", entry.split)
                continue
            files[name][entry.split] = sorted(path.glob(entry.path))
            if not any(map(_may_have_rows, files[name][entry.split])):
                card.bad("configs.data_files.path", "a pattern with files that hold rows", entry.path)
    for name in CONFIGS if told else ():
        named = {shard for shards in files.get(name, {}).values() for shard in shards}
        for shard in sorted(set((path / name).glob("*.parquet")) - named):
            card.bad("configs.config_name", f"a config {name} with {shard.name}", "no such config")
    return files


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
    check=check,
    files=tuple(f"{config}/*.parquet" for config in CONFIGS),
    rows=_read_rows,
)
