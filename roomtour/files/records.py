"""Plain dataclass records to JSON files and back, checked on the way in. Files are written aside and renamed."""

from __future__ import annotations

import json
import os
import reprlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from roomtour.errors import RoomtourError
from roomtour.files.json_text import parse_json

T = TypeVar("T")


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


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
