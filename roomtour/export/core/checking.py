"""What the checks of several formats share: JSON that is read without trust, and the fields of one row."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeGuard

from roomtour.export.core.records import Problem, shown

SPLITS = ("train", "val")


def is_number(value: object) -> TypeGuard[float]:
    """A finite int or float."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_whole(value: object) -> TypeGuard[int]:
    """An int."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_text(value: object) -> TypeGuard[str]:
    """A string with more than blanks."""
    return isinstance(value, str) and bool(value.strip())


def is_relative(name: str) -> bool:
    """A file name below the folder it is relative to."""
    return bool(name) and not name.startswith("/") and ".." not in name.split("/") and "\\" not in name


def parse_json(text: str) -> Any:
    """JSON without NaN and infinity.

    Raises:
        ValueError: If it is damaged.
    """
    return json.loads(text, parse_constant=_refuse_constant)


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


def json_lines(file: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers from 1 and the objects of a file of JSON lines; anything else in it is a problem."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = parse_json(line)
            except ValueError as error:
                problems.append(Problem(file.name, number, "json", "one JSON object per line", str(error)))
                continue
            if isinstance(record, dict):
                yield number, record
            else:
                problems.append(Problem(file.name, number, "json", "one JSON object per line", shown(record)))


def objects(items: Any, name: str, problems: list[Problem]) -> Iterator[RowCheck]:
    """The objects of a list, rows counted from 1; anything else in it is a problem."""
    for row, item in enumerate(items or (), start=1):
        if isinstance(item, dict):
            yield RowCheck(name, row, item, problems)
        else:
            problems.append(Problem(name, row, "record", "an object", shown(item)))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


class RowCheck:
    """Checks fields of one row. A method gives the value, or None after noting a problem."""

    def __init__(self, file: str, row: int | str | None, record: Mapping[str, Any], problems: list[Problem]):
        self.record = record
        self._file, self._row, self._problems = file, row, problems

    def bad(self, field: str, expected: str, found: object) -> None:
        """Note a problem."""
        self._problems.append(Problem(self._file, self._row, field, expected, shown(found)))

    def text(self, field: str) -> str | None:
        """A text that is not blank."""
        value = self.record.get(field)
        if is_text(value):
            return value
        self.bad(field, "a text", value)
        return None

    def new(self, field: str, known: set[Any]) -> None:
        """A text or whole number that no other row has."""
        value = self.record.get(field)
        if not is_text(value) and not is_whole(value):
            self.bad(field, "a text or a whole number", value)
        elif value in known:
            self.bad(field, "a value no other row has", value)
        else:
            known.add(value)

    def whole(self, field: str, least: int = 0) -> int | None:
        """A whole number."""
        value = self.record.get(field)
        if is_whole(value) and value >= least:
            return value
        self.bad(field, f"a whole number from {least}", value)
        return None

    def number(self, field: str, above: float = -math.inf) -> float | None:
        """A finite number."""
        value = self.record.get(field)
        if is_number(value) and value > above:
            return float(value)
        self.bad(field, "a finite number" if above == -math.inf else f"a number above {above:g}", value)
        return None

    def vector(self, field: str, length: int) -> list[float] | None:
        """A list of finite numbers."""
        value = self.record.get(field)
        if isinstance(value, list) and len(value) == length and all(is_number(v) for v in value):
            return value
        self.bad(field, f"{length} finite numbers", value)
        return None

    def items(self, field: str, least: int = 1, most: float = math.inf) -> list[Any]:
        """A list; empty after a problem."""
        value = self.record.get(field)
        if isinstance(value, list) and least <= len(value) <= most:
            return value
        upper = "" if most == math.inf else f", {most:g} at most"
        self.bad(field, f"a list, at least {least} long{upper}", value)
        return []

    def texts(self, field: str, most: float = math.inf) -> list[str]:
        """A list of texts that are not blank; at least one."""
        values = self.items(field, 1, most)
        if not all(is_text(value) for value in values):
            self.bad(field, "texts", values)
            return []
        return values

    def only(self, known: frozenset[str], why: str) -> None:
        """No field but the known ones."""
        for field in self.record:
            if field not in known:
                self.bad(field, f"no such field, {why}", "it")
