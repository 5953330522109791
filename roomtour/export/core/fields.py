"""The rules on what fields of rows hold."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, TypeGuard

import numpy as np
from pydantic import AfterValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from recon.picture_faults import find_picture_fault


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
PICTURES = (".jpg", ".jpeg", ".png", ".webp")
PictureBytes = Annotated[bytes, must(lambda data: find_picture_fault(data) is None, "the bytes of a whole picture")]
Whole = Annotated[int, Field(ge=0)]
DIFFERENT = must(lambda values: len(set(values)) == len(values), "values that differ")
Place = Annotated[list[Finite], Field(min_length=3, max_length=3)]
Quaternion = Annotated[
    list[Finite],
    Field(min_length=4, max_length=4),
    must(lambda values: abs(math.hypot(*values) - 1.0) <= 1e-6, "a unit quaternion"),
]
