"""Check ways for StreamVLN by what its loader opens, asks for and skips."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from roomtour.export.core.checking import Id, RelativePath, Row, RowCheck, Text, split_files
from roomtour.export.core.records import Problem
from roomtour.export.core.stepped_ways import START
from roomtour.export.formats.streamvln.write import ANNOTATIONS, LEAST_STEPS, RGB


class _Way(Row):
    id: Id
    video: RelativePath
    instructions: Annotated[list[Text], Field(min_length=1)]
    actions: Annotated[list[Literal[-1, 0, 1, 2, 3]], Field(min_length=LEAST_STEPS)]


def recognise(path: Path) -> bool:
    """Whether the folder holds ways with folders of frames."""
    return any((file.parent / "images").is_dir() for file in path.glob(f"*/{ANNOTATIONS}"))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    ids: set[Any] = set()
    for folder, row in split_files(path, ANNOTATIONS, problems):
        way = row.fit(_Way)
        if way is not None:
            row.new("id", way.id, ids)
            _check_way(row, way, folder)
    return problems


def _check_way(row: RowCheck, way: _Way, folder: Path) -> None:
    first, *taken = way.actions
    if first != START:
        row.bad("actions", f"{START} first: the loader drops it", first)
    if not all(action in (1, 2, 3) for action in taken):
        row.bad("actions", "1, 2 or 3 after the first: the loader adds the stop", way.actions)
    found = sorted(file.name for file in (folder / way.video / RGB).glob("*"))
    if len(found) != len(way.actions):
        row.bad("video", f"{len(way.actions)} frames in {way.video}/{RGB}, one per action", len(found))
