"""Check Hugging Face parquet: the card's configs, the columns, and every row with what it refers to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from pydantic import Field

from recon.pictures import find_picture_size
from roomtour.export.core.checking import (
    SPLITS,
    Finite,
    PictureBytes,
    Place,
    Quaternion,
    RelativePath,
    Row,
    RowCheck,
    Text,
    is_focal_length,
)
from roomtour.export.core.folder import CARD
from roomtour.export.core.records import Problem, format_value
from roomtour.export.core.talks.place_rows import PlaceRow, check_places
from roomtour.export.core.talks.talk import METRIC_UNITS, Unit
from roomtour.export.formats.hf.regions import PAIRS, QARS
from roomtour.export.formats.hf.write import COLUMNS, INSTRUCTIONS, MANY_TURNS, TALKS, VIEWS, schema_of
from roomtour.options.yaml_text import read_yaml

_Files = dict[str, dict[str, list[Path]]]


class _DataFile(Row):
    split: Literal["train", "val"]
    path: RelativePath


class _Config(Row):
    config_name: str
    data_files: Annotated[list[_DataFile], Field(min_length=1)]


class _Header(Row):
    configs: list[_Config]


class _Source(Row):
    tour: Text
    model: Text
    licence: Text
    scale_status: Literal["metric", "assumed", "relative"]
    unit: str


class _Image(Row):
    bytes: PictureBytes


class _View(_Source):
    frame: Annotated[int, Field(ge=1)]
    time_s: Finite
    elevation_deg: Finite
    heading_deg: Finite | None
    translation: Place
    quat_wxyz: Quaternion
    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]
    camera_model: Text
    camera_params: Annotated[list[Finite], Field(min_length=1)]
    image: _Image | None


class _Told(_Source):
    id: Text
    text: Text
    trajectory: Text
    kind: Literal["instruction", "description"]
    views: Annotated[list[int], Field(min_length=2)]
    frame_times_s: list[Finite]
    headings_deg: list[Finite]
    positions: list[Place]


class _Talk(Row):
    id: Text
    tour: Text
    scale_status: Literal["metric", "assumed", "relative"]
    images: list[_Image]
    type: Text
    ground_truth: Text
    unit: Unit
    sigma: Finite | None
    places: list[PlaceRow]


class _Asked(_Talk):
    question: Text
    answer: Text


class _Discussed(_Talk):
    questions: Annotated[list[Text], Field(min_length=1)]
    answers: Annotated[list[Text], Field(min_length=1)]


class _OfView(Row):
    id: Text
    tour: Text
    view: Text
    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]
    numbers: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)]
    boxes: list[Annotated[list[Finite], Field(min_length=4, max_length=4)]]
    labels: list[str | None]
    objects: list[str | None]
    image: _Image | None
    question: Text


class _ThreeParts(_OfView):
    mode: Literal["id", "description"]
    answer: Text
    rationale: Text
    mentioned: list[int]
    verdicts: Text


class _Twins(_OfView):
    row: Text
    chosen: Text
    rejected: Text
    because: Text


_MENTION = re.compile(r"\[(\d+)\]")
_DEPTH = 1
"""Problems are named by their column."""


def recognise(path: Path) -> bool:
    """Whether the folder holds shards of texts or views."""
    return any(next((path / config).glob("*.parquet"), None) is not None for config in COLUMNS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    files = _files_of(path, problems)
    split_of: dict[str, str] = {}
    views: dict[tuple[str, str], set[int]] = {}
    for config, kind in ((VIEWS, _View), (INSTRUCTIONS, _Told)):
        known: set[Any] = set()
        for split, shards in files.get(config, {}).items():
            for shard in shards:
                for check in _rows(shard, shard.relative_to(path).as_posix(), config, problems):
                    row = check.fit(kind, _DEPTH)
                    if row is None:
                        if config == VIEWS:  # the view is there, so texts may name it
                            key = (str(check.record["tour"]), str(check.record["model"]))
                            views.setdefault(key, set()).add(check.record["frame"])
                        continue
                    if split_of.setdefault(row.tour, split) != split:
                        check.bad("tour", f"a tour of {split} only, not of {split_of[row.tour]}", row.tour)
                    if row.unit != ("unit" if row.scale_status == "relative" else "m"):
                        check.bad("unit", f"what fits scale {row.scale_status}", row.unit)
                    posed = views.setdefault((row.tour, row.model), set())
                    if isinstance(row, _View):
                        check.new("frame", row.frame, posed)
                        _check_camera(check, row)
                    else:
                        check.new("id", row.id, known)
                        _check_way(check, row, posed)
    for config in TALKS:
        _check_talks(path, config, files, split_of, problems)
    _check_regions(path, files, split_of, problems)
    return problems


def _check_camera(check: RowCheck, row: _View) -> None:
    if not is_focal_length(row.camera_params[0], row.width, row.height):
        check.bad("camera_params", "a focal length of a lens for rooms first", row.camera_params)
    size = find_picture_size(row.image.bytes) if row.image is not None else None
    if size not in (None, (row.width, row.height)):
        check.bad("image", f"a picture of {row.width} x {row.height}, as the row says", size)


def _check_regions(path: Path, files: _Files, split_of: dict[str, str], problems: list[Problem]) -> None:
    """Rows about numbered regions, and their twins: no text names a region that is not there."""
    rows: set[Any] = set()
    twins: set[Any] = set()
    for config, kind, known in ((QARS, _ThreeParts, rows), (PAIRS, _Twins, twins)):
        for split, shards in files.get(config, {}).items():
            for shard in shards:
                for check in _rows(shard, shard.relative_to(path).as_posix(), config, problems):
                    row = check.fit(kind, _DEPTH)
                    if row is None:
                        continue
                    check.new("id", row.id, known)
                    if split_of.setdefault(row.tour, split) != split:
                        check.bad("tour", f"a tour of {split} only, not of {split_of[row.tour]}", row.tour)
                    _check_parts(check, row)
                    if isinstance(row, _Twins):
                        if row.chosen == row.rejected:
                            check.bad("rejected", "another answer than the chosen one", row.rejected)
                        if row.row not in rows:
                            check.bad("row", f"the id of a row of {QARS}", row.row)


def _check_parts(check: RowCheck, row: _ThreeParts | _Twins) -> None:
    for field in ("boxes", "labels", "objects"):
        if len(getattr(row, field)) != len(row.numbers):
            check.bad(field, f"{len(row.numbers)}, one per region", getattr(row, field))
    for box in row.boxes:
        if not (0 <= box[0] < box[2] <= row.width and 0 <= box[1] < box[3] <= row.height):
            check.bad("boxes", f"corners inside {row.width} x {row.height}", box)
    is_qar = isinstance(row, _ThreeParts)
    fields = ("question", "answer", "rationale") if is_qar else ("question", "chosen", "rejected")
    for field in fields:
        named = {int(one) for one in _MENTION.findall(getattr(row, field))}
        if not named <= set(row.numbers):
            check.bad(field, "only [n] that numbers has", getattr(row, field))
    if isinstance(row, _ThreeParts) and not set(row.mentioned) <= set(row.numbers):
        check.bad("mentioned", "only what numbers has", row.mentioned)


def _check_talks(path: Path, config: str, files: _Files, split_of: dict[str, str], problems: list[Problem]) -> None:
    known: set[Any] = set()
    for split, shards in files.get(config, {}).items():
        for shard in shards:
            for check in _rows(shard, shard.relative_to(path).as_posix(), config, problems):
                row = check.fit(_Discussed if config in MANY_TURNS else _Asked, _DEPTH)
                if row is None:
                    continue
                check.new("id", row.id, known)
                if split_of.setdefault(row.tour, split) != split:
                    check.bad("tour", f"a tour of {split} only, not of {split_of[row.tour]}", row.tour)
                if row.scale_status == "relative" and row.unit in METRIC_UNITS:
                    check.bad("unit", "no metres from a relative scale", row.unit)
                if row.images:
                    check_places(check, row.places, [find_picture_size(one.bytes) for one in row.images])
                if isinstance(row, _Discussed) and len(row.questions) != len(row.answers):
                    check.bad("answers", f"{len(row.questions)}, one per question", row.answers)


def _files_of(path: Path, problems: list[Problem]) -> _Files:
    """Shards by config and split, as the card's header names them."""
    card = RowCheck(CARD, None, {}, problems)
    try:
        text = (path / CARD).read_text(encoding="utf-8")
        parts = text.split("---\n", 2)
        if text.startswith("---\n") and len(parts) == 3:
            card.record = read_yaml(parts[1])
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        card.bad("configs", "a header in YAML", str(error))
        return {}
    header = card.fit(_Header, root="configs")
    files: _Files = {}
    for config in header.configs if header else ():
        name = config.config_name
        if name not in COLUMNS or name in files:
            card.bad("configs.config_name", f"each of {', '.join(COLUMNS)} once", name)
            continue
        files[name] = {}
        for entry in config.data_files:
            if entry.split in files[name]:
                card.bad("configs.data_files.split", f"each of {', '.join(SPLITS)} once at most", entry.split)
                continue
            files[name][entry.split] = sorted(path.glob(entry.path))
            if not any(map(_may_have_rows, files[name][entry.split])):
                card.bad("configs.data_files.path", "a pattern with files that hold rows", entry.path)
    for name in COLUMNS if header else ():
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


