"""Check LLaVA conversations: turns in order, one mark per image, images that are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roomtour.export.core.checking import SPLITS, RowCheck, is_relative, is_text, objects, read_json
from roomtour.export.core.records import Problem
from roomtour.export.formats.llava.write import IMAGE_TOKEN, file_names

_MARKS = {"image": IMAGE_TOKEN, "video": "<video>"}


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of conversations."""
    return any((path / name).is_file() for split in SPLITS for name in file_names(split))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    known: set[Any] = set()
    for split in SPLITS:
        for name in file_names(split):
            if split != "train" and not (path / name).is_file():
                continue
            kinds: set[type] = set()
            for row in objects(read_json(path, name, list, problems), name, problems):
                row.new("id", known)
                _check_turns(row, _check_media(row, path / "images", kinds))
    return problems


def _check_media(row: RowCheck, folder: Path, kinds: set[type]) -> tuple[str, int]:
    """The mark of the medium and how many there must be."""
    given = [field for field in _MARKS if field in row.record]
    if len(given) != 1:
        row.bad("image", "either image or video", given)
        return IMAGE_TOKEN, 0
    field = given[0]
    value = row.record[field]
    kinds.add(type(value))
    if len(kinds) > 1:
        row.bad(field, "in all rows of a file one text, or in all a list", value)
    names = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(name, str) and is_relative(name) for name in names):
        row.bad(field, "file names relative to images/", value)
    elif folder.is_dir():
        missing = [name for name in names if not (folder / name).is_file()]
        if missing:
            row.bad(field, "files that are there", missing)
    return _MARKS[field], len(names)


def _check_turns(row: RowCheck, media: tuple[str, int]) -> None:
    mark, count = media
    turns = row.items("conversations", 2)
    marks = 0
    for number, turn in enumerate(turns):
        speaker = ("human", "gpt")[number % 2]
        if not isinstance(turn, dict) or turn.get("from") != speaker:
            row.bad("conversations.from", f"human and gpt by turns ({speaker} at {number})", turn)
            continue
        value = turn.get("value")
        if not is_text(value):
            row.bad("conversations.value", "a text", value)
            continue
        found = value.count(mark)
        if found and speaker == "gpt":
            row.bad("conversations.value", f"no {mark} in an answer", value)
        marks += found
    if turns and len(turns) % 2:
        row.bad("conversations", "an answer last", turns[-1])
    if turns and marks != count:
        row.bad("conversations.value", f"{count} times {mark}, one for each file", f"{marks} times")
