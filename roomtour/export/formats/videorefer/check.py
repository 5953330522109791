"""Check items for VideoRefer: a film with the frames of its masks, masks of its size, a mark for each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import av
import av.error
from pydantic import Field

from roomtour.export.core.checking import (
    SPLITS,
    Id,
    RelativePath,
    Row,
    RowCheck,
    fit_lists,
)
from roomtour.export.core.records import Problem
from roomtour.export.core.talks.packed_masks import PackedMask, check_masks
from roomtour.export.core.turns import Turns, check_turns
from roomtour.export.core.view_videos import VIDEO_TOKEN
from roomtour.export.formats.videorefer.write import REGION, file_name


class _Item(Row):
    id: Id
    video: Annotated[list[RelativePath], Field(min_length=1, max_length=1)]
    height: int
    width: int
    masks: Annotated[list[Annotated[dict[str, PackedMask], Field(min_length=1)]], Field(min_length=1)]
    conversations: Turns


_Film = tuple[int, int, int]
"""Frames, width and height."""


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of items."""
    return any((path / file_name(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    films: dict[str, _Film | str] = {}
    for row, item in fit_lists(path, file_name, _Item, problems):
        video = item.video[0]
        if video not in films:
            films[video] = _measure(path / video)
        _check_masks(row, item, films[video])
        _check_regions(row, item)
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


def _check_regions(row: RowCheck, item: _Item) -> None:
    check_turns(row, item.conversations, VIDEO_TOKEN)
    masks, named = sum(map(len, item.masks)), sum(turn.value.count(REGION) for turn in item.conversations)
    if named != masks:
        row.bad("conversations.value", f"{masks} times {REGION}, one for each mask", named)
