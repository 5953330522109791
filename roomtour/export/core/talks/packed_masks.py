"""Masks in COCO's compressed form as a column of rows, and the rules of that column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from instructions.errors import InstructionError
from instructions.perception.masks import unpack_runs
from roomtour.export.core.checking import Row, RowCheck, Text


class PackedMask(Row):
    """One entry of the column."""

    size: Annotated[list[int], Field(min_length=2, max_length=2)]
    counts: Text


def check_masks(row: RowCheck, field: str, masks: Sequence[PackedMask], size_px: tuple[int, int]) -> None:
    """Each mask has the size of its picture and covers some of it.

    Args:
        row: That has the column.
        field: Its name.
        masks: Its entries.
        size_px: Width and height of the picture.
    """
    for mask in masks:
        if mask.size != [size_px[1], size_px[0]]:
            row.bad(field, f"height and width of the picture, {size_px[1]} and {size_px[0]}", mask.size)
            continue
        try:
            runs = unpack_runs(mask.counts)
        except InstructionError as error:
            row.bad(field, "run lengths in COCO's compressed form", str(error))
            continue
        if sum(runs) != size_px[0] * size_px[1] or min(runs) < 0 or not any(runs[1::2]):
            row.bad(field, "run lengths that cover the picture, some of them ones", mask.counts)
