"""What the checks of several formats share: JSON that is read without trust, and rows against a pydantic model."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeGuard, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from recon.picture_faults import find_picture_fault
from roomtour.export.core.records import Problem, format_value
from roomtour.files import json_text

SPLITS = ("train", "val")


class Row(BaseModel):
    """The fields that a row must have, never converted; a format whose clients stop at other fields forbids them."""

    model_config = ConfigDict(strict=True, frozen=True)


RowT = TypeVar("RowT", bound=Row)


def is_number(value: object) -> TypeGuard[float]:
    """A finite int or float."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_focal_length(focal_px: float, width: int, height: int) -> bool:
    """Of a lens that films rooms: from fisheye to five times the longer side, where the view is 11 degrees wide."""
    return 0.1 <= focal_px / max(width, height) <= 5.0


def is_relative(name: str) -> bool:
    """A file name below the folder it is relative to."""
    return bool(name) and not name.startswith("/") and ".." not in name.split("/") and "\\" not in name


def must(holds: Callable[[Any], bool], expected: str) -> AfterValidator:
    """A rule on a field, for `Annotated`; `expected` says what fits."""

    def require(value: Any) -> Any:
        if not holds(value):
            raise PydanticCustomError("rule", "{expected}", {"expected": expected})
        return value

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
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0)]
PICTURES = (".jpg", ".jpeg", ".png", ".webp")
PictureBytes = Annotated[bytes, must(lambda data: find_picture_fault(data) is None, "the bytes of a whole picture")]
Whole = Annotated[int, Field(ge=0)]
Place = Annotated[list[Finite], Field(min_length=3, max_length=3)]
Quaternion = Annotated[
    list[Finite],
    Field(min_length=4, max_length=4),
    must(lambda values: abs(math.hypot(*values) - 1.0) <= 1e-6, "a unit quaternion"),
]


def parse_json(text: str) -> Any:
    """JSON without NaN and infinity.

    Raises:
        ValueError: If it is damaged.
    """
    return json_text.parse_json(text, _refuse_constant)


