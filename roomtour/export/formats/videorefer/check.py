"""Check items for VideoRefer: a film with the frames of its masks, masks of its size, a mark for each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import av
import av.error
from pydantic import Field

from roomtour.export.core.checking import (
    SPLITS,
    Id,
    RelativePath,
    Row,
    RowCheck,
    Text,
    objects,
    read_json,
)
from roomtour.export.core.records import Problem
from roomtour.export.core.talks.packed_masks import PackedMask, check_masks
from roomtour.export.core.view_videos import VIDEO_TOKEN
from roomtour.export.formats.videorefer.write import REGION, file_name


class _Turn(Row):
    speaker: Literal["human", "gpt"] = Field(alias="from")
    value: Text


class _Item(Row):
    id: Id
    video: Annotated[list[RelativePath], Field(min_length=1, max_length=1)]
    height: int
    width: int
    masks: Annotated[list[Annotated[dict[str, PackedMask], Field(min_length=1)]], Field(min_length=1)]
    conversations: Annotated[list[_Turn], Field(min_length=2)]


_Film = tuple[int, int, int]
"""Frames, width and height."""


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of items."""
    return any((path / file_name(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    known: set[Any] = set()
    films: dict[str, _Film | str] = {}
    for split in SPLITS:
        name = file_name(split)
        if split != "train" and not (path / name).is_file():
            continue
        for row in objects(read_json(path, name, list, problems), name, problems):
            item = row.fit(_Item)
            if item is None:
                continue
            row.new("id", item.id, known)
            video = item.video[0]
            if video not in films:
                films[video] = _measure(path / video)
            _check_masks(row, item, films[video])
            _check_turns(row, item)
    return problems


def _measure(path: Path) -> _Film | str:
    """The frames of a film and their size, or why it cannot be read."""
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            return sum(1 for _ in container.decode(stream)), stream.width, stream.height
    except (OSError, av.error.FFmpegError, IndexError) as error:
        return str(error)


def _check_masks(row: RowCheck, item: _Item, film: _Film | str) -> None:
    if isinstance(film, str):
        return row.bad("video", "a film that can be read", film)
    frames, width, height = film
    if (item.width, item.height) != (width, height):
        row.bad("height", f"the size of the film, {width}x{height}", f"{item.width}x{item.height}")
    strange = [number for masks in item.masks for number in masks if not number.isdecimal() or int(number) >= frames]
    if strange:
        row.bad("masks", f"numbers of frames from 0 to {frames - 1}", strange)
    return check_masks(row, "masks", [mask for masks in item.masks for mask in masks.values()], (width, height))


def _check_turns(row: RowCheck, item: _Item) -> None:
    speakers = [turn.speaker for turn in item.conversations]
    if speakers != ["human", "gpt"] * (len(speakers) // 2):
        row.bad("conversations.from", "human and gpt by turns", speakers)
    masks = sum(map(len, item.masks))
    asked = "".join(turn.value for turn in item.conversations)
    if asked.count(REGION) != masks:
        row.bad("conversations.value", f"{masks} times {REGION}, one for each mask", asked.count(REGION))
    if item.conversations[0].value.count(VIDEO_TOKEN) != 1 or asked.count(VIDEO_TOKEN) != 1:
        row.bad("conversations.value", f"one {VIDEO_TOKEN}, in the first question", item.conversations[0].value)
