"""Check Hugging Face parquet: the card's configs, the columns, and every row with what it refers to."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from roomtour.export.core.checking import SPLITS, RowCheck, is_relative
from roomtour.export.core.folder import CARD
from roomtour.export.core.records import Problem, shown
from roomtour.export.formats.hf.write import COLUMNS, INSTRUCTIONS, VIEWS, schema_of

_IMAGE_STARTS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF")
_Files = dict[str, dict[str, list[Path]]]


def recognise(path: Path) -> bool:
    """Whether the folder holds shards of texts or views."""
    return any(next((path / config).glob("*.parquet"), None) is not None for config in COLUMNS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    files = _files_of(path, problems)
    split_of: dict[str, str] = {}
    views: dict[tuple[str, str], set[int]] = {}
    for config in (VIEWS, INSTRUCTIONS):
        known: set[Any] = set()
        for split, shards in files.get(config, {}).items():
            for shard in shards:
                for row in _rows(shard, shard.relative_to(path).as_posix(), config, problems):
                    tour = row.text("tour")
                    if split_of.setdefault(str(tour), split) != split:
                        row.bad("tour", f"a tour of {split} only, not of {split_of[str(tour)]}", tour)
                    _check_source(row)
                    if config == VIEWS:
                        _check_view(row, views)
                    else:
                        row.new("id", known)
                        _check_instruction(row, views)
    return problems


def _files_of(path: Path, problems: list[Problem]) -> _Files:
    """Shards by config and split, as the card's header names them."""

    def bad(field: str, expected: str, found: object) -> None:
        problems.append(Problem(CARD, None, field, expected, shown(found)))

    try:
        text = (path / CARD).read_text(encoding="utf-8")
        parts = text.split("---\n", 2)
        header = yaml.safe_load(parts[1]) if text.startswith("---\n") and len(parts) == 3 else None
    except (OSError, ValueError, yaml.YAMLError) as error:
        bad("configs", "a header in YAML", str(error))
        return {}
    configs = header.get("configs") if isinstance(header, dict) else None
    if not isinstance(configs, list) or not all(isinstance(config, dict) for config in configs):
        bad("configs", "a header with a list of configs", configs)
        return {}
    files: _Files = {}
    for config in configs:
        name = config.get("config_name")
        entries = config.get("data_files")
        if name not in COLUMNS or name in files:
            bad("configs.config_name", f"each of {', '.join(COLUMNS)} once", name)
            continue
        if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
            bad("configs.data_files", "a list of split and path", entries)
            continue
        files[name] = {}
        for entry in entries:
            split, pattern = entry.get("split"), entry.get("path")
            if split not in SPLITS or split in files[name]:
                bad("configs.data_files.split", f"each of {', '.join(SPLITS)} once at most", split)
                continue
            fits = isinstance(pattern, str) and is_relative(pattern)
            files[name][split] = sorted(path.glob(pattern)) if fits else []
            if not files[name][split]:
                bad("configs.data_files.path", "a pattern with files below the folder", pattern)
    for name in COLUMNS.keys() - files.keys():
        bad("configs.config_name", f"a config {name}", "no such config")
    return files


def _rows(shard: Path, name: str, config: str, problems: list[Problem]) -> Iterator[RowCheck]:
    try:
        with pq.ParquetFile(shard) as file:
            schema = schema_of(config)
            if not file.schema_arrow.equals(schema) or (file.schema_arrow.metadata or {}) != schema.metadata:
                odd = [f"{field.name}: {field.type}" for field in file.schema_arrow if field not in list(schema)]
                expected = f"the columns of {config}, with the note that tells datasets their kinds"
                problems.append(Problem(name, None, "columns", expected, shown(odd or file.schema_arrow.names)))
                return
            number = 0
            for batch in file.iter_batches(batch_size=200):
                for record in batch.to_pylist():
                    number += 1
                    yield RowCheck(name, number, record, problems)
    except (pa.ArrowException, OSError) as error:
        problems.append(Problem(name, None, "parquet", "a parquet file", shown(str(error))))


def _check_source(row: RowCheck) -> None:
    for field in ("model", "licence"):
        row.text(field)
    status = row.record["scale_status"]
    if status not in ("metric", "assumed", "relative"):
        row.bad("scale_status", "metric, assumed or relative", status)
    elif row.record["unit"] != ("unit" if status == "relative" else "m"):
        row.bad("unit", f"what fits scale {status}", row.record["unit"])


def _check_view(row: RowCheck, views: dict[tuple[str, str], set[int]]) -> None:
    frame = row.whole("frame", 1)
    known = views.setdefault((str(row.record["tour"]), str(row.record["model"])), set())
    if frame in known:
        row.bad("frame", "a frame no other row of the model has", frame)
    elif frame is not None:
        known.add(frame)
    row.number("time_s")
    row.number("elevation_deg")
    if row.record["heading_deg"] is not None:
        row.number("heading_deg")
    row.vector("translation", 3)
    quat = row.vector("quat_wxyz", 4)
    if quat is not None and abs(math.hypot(*quat) - 1.0) > 1e-6:
        row.bad("quat_wxyz", "a unit quaternion", quat)
    for field in ("width", "height"):
        row.whole(field, 1)
    row.text("camera_model")
    params = row.record["camera_params"]
    if not params or not all(value is not None and math.isfinite(value) for value in params):
        row.bad("camera_params", "finite numbers", params)
    image = row.record["image"]
    if image is not None and not (image["bytes"] or b"").startswith(_IMAGE_STARTS):
        row.bad("image", "the bytes of a JPEG, PNG or WebP image", (image["bytes"] or b"")[:12])


def _check_instruction(row: RowCheck, views: dict[tuple[str, str], set[int]]) -> None:
    row.text("text")
    row.text("trajectory")
    if row.record["kind"] not in ("instruction", "description"):
        row.bad("kind", "instruction or description", row.record["kind"])
    frames = row.items("views", 2)
    posed = views.get((str(row.record["tour"]), str(row.record["model"])), set())
    if not set(frames) <= posed:
        row.bad("views", f"frames of the config {VIEWS}, of the same tour and model", sorted(set(frames) - posed))
    if frames != sorted(set(frames)):
        row.bad("views", "different frames in time order", frames)
    for field in ("frame_times_s", "headings_deg"):
        row.vector(field, len(frames))
    positions = row.items("positions", len(frames), len(frames))
    if not all(len(place) == 3 and all(math.isfinite(value) for value in place) for place in positions):
        row.bad("positions", "places of 3 finite numbers", positions)
