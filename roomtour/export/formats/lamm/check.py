"""Check LAMM's conversations: one medium per file, types the loader knows, human first, nothing that it would cut."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np

from instructions.dialogues.conversation import TASK_TYPES
from recon.arrays import load_array
from roomtour.export.core.checking import SPLITS, Id, Row, RowCheck, is_relative, must, objects, read_json
from roomtour.export.core.records import Problem
from roomtour.export.core.turns import Turns, check_turns
from roomtour.export.formats.lamm.write import MEDIA, LammOptions, estimate_tokens, file_name


class _Item(Row):
    id: Id
    task_type: Annotated[str, must(lambda name: name in TASK_TYPES, f"one of {', '.join(TASK_TYPES)}")]
    conversations: Turns


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of conversations and system messages."""
    return (path / "system").is_dir() and any((path / file_name(medium, "train")).is_file() for medium in MEDIA)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    known: set[Any] = set()
    facts = read_json(path, "export.json", dict, []) if (path / "export.json").is_file() else None
    most = (facts or {}).get("options", {}).get("max_tokens", LammOptions.max_tokens)
    for name in TASK_TYPES:
        file = path / "system" / f"{name}.txt"
        if not file.is_file() or not file.read_bytes().strip():
            problems.append(Problem(f"system/{name}.txt", None, "file", "a system message", "none"))
    for split in SPLITS:
        for medium in MEDIA:
            name = file_name(medium, split)
            if split != "train" and not (path / name).is_file():
                continue
            for row in objects(read_json(path, name, list, problems), name, problems):
                item = row.fit(_Item)
                if item is None:
                    continue
                row.new("id", item.id, known)
                _check_medium(row, medium, path)
                _check_turns(row, item, most)
    return problems


def _check_medium(row: RowCheck, medium: str, folder: Path) -> None:
    keys = [key for key in MEDIA if key in row.record]
    if keys != [medium]:
        row.bad(medium, f"only the key {medium} in this file: the loader skips other rows in silence", keys)
        return
    name = row.record[medium]
    if not isinstance(name, str) or not is_relative(name):
        row.bad(medium, "a path below the folder", name)
    elif not (folder / name).is_file():
        row.bad(medium, "a file that is there", name)
    elif medium == "pcl":
        try:
            cloud = load_array(folder / name)
        except (OSError, ValueError) as error:
            row.bad(medium, "an array without pickle", error)
            return
        if cloud.dtype != np.float32 or cloud.ndim != 2 or cloud.shape[1] != 6:
            row.bad(medium, "float32 (N, 6)", f"{cloud.dtype} {cloud.shape}")


def _check_turns(row: RowCheck, item: _Item, most: int) -> None:
    check_turns(row, item.conversations)
    said = [turn.value for turn in item.conversations]
    marked = next((text for text in said if "<image>" in text or "###" in text), None)
    if marked is not None:
        row.bad("conversations.value", "no <image> and no ###: the loader puts its own marks", marked)
    tokens = estimate_tokens(zip(said[::2], said[1::2], strict=False))
    if tokens > most:
        row.bad("conversations", f"at most {most} tokens, the rest is cut off", tokens)
