"""Check Osprey items: marks of regions that exist, run lengths that add up, pictures that are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from roomtour.export.core.checking import (
    SPLITS,
    Id,
    RelativePath,
    Row,
    RowCheck,
    Text,
    Whole,
    must,
    objects,
    read_json,
)
from roomtour.export.core.records import Problem
from roomtour.export.formats.osprey.write import file_name

_MARK = re.compile(r"<region(\d+)>")


class _Mask(Row):
    size: Annotated[list[Whole], Field(min_length=2, max_length=2)]
    counts: Annotated[list[Whole], Field(min_length=1)]


class _Annotation(Row):
    bbox: Annotated[list[Whole], Field(min_length=4, max_length=4)]
    segmentation: _Mask


class _Turn(Row):
    speaker: Literal["human", "gpt"] = Field(alias="from")
    value: Text


class _Item(Row):
    id: Id
    file_name: Annotated[
        RelativePath, must(lambda name: "_" not in name, "no underscore: the loader cuts off what stands before")
    ]
    height: Whole
    width: Whole
    annotation: Annotated[list[_Annotation], Field(min_length=1)]
    conversations: Annotated[list[_Turn], Field(min_length=2)]


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of items."""
    return any((path / file_name(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    known: set[Any] = set()
    for split in SPLITS:
        name = file_name(split)
        if split != "train" and not (path / name).is_file():
            continue
        for row in objects(read_json(path, name, list, problems), name, problems):
            item = row.fit(_Item)
            if item is not None:
                row.new("id", item.id, known)
                _check_item(row, item, path / "images")
    return problems


def _check_item(row: RowCheck, item: _Item, images: Path) -> None:
    named = {int(found) for turn in item.conversations for found in _MARK.findall(turn.value)}
    if named != set(range(1, len(item.annotation) + 1)):
        row.bad("annotation", f"one entry for each mark, {sorted(named)}", len(item.annotation))
    for one in item.annotation:
        x0, y0, x1, y1 = one.bbox
        if x1 <= x0 or y1 <= y0:
            row.bad("bbox", "corners from the top left to the bottom right", one.bbox)
        mask = one.segmentation
        if mask.size != [item.height, item.width] or sum(mask.counts) != item.height * item.width:
            row.bad("segmentation", f"run lengths of {item.height} x {item.width} pixels", mask.size)
    if [turn.speaker for turn in item.conversations] != ["human", "gpt"] * (len(item.conversations) // 2):
        row.bad("conversations.from", "human and gpt by turns", [turn.speaker for turn in item.conversations])
    if not (images / item.file_name).is_file():
        row.bad("file_name", "a file that is there", item.file_name)
