"""Plain dataclass records to JSON files and back, checked on the way in, tables, and groups.

Files are written aside and renamed. What is read anybody may have written.
"""

from __future__ import annotations

import csv
import json
import math
import os
import reprlib
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from recon.given_files import describe_unread, read_given_text
from roomtour.errors import RoomtourError

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def parse_json(text: str | bytes, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """One JSON value.

    Args:
        text: A text, or its bytes as UTF-8.
        parse_constant: What to make of NaN and infinity.

    Raises:
        ValueError: If it is no JSON, or nested so deeply that Python cannot hold it.
    """
    try:
        return json.loads(text, parse_constant=parse_constant)
    except RecursionError:
        raise ValueError("nested too deeply to be read") from None


def read_given(path: Path, what: str, most_bytes: float = math.inf) -> str:
    """The text of a file that a person handed in; `what` it is to be, for the error.

    Raises:
        RoomtourError: If it cannot be read, is no text in UTF-8, or is larger than `most_bytes`.
    """
    try:
        if path.stat().st_size > most_bytes:
            raise RoomtourError(f"{path}: holds {path.stat().st_size} bytes, too many for {what}")
        return read_given_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise RoomtourError(f"{path}: cannot be read as {what}: {describe_unread(error)}") from error


def parse_given(text: str, where: str, need: str) -> dict[str, Any]:
    """The JSON object that a person wrote; RoomtourError if it is none, with `where` it stands and what is needed."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RoomtourError(f"{where}: not valid JSON: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(value, dict):
        raise RoomtourError(f"{where}: need {need}")
    return value


def write_text(path: Path, text: str) -> None:
    """Write a whole file so that a reader sees either the old or the new one, even if the process is killed."""
    aside = path.with_name(path.name + ".part")
    with aside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def write_json(path: Path, value: Any) -> None:
    """Write one JSON value, indented for people."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """Read one JSON value.

    Raises:
        RoomtourError: If the file is missing or no JSON.
    """
    try:
        return parse_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RoomtourError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise RoomtourError(f"{path}: not valid JSON: {error}") from error


def to_plain(record: Any, kind: Any) -> Any:
    """A record of type `kind` as plain JSON values."""
    return _adapter(kind).dump_python(record, mode="json")


def from_plain(value: Any, kind: type[T], where: str) -> T:
    """A record of type `kind` from plain JSON values.

    Raises:
        RoomtourError: Naming `where` and the first field that does not fit.
    """
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            again = "if an older version wrote the file, the same roomtour process command makes it anew"
            raise RoomtourError(f"{where}: field {field} is missing; {again}") from error
        raise RoomtourError(
            f"{where}: field {field}: {first['msg'].lower()}, found {reprlib.repr(first['input'])}"
        ) from error


def write_jsonl(path: Path, records: Iterable[T], kind: type[T]) -> int:
    """Write one record per line; returns how many."""
    lines = [json.dumps(to_plain(record, kind), ensure_ascii=False, allow_nan=False) for record in records]
    write_text(path, "".join(line + "\n" for line in lines))
    return len(lines)


def read_jsonl(path: Path, kind: type[T]) -> tuple[T, ...]:
    """Read records written by `write_jsonl`.

    Raises:
        RoomtourError: Naming file, line and field of the first record that does not fit.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RoomtourError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RoomtourError(f"{path}: no text (UTF-8): {error.reason} at byte {error.start}") from error
    out = []
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
        try:
            value = parse_json(line)
        except ValueError as error:
            raise RoomtourError(f"{path}:{number}: not valid JSON: {error}") from error
        out.append(from_plain(value, kind, f"{path}:{number}"))
    return tuple(out)


def read_table(lines: Iterable[str], delimiter: str) -> Iterator[dict[str, str]]:
    """Rows by the names of the first line.

    Args:
        lines: With or without their ends.
        delimiter: Between cells.

    Raises:
        ValueError: If it is no table, or no text.
    """
    csv.field_size_limit(sys.maxsize)  # Python's default is shorter than an embedded picture
    try:
        yield from csv.DictReader(lines, delimiter=delimiter)
    except csv.Error as error:
        raise ValueError(str(error)) from error


def group_by(items: Iterable[T], key: Callable[[T], Key]) -> dict[Key, list[T]]:
    """Items by what `key` says of them, in the order in which the first of each group comes."""
    groups: dict[Key, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def make_table(rows: Sequence[Any], kind: Any) -> pa.Table:
    """One row per record and one column per field; fields that hold records become structs.

    A column whose values have no common type, such as claims of several forms, holds each value as JSON text.
    """
    import pyarrow as pa  # 34 MB, which most commands do without

    plain = [to_plain(row, kind) for row in rows]
    names = list(dict.fromkeys(name for row in plain for name in row))
    return pa.table({name: _make_column([row.get(name) for row in plain]) for name in names})


def _make_column(values: list[Any]) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array(values)
    except pa.ArrowException:
        return pa.array([None if value is None else json.dumps(value, ensure_ascii=False) for value in values])