def _rows(shard: Path, name: str, config: str, problems: list[Problem]) -> Iterator[RowCheck]:
    try:
        with pq.ParquetFile(shard, page_checksum_verification=True) as file:
            schema = schema_of(config)
            if not file.schema_arrow.equals(schema) or (file.schema_arrow.metadata or {}) != schema.metadata:
                odd = [f"{field.name}: {field.type}" for field in file.schema_arrow if field not in list(schema)]
                expected = f"the columns of {config}, with the note that tells datasets their kinds"
                problems.append(Problem(name, None, "columns", expected, format_value(odd or file.schema_arrow.names)))
                return
            number = 0
            for batch in file.iter_batches(batch_size=200):
                for record in batch.to_pylist():
                    number += 1
                    yield RowCheck(name, number, record, problems)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        problems.append(Problem(name, None, "parquet", "a parquet file", format_value(str(error))))


def _check_way(check: RowCheck, row: _Told, posed: set[int]) -> None:
    if not set(row.views) <= posed:
        expected = f"frames of the config {VIEWS}, of the same tour and model"
        check.bad("views", expected, sorted(set(row.views) - posed))
    if row.views != sorted(set(row.views)):
        check.bad("views", "different frames in time order", row.views)
    for field in ("frame_times_s", "headings_deg", "positions"):
        if len(getattr(row, field)) != len(row.views):
            check.bad(field, f"{len(row.views)}, one per frame", getattr(row, field))
