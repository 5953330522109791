"""Check rows for SpatialRGPT: one mask and box per mark, inside pictures that are there, categories it knows."""

from __future__ import annotations

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
    json_lines,
    must,
    objects,
    read_json,
)
from roomtour.export.core.records import Problem
from roomtour.export.core.talks.packed_masks import PackedMask, check_masks
from roomtour.export.core.talks.place_rows import check_spot, read_sizes
from roomtour.export.core.turns import Turns, check_turns
from roomtour.export.formats.spatialrgpt.regions import DEPTH, MASK
from roomtour.export.formats.spatialrgpt.write import file_names

_DATA = ("vertical_distance_data", "horizontal_distance_data", "distance_data", "width_data", "height_data")
_WORDS = ("left", "right", "above", "below", "behind", "front", "tall", "short", "wide", "thin", "big", "small")
CATEGORIES = {
    **dict.fromkeys((*_DATA, "direction"), "quantitative"),
    **{f"{word}_{kind}": "qualitative" for word in _WORDS for kind in ("predicate", "choice")},
}
"""Categories that the client's evaluation sorts by, with their type."""


_Box = Annotated[
    list[int],
    Field(min_length=4, max_length=4),
    must(lambda box: 0 <= box[0] < box[2] and 0 <= box[1] < box[3], "x1 < x2 and y1 < y2, none negative"),
]


class _Regions(Row):
    id: Id
    conversations: Turns
    bbox: Annotated[list[_Box], Field(min_length=1)]
    rle: Annotated[list[PackedMask], Field(min_length=1)]


class _Item(_Regions):
    filename: RelativePath


class _Image(Row):
    file_path: RelativePath
    height: Annotated[int, Field(gt=0)]
    width: Annotated[int, Field(gt=0)]


class _Asked(Row):
    type: Literal["qualitative", "quantitative"]
    category: str


class _Bench(_Regions):
    image_info: _Image
    text_q: Text
    qa_info: _Asked


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of the benchmark."""
    return any((path / file_names(split)[3]).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    known: set[Any] = set()
    for split in SPLITS:
        plain, deep, items, lines = file_names(split)
        if split != "train" and not (path / plain).is_file():
            continue
        for name, with_depth in ((plain, False), (deep, True)):
            seen = known if not with_depth else set()
            for row in objects(read_json(path, name, list, problems), name, problems):
                _check_item(row, path, with_depth, seen)
        for row in objects(read_json(path, items, list, problems), items, problems):
            _check_bench(row, path)
        if not (path / lines).is_file():
            problems.append(Problem(lines, None, "file", "a file", "no such file"))
        else:
            for number, record in json_lines(path / lines, problems):
                _check_bench(RowCheck(lines, number, record, problems), path)
    return problems


def _check_item(row: RowCheck, path: Path, with_depth: bool, known: set[Any]) -> None:
    item = row.fit(_Item)
    if item is None:
        return
    row.new("id", item.id, known)
    if item.filename.endswith((".jpg", ".png")):
        row.bad("filename", "a name without its ending, which the trainer appends", item.filename)
    elif not (path / "images" / f"{item.filename}.jpg").is_file():
        row.bad("filename", "a picture that is there", item.filename)
    else:
        (size,) = read_sizes(path / "images", [f"{item.filename}.jpg"])
        for box in item.bbox:
            check_spot(row, "bbox", box, size)
        if size is not None:
            check_masks(row, "rle", item.rle, size)
    if with_depth and not (path / "depths" / f"{item.filename}.png").is_file():
        row.bad("filename", "a depth picture that is there", item.filename)
    _check_regions(row, item, with_depth)


def _check_bench(row: RowCheck, path: Path) -> None:
    item = row.fit(_Bench)
    if item is None:
        return
    _check_regions(row, item, False)
    if CATEGORIES.get(item.qa_info.category) != item.qa_info.type:
        row.bad("qa_info.category", "a category of the benchmark, of its type", item.qa_info.category)
    image = item.image_info
    if not (path / "images" / image.file_path).is_file():
        row.bad("image_info.file_path", "a picture that is there", image.file_path)
    if any(box[2] > image.width or box[3] > image.height for box in item.bbox):
        row.bad("bbox", f"inside {image.width} x {image.height}", item.bbox)
    check_masks(row, "rle", item.rle, (image.width, image.height))
    if MASK in item.text_q:
        row.bad("text_q", "Region [0] and no mark", item.text_q)


def _check_regions(row: RowCheck, item: _Regions, with_depth: bool) -> None:
    check_turns(row, item.conversations, "<image>")
    text = " ".join(turn.value for turn in item.conversations)
    marks, depths = text.count(MASK), text.count(DEPTH)
    if not marks == len(item.bbox) == len(item.rle):
        row.bad("conversations.value", f"{len(item.bbox)} times {MASK}, one for each bbox and rle", f"{marks} times")
    if depths != (marks if with_depth else 0):
        row.bad("conversations.value", f"{marks if with_depth else 0} times {DEPTH}", f"{depths} times")
