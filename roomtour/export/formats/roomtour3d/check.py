"""Check RoomTour3D files against every rule of the reference loader."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from recon.conventions import wrap_deg
from roomtour.export.core.checking import (
    SPLITS,
    Finite,
    Id,
    Place,
    Row,
    RowCheck,
    Text,
    is_number,
    must,
    objects,
    read_json,
)
from roomtour.export.core.guided_paths import MAX_VIEWS, MIN_VIEWS
from roomtour.export.core.records import Problem, format_value
from roomtour.export.core.streams import read_plain_pickle
from roomtour.export.formats.roomtour3d.features_check import (
    check_features,
    list_wanted_of_description,
    list_wanted_of_record,
)
from roomtour.export.formats.roomtour3d.pictures import find_missing
from roomtour.export.formats.roomtour3d.write import GEOMETRY_FILE, MAX_IMAGES, description_file, trajectory_file

_LONG_ID = re.compile(r"([^|/]+)\|([0-9]+(?:%[0-9]+)*)")
_IMAGE_ID = re.compile(r"output_frame_([0-9]{4,})\.png")

Geometry = Mapping[str, Mapping[int, Any]]


def _is_name(name: str) -> bool:
    return bool(name) and not set("/|") & set(name)


class _Place(Row):
    pos: Place
    yaw: Annotated[float, Field(ge=-360, le=360)]
    pitch: Annotated[float, Field(ge=-90, le=90)]


class _Decision(Row):
    path_id: Id
    video: Annotated[str, Field(alias="videoId"), must(_is_name, "a text without '/' or '|'")]
    path: Annotated[list[str], Field(min_length=MIN_VIEWS, max_length=MAX_VIEWS)]
    choice: str = Field(alias="optView")
    long_id: Annotated[
        str, Field(alias="longId"), must(lambda text: bool(_LONG_ID.fullmatch(text)), "{colmapId}|{f1}%{f2}...")
    ]
    heading: Finite
    instructions: Annotated[list[Text], Field(min_length=1)]


class _Question(Row):
    question_id: Id
    question: Text
    answers: Annotated[list[Text], Field(min_length=1)]


class _Image(Row):
    image_id: Annotated[str, must(lambda name: bool(_IMAGE_ID.fullmatch(name)), "a name like output_frame_0012.png")]


class _Description(Row):
    video: Annotated[
        str, Field(alias="videoId"), must(lambda name: bool(name) and "/" not in name, "a text without '/'")
    ]
    type: Literal[
        "video_desc",
        "video_desc_roomobj",
        "video_desc_roomobj_spatial",
        "video_desc_roomloc",
        "video_desc_roomobj_target",
    ]
    image_info: Annotated[list[_Image], Field(min_length=1, max_length=MAX_IMAGES)]
    annotation: Annotated[list[_Question], Field(min_length=1)]


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of decision records."""
    return any((path / trajectory_file(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    geometry: Geometry = {}
    required = (trajectory_file("train"), description_file("train"), GEOMETRY_FILE)
    for name in required:
        if not (path / name).is_file():
            problems.append(Problem(name, None, "file", "a file", "no such file"))
    if (path / GEOMETRY_FILE).is_file():
        try:
            loaded = read_plain_pickle(path / GEOMETRY_FILE)
        except pickle.UnpicklingError as error:
            problems.append(Problem(GEOMETRY_FILE, None, "pickle", "plain dict, list, int, float and str", str(error)))
        else:
            problems += check_geometry(loaded)
            geometry = loaded if isinstance(loaded, dict) else {}
    path_ids: set[str] = set()
    question_ids: set[str] = set()
    long_ids: dict[tuple[str, str], list[str]] = {}
    crops: dict[str, int | None] = {}
    described: dict[str, int | None] = {}
    first_views: set[str] = set()
    """Of paths; the reader wants no vector of them."""
    for split in SPLITS:
        for row in _items(path, trajectory_file(split), problems):
            record = _check_decision(row, geometry, path_ids, long_ids)
            first_views |= {record.path[0]} if record else set()
            crops |= list_wanted_of_record(row.record) if isinstance(row.record, dict) else {}
        for row in _items(path, description_file(split), problems):
            _check_description(row, question_ids)
            described |= list_wanted_of_description(row.record) if isinstance(row.record, dict) else {}
    return (
        problems + check_features(path, crops, described) + list(find_missing(path, [*crops, *described, *first_views]))
    )


def _items(folder: Path, name: str, problems: list[Problem]) -> Iterator[RowCheck]:
    """The objects of a JSON list, if there is such a file."""
    if (folder / name).is_file():
        yield from objects(read_json(folder, name, list, problems), name, problems)


def check_geometry(geometry: object) -> list[Problem]:
    """Check the shape and the values of the camera geometry."""
    if not isinstance(geometry, dict):
        return [Problem(GEOMETRY_FILE, None, "pickle", "a dict", type(geometry).__name__)]
    problems: list[Problem] = []
    for colmap_id, places in geometry.items():
        if not isinstance(colmap_id, str) or not _is_name(colmap_id):
            problems.append(
                Problem(GEOMETRY_FILE, format_value(colmap_id), "colmapId", "a str without '|' or '/'", "it")
            )
        if not isinstance(places, dict):
            problems.append(Problem(GEOMETRY_FILE, str(colmap_id), "frames", "a dict", type(places).__name__))
            continue
        for frame, place in places.items():
            row = f"{colmap_id}/{frame}"
            if type(frame) is not int:
                problems.append(Problem(GEOMETRY_FILE, row, "frame", "an int", format_value(frame)))
            RowCheck(GEOMETRY_FILE, row, place, problems).fit(_Place, root="place")
    return problems


def _check_decision(
    row: RowCheck, geometry: Geometry, path_ids: set[str], long_ids: dict[tuple[str, str], list[str]]
) -> _Decision | None:
    """Note all problems of a record; its ids go into the sets shared by the dataset. None if it has not its fields."""
    if isinstance(row.record, dict) and "new_instructions" in row.record:
        row.bad("new_instructions", "no such field, the reader passes it to eval", "it")
    row.register("path_id", path_ids)
    record = row.fit(_Decision)
    if record is None:
        return None
    frames = [_frame_of(view, record.video) for view in record.path]
    _check_path(row, record, frames)
    colmap_id, candidates = _check_long_id(row, record)
    if long_ids.setdefault((record.video, record.long_id), record.path) != record.path:
        row.bad("longId", "one path for all records of a video with this longId", record.long_id)
    places = geometry.get(colmap_id)
    if not isinstance(places, dict):
        row.bad("longId", f"a colmapId of {GEOMETRY_FILE}", colmap_id)
        return record
    for field, numbers in (("longId", candidates), ("path", frames)):
        for number in numbers:
            if number is not None and number not in places:
                row.bad(field, f"frames of {colmap_id} in {GEOMETRY_FILE}", number)
    start = places.get(frames[0]) if frames[0] is not None else None
    if isinstance(start, dict) and is_number(start.get("yaw")):
        off_deg = abs(wrap_deg(math.degrees(record.heading) - start["yaw"]))
        if off_deg > 0.1:
            row.bad("heading", f"the yaw of path[0] in radians ({math.radians(start['yaw']):.4f})", record.heading)
    return record


def _check_path(row: RowCheck, record: _Decision, frames: list[int | None]) -> None:
    path = record.path
    if len(set(path)) < len(path):
        row.bad("path", "views that are all different", path)
    for view, frame in zip(path, frames, strict=True):
        if frame is None:
            row.bad("path", "names {videoId}_output_frame_{frame:04d}.png", view)
    known = [frame for frame in frames if frame is not None]
    if known != sorted(known):
        row.bad("path", "views in time order", path)
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
    if len(candidates) < 2:
        row.bad("longId", "at least one negative", record.long_id)
    if len(set(candidates)) < len(candidates):
        row.bad("longId", "no frame twice", record.long_id)
    return colmap_id, candidates


def _check_description(row: RowCheck, question_ids: set[str]) -> None:
    item = row.fit(_Description)
    if item is None:
        return
    names = [image.image_id for image in item.image_info]
    numbers = [int(name.removeprefix("output_frame_").removesuffix(".png")) for name in names]
    if numbers != sorted(set(numbers)):
        row.bad("image_info.image_id", "different images in time order", names)
    for entry in item.annotation:
        row.new("annotation.question_id", str(entry.question_id), question_ids)


def _frame_of(view: str, video: str) -> int | None:
    """Frame number of a view name of this video, or None if it is no such name."""
    digits = view.removeprefix(f"{video}_output_frame_").removesuffix(".png")
    well_named = digits.isascii() and digits.isdigit() and view == f"{video}_output_frame_{int(digits):04d}.png"
    return int(digits) if well_named else None
