"""Check ms-swift rows: roles by turns, as many marks as entries, boxes inside out never, pictures that are there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from roomtour.export.core.checking import SPLITS, Finite, Id, RelativePath, Row, RowCheck, Text, Whole, fit_splits
from roomtour.export.core.records import Problem
from roomtour.export.core.talks.place_rows import check_spot, read_sizes
from roomtour.export.formats.swift.talks import IMAGE
from roomtour.export.formats.swift.write import file_name

_Box = Annotated[list[Finite], Field(min_length=2, max_length=4)]
"""Corners of a box, or a point."""


class _Message(Row):
    role: Literal["system", "user", "assistant"]
    content: Text


class _Objects(Row):
    ref: list[Text]
    bbox: list[_Box]
    bbox_type: Literal["real"]
    image_id: list[Whole] = Field(default_factory=list)


class _Item(Row):
    id: Id
    messages: Annotated[list[_Message], Field(min_length=2)]
    images: list[RelativePath]
    objects: _Objects
    rejected_response: str | None = None


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of rows."""
    return any((path / file_name(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    for _, row, item in fit_splits(path, file_name, _Item, problems):
        _check_item(row, item, path / "images")
    return problems


def _check_item(row: RowCheck, item: _Item, images: Path) -> None:
    whole = "".join(message.content for message in item.messages) + (item.rejected_response or "")
    for mark, count, field in (
        (IMAGE, len(item.images), "images"),
        ("<ref-object>", len(item.objects.ref), "objects.ref"),
        ("<bbox>", len(item.objects.bbox), "objects.bbox"),
    ):
        if whole.count(mark) != count:
            row.bad(field, f"one entry for each {mark}, {whole.count(mark)}", count)
    if item.messages[-1].role != "assistant":
        row.bad("messages", "an answer last", item.messages[-1].role)
    shown = item.objects.image_id or [0] * len(item.objects.bbox)
    if len(shown) != len(item.objects.bbox) or any(place >= len(item.images) for place in shown):
        row.bad("objects.image_id", f"one of {len(item.images)} pictures for each box", item.objects.image_id)
        return
    sizes = read_sizes(images, item.images)
    for box, place in zip(item.objects.bbox, shown, strict=True):
        check_spot(row, "objects.bbox", box, sizes[place])
    missing = [name for name in item.images if not (images / name).is_file()] if images.is_dir() else []
    if missing:
        row.bad("images", "files that are there", missing)