def read_json(folder: Path, name: str, kind: type, problems: list[Problem]) -> Any:
    """The object or list of a file, or None and a problem."""
    try:
        loaded = parse_json((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        problems.append(Problem(name, None, "file", "a file", "no such file"))
        return None
    except ValueError as error:
        problems.append(Problem(name, None, "json", "valid JSON", str(error)))
        return None
    if not isinstance(loaded, kind):
        problems.append(Problem(name, None, "json", f"a {kind.__name__}", type(loaded).__name__))
        return None
    return loaded


def check_pictures(folder: Path) -> Iterator[Problem]:
    """Pictures of a dataset that are cut short or cannot be decoded."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in PICTURES and path.is_file()):
        fault = find_picture_fault(path.read_bytes())
        if fault is not None:
            yield Problem(path.relative_to(folder).as_posix(), None, "image", "a whole picture", fault)


def json_lines(file: Path, problems: list[Problem], name: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers from 1 and the objects of a file of JSON lines; anything else in it is a problem.

    Args:
        file: To read.
        problems: Where to note what is wrong.
        name: What the file is called there; its own name if empty.
    """
    name = name or file.name
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = parse_json(line)
            except ValueError as error:
                problems.append(Problem(name, number, "json", "one JSON object per line", f"no JSON ({error})"))
                continue
            if isinstance(record, dict):
                yield number, record
            else:
                problems.append(Problem(name, number, "json", "one JSON object per line", format_value(record)))


class RowCheck:
    """One row: what it must look like, and a place to note what is wrong with it."""

    def __init__(self, file: str, row: int | str | None, record: Any, problems: list[Problem]):
        self.record = record
        self._file, self._row, self._problems = file, row, problems

    def bad(self, field: str, expected: str, found: object) -> None:
        """Note a problem."""
        self._problems.append(Problem(self._file, self._row, field, expected, format_value(found)))

    def fit(self, kind: type[RowT], depth: int | None = None, root: str = "record") -> RowT | None:
        """The row as `kind`, or None after noting every field that is missing, of another type or out of bounds.

        How the fields of a row go together is judged for rows that fit only; `register` works for any.

        Args:
            kind: What a row must be.
            depth: Parts of a nested name that name the field, all by default; what lies deeper is told in the
                expectation.
            root: What the row as a whole is called.
        """
        try:
            return kind.model_validate(self.record)
        except ValidationError as error:
            self._problems += misfits(error, self._file, self._row, depth, root)
            return None

    def register(self, field: str, known: set[Any]) -> None:
        """Note a problem if an earlier row has this value in this field, fit or not; numbers count as texts."""
        value = self.record.get(field) if isinstance(self.record, dict) else None
        if isinstance(value, str | int):
            self.new(field, str(value), known)

    def new(self, field: str, value: Hashable, known: set[Any]) -> None:
        """Note a problem if another row has this value."""
        if value in known:
            self.bad(field, "a value no other row has", value)
        known.add(value)


def objects(items: Any, name: str, problems: list[Problem]) -> Iterator[RowCheck]:
    """The items of a list, rows counted from 1."""
    for row, item in enumerate(items or (), start=1):
        yield RowCheck(name, row, item, problems)


def fit_splits(
    path: Path, file_name: Callable[[str], str], kind: type[RowT], problems: list[Problem]
) -> Iterator[tuple[str, RowCheck, RowT]]:
    """Rows of the JSON lines of every split that look like `kind`, each with its split; no id may come twice.

    Args:
        path: The dataset.
        file_name: Of the file of a split; that of `train` must be there.
        kind: With a field `id`.
        problems: Where to note what is wrong.
    """
    known: set[Any] = set()
    for split in SPLITS:
        file = path / file_name(split)
        if not file.is_file():
            if split == "train":
                problems.append(Problem(file.name, None, "file", "a file of rows", "no such file"))
            continue
        for number, record in json_lines(file, problems):
            row = RowCheck(file.name, number, record, problems)
            item = row.fit(kind)
            if item is not None:
                row.new("id", record["id"], known)
                yield split, row, item


def fit_lists(
    path: Path, file_name: Callable[[str], str], kind: type[RowT], problems: list[Problem]
) -> Iterator[tuple[RowCheck, RowT]]:
    """Items of the JSON list of every split that look like `kind`; an `id`, where they have one, may not come twice."""
    known: set[Any] = set()
    for split in SPLITS:
        name = file_name(split)
        if split == "train" or (path / name).is_file():
            for row in objects(read_json(path, name, list, problems), name, problems):
                item = row.fit(kind)
                if item is not None:
                    if "id" in kind.model_fields:
                        row.new("id", row.record["id"], known)
                    yield row, item


def split_files(path: Path, name: str, problems: list[Problem]) -> Iterator[tuple[Path, RowCheck]]:
    """Items of the lists of this name in the folder of each split, with that folder; `train` must be there."""
    for split in SPLITS:
        file = f"{split}/{name}"
        if split == "train" or (path / split).exists():
            for row in objects(read_json(path, file, list, problems), file, problems):
                yield path / split, row


def misfits(
    error: ValidationError, file: str, row: int | str | None, depth: int | None = None, root: str = "record"
) -> Iterator[Problem]:
    """The fields that do not fit, one problem each, as `RowCheck.fit` names them."""
    for item in error.errors(include_url=False):
        names = [str(part) for part in item["loc"] if not isinstance(part, int)]
        inside = "" if depth is None else ".".join(names[depth:])
        expected = (f"{inside}: " if inside else "") + _expected(item)
        found = "no such field" if item["type"] == "missing" else format_value(item["input"])
        at = f" at {'.'.join(map(str, item['loc']))}" if len(names) < len(item["loc"]) else ""
        yield Problem(file, row, ".".join(names[:depth]) or root, expected, found + at)


_EXPECTED = {
    "missing": "a value",
    "model_type": "an object",
    "dataclass_type": "an object",
    "extra_forbidden": "no such field, clients stop at it",
    "too_short": "at least {min_length}",
    "too_long": "at most {max_length}",
}


def _expected(item: ErrorDetails) -> str:
    if item["type"] == "rule":  # our own words
        return item["msg"]
    named = _EXPECTED.get(item["type"])
    if named is None:
        message = item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
        return message[:1].lower() + message[1:]
    return named.format_map(item.get("ctx", {}))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
