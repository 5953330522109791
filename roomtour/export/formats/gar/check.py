"""Check items for Grasp Any Region: masks of their pictures, marks the loader knows, an answer for each caption."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field

from recon.pictures import find_picture_size
from roomtour.export.core.checking import (
    SPLITS,
    Id,
    RelativePath,
    Row,
    RowCheck,
    fit_lists,
    must,
)
from roomtour.export.core.records import Problem
from roomtour.export.core.talks.packed_masks import PackedMask, check_masks
from roomtour.export.core.turns import Turns, check_turns
from roomtour.export.formats.gar.write import MOST_CAPTIONS, MOST_PROMPTS, ROOT, file_name

_MARK = re.compile(r"<Prompt(\d+)>")
_LEAST_SIDE_PX = 10
"""The loader leaves smaller pictures out."""


class _Item(Row):
    id: Id
    image: Annotated[
        RelativePath, must(lambda name: name.startswith(f"{ROOT}/images/"), f"a path below {ROOT}/images/")
    ]
    mask_rle: Annotated[list[PackedMask], Field(min_length=1, max_length=MOST_PROMPTS)]
    conversations: Turns


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of items."""
    return any((path / file_name(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    for row, item in fit_lists(path, file_name, _Item, problems):
        _check_item(row, item, path / item.image.removeprefix(f"{ROOT}/"))
    return problems


def _check_item(row: RowCheck, item: _Item, picture: Path) -> None:
    size = find_picture_size(picture.read_bytes()) if picture.is_file() else None
    if size is None or min(size) < _LEAST_SIDE_PX:
        return row.bad("image", f"a picture that is there, {_LEAST_SIDE_PX} pixels at least", item.image)
    check_masks(row, "mask_rle", item.mask_rle, size)
    check_turns(row, item.conversations)
    if any("<image>" in turn.value for turn in item.conversations):
        row.bad("conversations.value", "no <image>: the loader puts the picture first", item.conversations[0].value)
    named = {int(found) for turn in item.conversations for found in _MARK.findall(turn.value)}
    masks = len(item.mask_rle)
    if named and named != set(range(masks)):
        row.bad("conversations.value", f"<Prompt0> to <Prompt{masks - 1}>, one for each mask", sorted(named))
    if not named and not masks == len(item.conversations) // 2 <= MOST_CAPTIONS:
        row.bad(
            "conversations",
            f"an answer for each of {masks} masks, {MOST_CAPTIONS} at most",
            len(item.conversations) // 2,
        )
    return None
