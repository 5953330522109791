"""Check RoomTour3D files against every rule of the reference loader."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from recon.conventions import wrap_deg
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Finite, Id, Place, Text, is_number, must
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.records import format_value
from roomtour.export.core.streams import rows_of
from roomtour.export.core.walks.guided_paths import MAX_VIEWS, MIN_VIEWS
from roomtour.export.formats.walks.roomtour3d.features import check_features
from roomtour.export.formats.walks.roomtour3d.write import (
    CONVENTION,
    DESCRIBED,
    DESCRIPTIONS,
    GEOMETRY_FILE,
    MAX_IMAGES,
    PICTURES,
    RECORDS,
    Roomtour3dOptions,
    image_name,
    write,
)

_LONG_ID = re.compile(r"([^|/]+)\|([0-9]+(?:%[0-9]+)*)")
_IMAGE_ID = re.compile(r"output_frame_([0-9]{4,})\.png")

Geometry = Mapping[Any, Any]
"""Places by reconstruction and frame, not all of which fit."""


def _is_name(name: str) -> bool:
    return bool(name) and not set("/|") & set(name)


class _Place(Row):
    pos: Place
    yaw: Annotated[float, Field(ge=-360, le=360)]
    pitch: Annotated[float, Field(ge=-90, le=90)]


class _Decision(Row):
    key = "path_id"
    path_id: Id
    video: Annotated[str, Field(alias="videoId"), must(_is_name, "a text without '/' or '|'")]
    path: Annotated[
        list[str],
        Field(min_length=MIN_VIEWS, max_length=MAX_VIEWS),
        must(lambda views: len(set(views)) == len(views), "views that are all different"),
    ]
    choice: str = Field(alias="optView")
    long_id: Annotated[
        str, Field(alias="longId"), must(lambda text: bool(_LONG_ID.fullmatch(text)), "{colmapId}|{f1}%{f2}...")
    ]
    heading: Finite
    instructions: Annotated[list[Text], Field(min_length=1)]
    new_instructions: Annotated[Any, must(lambda given: False, "no such field, the reader passes it to eval")] = None


class _Question(Row):
    question_id: Id
    question: Text
    answers: Annotated[list[Text], Field(min_length=1)]


class _Image(Row):
    image_id: Annotated[str, must(lambda name: bool(_IMAGE_ID.fullmatch(name)), "a name like output_frame_0012.png")]


_TYPES = [type_name for type_name, _ in DESCRIPTIONS.values()]


class _Description(Row):
    video: Annotated[
        str, Field(alias="videoId"), must(lambda name: bool(name) and "/" not in name, "a text without '/'")
    ]
    type: Annotated[str, must(_TYPES.__contains__, f"one of {', '.join(_TYPES)}")]
    image_info: Annotated[list[_Image], Field(min_length=1, max_length=MAX_IMAGES)]
    annotation: Annotated[list[_Question], Field(min_length=1)]

    def check(self, row: RowCheck) -> None:
        """Images in time order, questions of their own."""
        names = [image.image_id for image in self.image_info]
        numbers = [int(name.removeprefix("output_frame_").removesuffix(".png")) for name in names]
        row.need(numbers == sorted(set(numbers)), "image_info.image_id", "different images in time order", names)
        for entry in self.annotation:
            row.new("annotation.question_id", str(entry.question_id))


def _check(data: DatasetCheck) -> None:
    """Every rule of the reference loader."""
    geometry: Geometry = data.read_pickle(GEOMETRY_FILE) or {}
    _check_geometry(data, geometry)
    crops: dict[str, int | None] = {}
    described: dict[str, int | None] = {}
    pictures: set[str] = set()
    paths: dict[tuple[str, str], list[str]] = {}
    for row, record in data.rows(RECORDS, _Decision):
        shown = _check_decision(row, record, geometry, paths)
        pictures |= {f"{record.video}/{image_name(frame)}" for frame in shown}
        crops |= {**dict.fromkeys(record.path[1:], 1), record.long_id: record.long_id.count("%") + 1}
    for _, item in data.rows(DESCRIBED, _Description):
        names = [image.image_id for image in item.image_info]
        pictures |= {f"{item.video}/{name}" for name in names}
        described |= {f"{item.video}_{name}": None for name in names}
    data.problems += check_features(data.folder, crops, described)
    for name in sorted(pictures) if (data.folder / PICTURES).is_dir() else ():
        data.require_file(f"{PICTURES}/{name}")


def _check_geometry(data: DatasetCheck, geometry: Geometry) -> None:
    """Check the shape and the values of the camera geometry."""
    for colmap_id, places in geometry.items():
        if not isinstance(colmap_id, str) or not _is_name(colmap_id):
            data.bad(GEOMETRY_FILE, "colmapId", "a str without '|' or '/'", [colmap_id], format_value(colmap_id))
        if not isinstance(places, dict):
            data.bad(GEOMETRY_FILE, "frames", "a dict", type(places).__name__, str(colmap_id))
            continue
        for frame, place in places.items():
            row = RowCheck(data, GEOMETRY_FILE, f"{colmap_id}/{frame}", place)
            row.need(type(frame) is int, "frame", "an int", frame)
            row.fit(_Place)


def _check_decision(
    row: RowCheck, record: _Decision, geometry: Geometry, paths: dict[tuple[str, str], list[str]]
) -> list[int]:
    """The frames that a record names, after noting what is wrong; `paths` holds that of each longId so far."""
    frames = [_frame_of(view, record.video) for view in record.path]
    _check_path(row, record, frames)
    colmap_id, candidates = _check_long_id(row, record)
    if paths.setdefault((record.video, record.long_id), record.path) != record.path:
        row.bad("longId", "one path for all records of a video with this longId", record.long_id)
    places = geometry.get(colmap_id)
    named = [number for number in (*frames, *candidates) if number is not None]
    if not isinstance(places, dict):
        row.bad("longId", f"a colmapId of {GEOMETRY_FILE}", colmap_id)
        return named
    for field, numbers in (("longId", candidates), ("path", frames)):
        for number in numbers:
            if number is not None and number not in places:
                row.bad(field, f"frames of {colmap_id} in {GEOMETRY_FILE}", number)
    start = places.get(frames[0]) if frames[0] is not None else None
    if isinstance(start, dict) and is_number(start.get("yaw")):
        off_deg = abs(wrap_deg(math.degrees(record.heading) - start["yaw"]))
        if off_deg > 0.1:
            row.bad("heading", f"the yaw of path[0] in radians ({math.radians(start['yaw']):.4f})", record.heading)
    return named


def _check_path(row: RowCheck, record: _Decision, frames: list[int | None]) -> None:
    path = record.path
    for view, frame in zip(path, frames, strict=True):
        row.need(frame is not None, "path", "names {videoId}_output_frame_{frame:04d}.png", view)
    known = [frame for frame in frames if frame is not None]
    row.need(known == sorted(known), "path", "views in time order", path)
    if record.choice not in path:
        row.bad("optView", "a view of path", record.choice)
    elif record.choice == path[0]:
        row.bad("optView", "not path[0], or the record vanishes", record.choice)


def _check_long_id(row: RowCheck, record: _Decision) -> tuple[str, list[int]]:
    """The reconstruction and the candidate frames that a longId names."""
    colmap_id, _, numbers = record.long_id.partition("|")
    candidates = [int(number) for number in numbers.split("%")]
    frame = _frame_of(record.choice, record.video)
    if frame is not None and frame not in candidates:
        row.bad("longId", f"the frame of optView ({frame}), or the teacher learns to stop", record.long_id)
    elif frame is not None and candidates[0] != frame:
        row.bad("longId", f"the frame of optView ({frame}) first", record.long_id)
    row.need(len(candidates) >= 2, "longId", "at least one negative", record.long_id)
    row.need(len(set(candidates)) >= len(candidates), "longId", "no frame twice", record.long_id)
    return colmap_id, candidates


def _frame_of(view: str, video: str) -> int | None:
    """Frame number of a view name of this video, or None if it is no such name."""
    digits = view.removeprefix(f"{video}_output_frame_").removesuffix(".png")
    well_named = digits.isascii() and digits.isdigit() and view == f"{video}_output_frame_{int(digits):04d}.png"
    return int(digits) if well_named else None


ROOMTOUR3D = ExportFormat(
    name="roomtour3d",
    summary="instructions with paths and candidates, camera geometry, and descriptions for the reference loader",
    client="NaviLLM with RoomTour3D data (the reference loader)",
    reads=("instructions",),
    convention=CONVENTION,
    options=Roomtour3dOptions,
    write=write,
    check=_check,
    rows=rows_of("*_trajectory_tour3d.json"),
)
