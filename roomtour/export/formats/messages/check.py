"""Check chat messages: turns in order, one mark per picture, pictures that are there, a truth beside every answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from roomtour.export.core.checking import Finite, Id, RelativePath, Row, RowCheck, Text, fit_splits, read_json
from roomtour.export.core.conversations import IMAGE_TOKEN
from roomtour.export.core.records import Problem
from roomtour.export.core.talks.place_rows import PlaceRow, check_places, read_sizes
from roomtour.export.core.talks.talk import METRIC_UNITS, Unit
from roomtour.export.formats.messages.write import INFO_FILE, VIDEO_TOKEN, file_name


class _Message(Row):
    role: Literal["user", "assistant"]
    content: Text


class _Item(Row):
    id: Id
    messages: Annotated[list[_Message], Field(min_length=2)]
    images: list[RelativePath]
    videos: list[RelativePath] = Field(default_factory=list)
    solution: Text
    type: Text
    unit: Unit
    sigma: Finite | None
    tour: Text
    scale_status: Literal["metric", "assumed", "relative"]
    places: list[PlaceRow] = Field(default_factory=list)


class _Columns(Row):
    messages: Literal["messages"]
    images: Literal["images"]
    videos: Literal["videos"] = "videos"


class _Info(Row):
    file_name: RelativePath
    formatting: Literal["sharegpt"]
    columns: _Columns
    tags: dict[str, str]


def recognise(path: Path) -> bool:
    """Whether the folder holds lines of messages."""
    try:
        with (path / file_name("train")).open(encoding="utf-8", errors="replace") as file:
            return '"messages"' in file.readline()
    except OSError:
        return False


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    split_of: dict[str, str] = {}
    has_marks: bool | None = None  # all rows with pictures have them, or none: one loader reads the whole
    for split, row, item in fit_splits(path, file_name, _Item, problems):
        if split_of.setdefault(item.tour, split) != split:
            row.bad("tour", f"a tour of {split} only, not of {split_of[item.tour]}", item.tour)
        if item.images:
            marked = _count_marks(item) > 0
            has_marks = marked if has_marks is None else has_marks
            if marked != has_marks:
                row.bad("messages.content", f"{IMAGE_TOKEN} in all rows with pictures, or in none", f"marked: {marked}")
        _check_item(row, item, path)
    if (path / INFO_FILE).is_file():
        _check_info(path, problems)
    return problems


def _check_info(path: Path, problems: list[Problem]) -> None:
    """Every dataset that LLaMA-Factory is told of is a file of the folder, in the client's way of naming columns."""
    info: Mapping[str, Any] = read_json(path, INFO_FILE, dict, problems) or {}
    for name, told in info.items():
        row = RowCheck(INFO_FILE, name, told, problems)
        one = row.fit(_Info)
        if one is not None and not (path / one.file_name).is_file():
            row.bad("file_name", "a file that is there", one.file_name)


def _check_item(row: RowCheck, item: _Item, path: Path) -> None:
    for place, message in enumerate(item.messages):
        role = ("user", "assistant")[place % 2]
        if message.role != role:
            row.bad("messages.role", f"user and assistant by turns ({role} at {place})", message.role)
    if len(item.messages) % 2:
        row.bad("messages", "an answer last", item.messages[-1].role)
    if bool(item.images) == bool(item.videos):
        row.bad("images", "pictures or a video", f"{len(item.images)} and {len(item.videos)}")
    shown = sum(message.content.count(VIDEO_TOKEN) for message in item.messages if message.role == "user")
    if shown not in (0, len(item.videos)):
        row.bad("messages.content", f"{len(item.videos)} times {VIDEO_TOKEN}, or never", f"{shown} times")
    gone = [name for name in item.videos if not (path / name).is_file()]
    if gone:
        row.bad("videos", "files that are there", gone)
    marks = _count_marks(item)
    if marks not in (0, len(item.images)) or any(IMAGE_TOKEN in m.content for m in item.messages if m.role != "user"):
        wanted = f"{len(item.images)} times {IMAGE_TOKEN} in what the user says, or never"
        row.bad("messages.content", wanted, f"{marks} times")
    if (path / "images").is_dir():
        missing = [name for name in item.images if not (path / name).is_file()]
        if missing:
            row.bad("images", "files that are there", missing)
    if item.places and item.images:
        check_places(row, item.places, read_sizes(path, item.images))
    if item.scale_status == "relative" and item.unit in METRIC_UNITS:
        row.bad("unit", "no metres from a relative scale", item.unit)


def _count_marks(item: _Item) -> int:
    """Places of pictures in what the user says."""
    return sum(message.content.count(IMAGE_TOKEN) for message in item.messages if message.role == "user")
