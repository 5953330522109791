"""Columns that rows of several formats share, with their rules, and Arrow schemas from the classes of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pyarrow as pa
from pydantic import AfterValidator, Field

from instructions.errors import InstructionError
from instructions.perception.masks import unpack_runs
from recon.pictures import find_picture_size
from roomtour.export.core.checking import Row, RowCheck
from roomtour.export.core.fields import Finite, PictureBytes, Text, Whole, must

Size = tuple[int, int]
"""Width and height in pixels."""


class Turn(Row):
    """One entry of `conversations`, as LLaVA and its descendants have them."""

    speaker: Literal["human", "gpt"] = Field(alias="from")
    value: Text


Turns = Annotated[
    list[Turn],
    Field(min_length=2),
    must(lambda turns: len(turns) % 2 == 0, "an answer last"),
    must(
        lambda turns: [turn.speaker for turn in turns] == ["human", "gpt"] * (len(turns) // 2),
        "human and gpt by turns",
        inside="from",
    ),
]
"""A question and an answer by turns."""


def begin_with(mark: str) -> AfterValidator:
    """The rule that the first question of `Turns`, and no other text, begins with the mark of the medium."""
    return must(
        lambda turns: turns[0].value.startswith(f"{mark}\n") and sum(turn.value.count(mark) for turn in turns) == 1,
        f"{mark} and a line break before the first question only",
        inside="value",
    )


class PackedMask(Row):
    """A mask in COCO's compressed form."""

    size: Annotated[list[int], Field(min_length=2, max_length=2)]
    counts: Text


def _covers(mask: PackedMask) -> bool:
    try:
        runs = unpack_runs(mask.counts)
    except InstructionError:
        return False
    return sum(runs) == mask.size[0] * mask.size[1] and min(runs) >= 0 and any(runs[1::2])


Mask = Annotated[PackedMask, must(_covers, "run lengths in COCO's compressed form that cover the picture, some ones")]


def check_masks(row: RowCheck, field: str, masks: Iterable[PackedMask], size: Size) -> None:
    """Each mask of a column has the size of its picture."""
    for mask in masks:
        if mask.size != [size[1], size[0]]:
            row.bad(field, f"height and width of the picture, {size[1]} and {size[0]}", mask.size)


BoxInPixels = Annotated[
    list[Finite],
    Field(min_length=4, max_length=4),
    must(lambda box: box[0] < box[2] and box[1] < box[3], "corners from the top left to the bottom right"),
]


class PictureCell(Row):
    """A picture inside a table."""

    bytes: PictureBytes
    path: str | None = None


class PlaceRow(Row):
    """What a talk points at: one entry of the column `places`."""

    words: Text
    number: Whole
    picture: Whole
    spot: Annotated[list[Finite], Field(min_length=2, max_length=4)]


_HEAD_BYTES = 1 << 16
"""Of a picture: its size stands in them."""


def find_size(picture: Path) -> Size | None:
    """The size of a picture; None for one that is not there or whose head says none."""
    try:
        with picture.open("rb") as file:
            return find_picture_size(file.read(_HEAD_BYTES))
    except OSError:
        return None


def find_sizes(row: RowCheck, names: Iterable[str], below: str = "") -> list[Size | None]:
    """The sizes of pictures that a row names."""
    return [row.data.once(find_size, row.home / below / name) for name in names]


def check_places(row: RowCheck, places: Sequence[PlaceRow], sizes: Sequence[Size | None]) -> None:
    """Each entry of `places` lies in a picture of its row; a size is None where nobody knows it."""
    for place in places:
        if place.picture >= len(sizes):
            row.bad("places.picture", f"one of {len(sizes)} pictures, from 0", place.picture)
        else:
            check_spot(row, "places.spot", place.spot, sizes[place.picture])


def check_spot(row: RowCheck, field: str, spot: Sequence[float], size: Size | None) -> None:
    """A point or a box is inside its picture, the lower corner last."""
    width, height = size or (float("inf"), float("inf"))
    corners = list(zip(spot[::2], spot[1::2], strict=False))
    is_ordered = len(corners) == 1 or (corners[0][0] < corners[1][0] and corners[0][1] < corners[1][1])
    if len(spot) == 3 or not is_ordered or not all(0 <= x <= width and 0 <= y <= height for x, y in corners):
        row.bad(field, f"a point, or corners in order, inside {width:g} x {height:g}", spot)


def turns_of(texts: Iterable[tuple[str, str]], mark: str = "") -> list[dict[str, Any]]:
    """Questions and answers as `conversations`, the mark of the medium and a line break first."""
    lead = f"{mark}\n" if mark else ""
    flat = [{"from": who, "value": text} for turn in texts for who, text in zip(("human", "gpt"), turn, strict=True)]
    return [{**turn, "value": lead * (place == 0) + turn["value"]} for place, turn in enumerate(flat)]


_PLAIN = {str: pa.string(), int: pa.int64(), float: pa.float64(), bytes: pa.binary()}


def columns_of(kind: type[Row]) -> dict[str, pa.DataType]:
    """Columns of rows of a class in the order of its fields, those of its bases first."""
    return {field.alias or name: type_of(field.annotation) for name, field in kind.model_fields.items()}


def schema_of(kind: type[Row]) -> pa.Schema:
    """Those columns as a schema."""
    return pa.schema(columns_of(kind))


def type_of(annotation: Any) -> pa.DataType:
    """The Arrow type of a field: what may be null is as what it is else."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_of(parts[0])
    if origin is Literal:
        return _PLAIN[type(parts[0])]
    if origin in (Union, UnionType):
        return type_of(next(part for part in parts if part is not type(None)))
    if origin is list:
        return pa.list_(type_of(parts[0]))
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    return pa.struct(columns_of(annotation))
