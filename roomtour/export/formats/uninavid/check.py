"""Check talks for Uni-NaVid by what its loader opens and asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import av
import av.error
from pydantic import Field

from roomtour.export.core.checking import RelativePath, Row, RowCheck, must, split_files
from roomtour.export.core.records import Problem
from roomtour.export.formats.uninavid.write import (
    AHEAD,
    ANNOTATIONS,
    IDENTIFIER,
    IMAGE,
    LEAST_FRAMES,
    NAV_ID,
    VIDEO_FPS,
    VIDEOS,
)


class _Turn(Row):
    said_by: Annotated[Literal["human", "gpt"], Field(alias="from")]
    value: str


class _Talk(Row):
    id: Annotated[str, must(lambda text: NAV_ID in text, f"a text that holds {NAV_ID}")]
    video: RelativePath
    conversations: Annotated[list[_Turn], Field(min_length=2, max_length=2)]


def recognise(path: Path) -> bool:
    """Whether the folder holds videos of navigation beside a list of rows."""
    return any((folder / ANNOTATIONS).is_file() and (folder / VIDEOS).is_dir() for folder in path.glob("*"))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    ids: set[Any] = set()
    faults: dict[Path, str | None] = {}
    for folder, row in split_files(path, ANNOTATIONS, problems):
        talk = row.fit(_Talk)
        if talk is None:
            continue
        row.new("id", talk.id, ids)
        video = folder / talk.video
        if video not in faults:
            faults[video] = _find_fault(video)
        if faults[video] is not None:
            row.bad("video", f"at least {LEAST_FRAMES} frames at {VIDEO_FPS} per second", faults[video])
        _check_talk(row, talk)
    return problems


def _check_talk(row: RowCheck, talk: _Talk) -> None:
    asked, told = talk.conversations
    if (asked.said_by, told.said_by) != ("human", "gpt"):
        row.bad("conversations", "a turn of human, then one of gpt", (asked.said_by, told.said_by))
    if IDENTIFIER not in asked.value or asked.value.count(IMAGE) != 1:
        row.bad("conversations", f"{IDENTIFIER!r} and {IMAGE} once in the question", asked.value)
    *moves, last = told.value.split(" ")
    known = {"forward", "left", "right"}
    if len(moves) >= AHEAD or not known.issuperset(moves) or last not in {*known, "stop"}:
        row.bad("conversations", f"1 to {AHEAD} of forward, left and right, stop only last", told.value)


def _find_fault(path: Path) -> str | None:
    """What keeps a video from being sampled at `VIDEO_FPS`; None for one that is whole."""
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            rate = stream.average_rate
            count = sum(1 for _ in container.decode(stream))
    except (OSError, av.error.FFmpegError, IndexError) as error:
        return f"{path.name} cannot be read: {error}"
    step = round(float(rate or 0) / VIDEO_FPS)
    if step < 1 or -(-count // step) < LEAST_FRAMES:
        return f"{count} at {float(rate or 0):g} per second"
    return None
