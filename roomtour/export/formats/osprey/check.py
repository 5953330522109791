"""Check Osprey items: marks of regions that exist, run lengths that add up, pictures that are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field

from roomtour.export.core.checking import (
    SPLITS,
    Id,
    RelativePath,
    Row,
    RowCheck,
    Whole,
    fit_lists,
    must,
)
from roomtour.export.core.records import Problem
from roomtour.export.core.turns import Turns, check_turns
from roomtour.export.formats.osprey.write import file_name

_MARK = re.compile(r"<region(\d+)>")


class _Mask(Row):
    size: Annotated[list[Whole], Field(min_length=2, max_length=2)]
    counts: Annotated[list[Whole], Field(min_length=1)]


class _Annotation(Row):
    bbox: Annotated[list[Whole], Field(min_length=4, max_length=4)]
    segmentation: _Mask


class _Item(Row):
    id: Id
    file_name: Annotated[
        RelativePath, must(lambda name: "_" not in name, "no underscore: the loader cuts off what stands before")
    ]
    height: Whole
    width: Whole
    annotation: Annotated[list[_Annotation], Field(min_length=1)]
    conversations: Turns


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of items."""
    return any((path / file_name(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    for row, item in fit_lists(path, file_name, _Item, problems):
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
    check_turns(row, item.conversations)
    if not (images / item.file_name).is_file():
        row.bad("file_name", "a file that is there", item.file_name)
