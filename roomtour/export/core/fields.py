"""What fields of rows hold: rules, columns that several formats share, and Arrow schemas from the classes of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

import numpy as np
import pyarrow as pa
from pydantic import AfterValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from instructions.errors import InstructionError
from instructions.perception.masks import unpack_runs
from recon.picture_faults import find_picture_fault
from recon.pictures import find_picture_size
from roomtour.export.core.checking import Row, RowCheck


def is_number(value: object) -> TypeGuard[float]:
    """A finite int or float."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_matrix(value: object) -> bool:
    """4 x 4 finite numbers, an array or lists."""
    try:
        matrix = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return matrix.shape == (4, 4) and bool(np.isfinite(matrix).all())


def is_pose(value: object) -> bool:
    """A rotation and a place: 4 x 4, right-handed, without scale, the last row 0 0 0 1."""
    if not is_matrix(value):
        return False
    pose = np.asarray(value, dtype=np.float64)
    turn = pose[:3, :3]
    is_turn = np.abs(turn @ turn.T - np.eye(3)).max() <= 1e-6 and np.linalg.det(turn) > 0
    return bool(is_turn and (pose[3] == [0, 0, 0, 1]).all())


def is_pinhole(value: object) -> bool:
    """A 4 x 4 array with focal lengths."""
    return isinstance(value, np.ndarray) and is_matrix(value) and bool(value[0, 0] > 0 and value[1, 1] > 0)


def is_focal_length(focal_px: float, width: int, height: int) -> bool:
    """Of a lens that films rooms: from fisheye to five times the longer side, where the view is 11 degrees wide."""
    return 0.1 <= focal_px / max(width, height) <= 5.0


def is_relative(name: str) -> bool:
    """A file name below the folder it is relative to."""
    return bool(name) and not name.startswith("/") and ".." not in name.split("/") and "\\" not in name


def must(holds: Callable[[Any], bool], expected: str, inside: str = "") -> AfterValidator:
    """A rule on a field, for `Annotated`; `expected` says what fits, `inside` names the part of the field at fault."""

    def require(value: Any) -> Any:
        if not holds(value):
            raise PydanticCustomError("rule", "{expected}", {"expected": expected, "inside": inside})
        return value

    return AfterValidator(require)


def there(below: str = "", suffix: str = "", may_lack: str = "") -> AfterValidator:
    """The rule that a field names a file of the dataset, for `Annotated`.

    Args:
        below: The folder that it is relative to.
        suffix: What the name has behind it on disk.
        may_lack: A folder that a dataset may be without, and then any name is right; empty if there is none.
    """

    def require(name: str, info: ValidationInfo) -> str:
        row: Any = info.context  # the `RowCheck`
        if not row.data.has_file(row.home / below / f"{name}{suffix}") and (
            not may_lack or (row.home / may_lack).is_dir()
        ):
            raise PydanticCustomError("rule", "{expected}", {"expected": "a file that is there"})
        return name

    return AfterValidator(require)


Text = Annotated[str, must(lambda text: bool(text.strip()), "a text that is not blank")]
Id = Annotated[
    Any,
    must(
        lambda value: (isinstance(value, str) and bool(value.strip())) or type(value) is int,
        "a text or a whole number",
    ),
]
RelativePath = Annotated[str, must(is_relative, "a path below the folder")]
Finite = Annotated[float, Field(allow_inf_nan=False)]
PictureBytes = Annotated[bytes, must(lambda data: find_picture_fault(data) is None, "the bytes of a whole picture")]
Whole = Annotated[int, Field(ge=0)]
DIFFERENT = must(lambda values: len(set(values)) == len(values), "values that differ")
Place = Annotated[list[Finite], Field(min_length=3, max_length=3)]
Quaternion = Annotated[
    list[Finite],
    Field(min_length=4, max_length=4),
    must(lambda values: abs(math.hypot(*values) - 1.0) <= 1e-6, "a unit quaternion"),
]

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
