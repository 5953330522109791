"""Check object clouds: every conversation has its cloud of 8192 coloured points, and begins with the mark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from instructions.dialogues.object_clouds import POINTS
from recon.arrays import load_array
from roomtour.export.core.checking import SPLITS, Id, Row, RowCheck, Text, is_relative, objects, read_json
from roomtour.export.core.records import Problem
from roomtour.export.formats.pointllm.write import MARK, file_name


class _Turn(Row):
    speaker: Literal["human", "gpt"] = Field(alias="from")
    value: Text


class _Item(Row):
    object_id: Id
    conversation_type: Literal["simple_description", "single_round"]
    conversations: Annotated[list[_Turn], Field(min_length=2)]


def recognise(path: Path) -> bool:
    """Whether the folder holds a list of objects and their clouds."""
    return (path / file_name("train")).is_file() and (path / "clouds").is_dir()


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    whole: dict[str, str | None] = {}
    for split in SPLITS:
        name = file_name(split)
        if split != "train" and not (path / name).is_file():
            continue
        for row in objects(read_json(path, name, list, problems), name, problems):
            item = row.fit(_Item)
            if item is None:
                continue
            _check_turns(row, item)
            if not is_relative(item.object_id) or "/" in item.object_id:
                row.bad("object_id", "a name without folders", item.object_id)
                continue
            if item.object_id not in whole:
                whole[item.object_id] = _fault(path / "clouds" / f"{item.object_id}_{POINTS}.npy")
            fault = whole[item.object_id]
            if fault is not None:
                row.bad("object_id", f"a cloud, float32 ({POINTS}, 6), colours from 0 to 1", fault)
    return problems


def _check_turns(row: RowCheck, item: _Item) -> None:
    for number, turn in enumerate(item.conversations):
        speaker = ("human", "gpt")[number % 2]
        if turn.speaker != speaker:
            row.bad("conversations.from", f"human and gpt by turns ({speaker} at {number})", turn.speaker)
        has_mark = turn.value.startswith(f"{MARK}\n")
        if has_mark != (number == 0) or turn.value.count(MARK) != int(number == 0):
            row.bad("conversations.value", f"{MARK} and a line break before the first question only", turn.value)
    if len(item.conversations) % 2:
        row.bad("conversations", "an answer last", item.conversations[-1].speaker)


def _fault(file: Path) -> str | None:
    if not file.is_file():
        return "no file"
    try:
        cloud = load_array(file)
    except (OSError, ValueError) as error:
        return str(error)
    if cloud.dtype != np.float32 or cloud.shape != (POINTS, 6):
        return f"{cloud.dtype} {cloud.shape}"
    if not np.isfinite(cloud).all() or cloud[:, 3:].min() < 0 or cloud[:, 3:].max() > 1:
        return "values that are not finite, or colours beyond 0 to 1"
    return None
