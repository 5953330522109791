"""Check LLaVA conversations: turns in order, one mark per image, images that are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from roomtour.export.core.checking import SPLITS, Id, RelativePath, Row, RowCheck, Text, objects, read_json
from roomtour.export.core.records import Problem
from roomtour.export.core.talks.place_rows import PlaceRow, check_places, read_sizes
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.regions import RegionTalks
from roomtour.export.formats.llava.write import IMAGE_TOKEN, file_names, several_file_names, video_file_name

_MARKS = {"image": IMAGE_TOKEN, "video": "<video>"}
_BOX = re.compile(r"\[" + ", ".join([r"(-?\d+(?:\.\d+)?)"] * 4) + r"\]")
_Media = Annotated[
    list[RelativePath],
    Field(min_length=1),
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
]


class _Turn(Row):
    speaker: Literal["human", "gpt"] = Field(alias="from")
    value: Text


class _Item(Row):
    id: Id
    image: _Media = Field(default_factory=list)
    video: _Media = Field(default_factory=list)
    conversations: Annotated[list[_Turn], Field(min_length=2)]
    places: list[PlaceRow] = Field(default_factory=list)


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of conversations."""
    return any((path / name).is_file() for split in SPLITS for name in file_names(split))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    known: set[Any] = set()
    for split in SPLITS:
        more = (*several_file_names(split), video_file_name(split))
        for name in (*file_names(split), *more):
            is_optional = split != "train" or name in more
            if is_optional and not (path / name).is_file():
                continue
            kinds: set[type] = set()
            for row in objects(read_json(path, name, list, problems), name, problems):
                item = row.fit(_Item)
                if item is not None:
                    row.new("id", item.id, known)
                    _check_turns(row, item.conversations, *_check_media(row, item, path / "images", kinds))
                    if item.places and item.image:
                        check_places(row, item.places, read_sizes(path / "images", item.image))
                    if name.startswith((RegionTalks.file, SpatialTalks.file)):
                        _check_boxes(row, item.conversations)
    return problems


def _check_boxes(row: RowCheck, turns: list[_Turn]) -> None:
    """Boxes in texts are corners, the lower one last; those with decimals are shares of a picture."""
    for turn in turns:
        for found in _BOX.findall(turn.value):
            x0, y0, x1, y1 = (float(value) for value in found)
            most = 1.0 if any("." in value for value in found) else float("inf")
            if not (0 <= x0 < x1 <= most and 0 <= y0 < y1 <= most):
                row.bad("conversations.value", "boxes [x1, y1, x2, y2], x1 < x2 and y1 < y2, shares to 1", turn.value)


def _check_media(row: RowCheck, item: _Item, folder: Path, kinds: set[type]) -> tuple[str, int]:
    """The mark of the medium and how many there must be."""
    given = [field for field in _MARKS if field in row.record]
    if len(given) != 1:
        row.bad("image", "either image or video", given)
        return IMAGE_TOKEN, 0
    field = given[0]
    kinds.add(type(row.record[field]))
    if len(kinds) > 1:
        row.bad(field, "in all rows of a file one text, or in all a list", row.record[field])
    names = item.image or item.video
    missing = [name for name in names if not (folder / name).is_file()] if folder.is_dir() else []
    if missing:
        row.bad(field, "files that are there", missing)
    is_marked_as_image = field == "video" and not any("<video>" in turn.value for turn in item.conversations)
    return IMAGE_TOKEN if is_marked_as_image else _MARKS[field], len(names)


def _check_turns(row: RowCheck, turns: list[_Turn], mark: str, count: int) -> None:
    marks = 0
    for number, turn in enumerate(turns):
        speaker = ("human", "gpt")[number % 2]
        if turn.speaker != speaker:
            row.bad("conversations.from", f"human and gpt by turns ({speaker} at {number})", turn.speaker)
            continue
        found = turn.value.count(mark)
        if found and speaker == "gpt":
            row.bad("conversations.value", f"no {mark} in an answer", turn.value)
        marks += found
    if len(turns) % 2:
        row.bad("conversations", "an answer last", turns[-1])
    if marks != count:
        row.bad("conversations.value", f"{count} times {mark}, one for each file", f"{marks} times")
