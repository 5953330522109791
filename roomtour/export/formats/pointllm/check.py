"""Check object clouds: every conversation has its cloud of 8192 coloured points, and begins with the mark."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from instructions.dialogues.object_clouds import POINTS
from recon.arrays import load_array
from roomtour.export.core.checking import Id, Row, fit_lists, is_relative
from roomtour.export.core.records import Problem
from roomtour.export.core.turns import Turns, check_turns
from roomtour.export.formats.pointllm.write import MARK, file_name


class _Item(Row):
    object_id: Id
    conversation_type: Literal["simple_description", "single_round"]
    conversations: Turns


def recognise(path: Path) -> bool:
    """Whether the folder holds a list of objects and their clouds."""
    return (path / file_name("train")).is_file() and (path / "clouds").is_dir()


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    whole: dict[str, str | None] = {}
    for row, item in fit_lists(path, file_name, _Item, problems):
        check_turns(row, item.conversations, MARK)
        if not is_relative(item.object_id) or "/" in item.object_id:
            row.bad("object_id", "a name without folders", item.object_id)
            continue
        if item.object_id not in whole:
            whole[item.object_id] = _fault(path / "clouds" / f"{item.object_id}_{POINTS}.npy")
        fault = whole[item.object_id]
        if fault is not None:
            row.bad("object_id", f"a cloud, float32 ({POINTS}, 6), colours from 0 to 1", fault)
    return problems


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
