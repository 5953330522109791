"""What the checks of all formats share: a dataset in check, files read without trust, and rows against their schema."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any, ClassVar, NoReturn, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from recon.picture_faults import find_picture_fault
from roomtour.export.core.pickles import load_pickle
from roomtour.export.core.records import Problem, format_value
from roomtour.export.core.streams import BATCH_ROWS
from roomtour.files.records import parse_json as parse_lenient

SPLITS = ("train", "val")
PICTURES = (".jpg", ".jpeg", ".png", ".webp")


class Row(BaseModel):
    """The fields that a row must have, never converted; a format whose clients stop at other fields forbids them."""

    model_config = ConfigDict(strict=True, frozen=True)
    key: ClassVar[str] = "id"
    """A field whose value no two rows of a kind of file share, if the row has it."""

    def check(self, row: RowCheck) -> None:
        """Note what is wrong although each field fits by itself."""


RowT = TypeVar("RowT", bound=Row)
Found = TypeVar("Found")


def parse_json(text: str) -> Any:
    """JSON without NaN and infinity.

    Raises:
        ValueError: If it is damaged.
    """

    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    return parse_lenient(text, refuse)


def check_pictures(folder: Path) -> Iterator[Problem]:
    """Pictures of a dataset that are cut short or cannot be decoded."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in PICTURES and path.is_file()):
        fault = find_picture_fault(path.read_bytes())
        if fault is not None:
            yield Problem(path.relative_to(folder).as_posix(), None, "image", "a whole picture", fault)


class RowCheck:
    """One row: what it must look like, and a place to note what is wrong with it."""

    def __init__(self, data: DatasetCheck, file: str, row: int | str | None, record: Any, split: str = ""):
        self.data, self.record, self.split = data, record, split
        self.home = data.folder / split if split and file.startswith(f"{split}/") else data.folder
        """The folder that its names are relative to: that of its split where there is one."""
        self.file, self.number = file, row

    def bad(self, field: str, expected: str, found: object) -> None:
        """Note a problem."""
        self.data.bad(self.file, field, expected, format_value(found), self.number)

    def need(self, holds: object, field: str, expected: str, found: object) -> None:
        """Note a problem unless something holds."""
        if not holds:
            self.bad(field, expected, found)

    def fit(self, kind: type[RowT]) -> RowT | None:
        """The row as `kind`, or None after noting every field that is missing, of another type or out of bounds."""
        try:
            return kind.model_validate(self.record, context=self)
        except ValidationError as error:
            self.data.problems += misfits(error, self.file, self.number)
            return None

    def fit_class(self, adapter: TypeAdapter[Any], line: str) -> bool:
        """Whether the row, given as its line of JSON, has the fields of a class; noted if not."""
        try:
            adapter.validate_json(line, strict=True)
        except ValidationError as error:
            self.data.problems += misfits(error, self.file, self.number)
            return False
        return True

    def new(self, field: str, value: Hashable, scope: str = "") -> None:
        """Note a problem if another row of the scope has this value."""
        known = self.data.known[scope, field]
        if value in known:
            self.bad(field, "a value no other row has", value)
        known.add(value)

    def one_split(self, tour: str, field: str = "tour") -> None:
        """Note a problem if rows of the tour are in another split too."""
        split = self.data.split_of.setdefault(tour, self.split)
        if split != self.split:
            self.bad(field, f"a tour of {self.split} only, not of {split}", tour)

    def each(self, field: str, values: list[Any], count: int, of: str) -> None:
        """Note a problem if a list has not one value for each of so many things."""
        if len(values) != count:
            self.bad(field, f"{count}, one per {of}", values)


class DatasetCheck:
    """A dataset in check: what is wrong with it, and what the rows that were seen hold."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[Problem] = []
        self.known: dict[tuple[str, str], set[Hashable]] = defaultdict(set)
        """By scope and field, values that rows have."""
        self.split_of: dict[str, str] = {}
        """By tour."""
        self._measured: dict[tuple[object, Path], Any] = {}

    def bad(self, file: str, field: str, expected: str, found: object, row: int | str | None = None) -> None:
        """Note a problem with a file or with one of its rows; a text is told as it is."""
        value = " ".join(found.split())[:200] if isinstance(found, str) else format_value(found)
        self.problems.append(Problem(file, row, field, expected, value))

    def once(self, measure: Callable[[Path], Found], file: Path) -> Found:
        """What a function says of a file, which many rows may name."""
        if (measure, file) not in self._measured:
            self._measured[measure, file] = measure(file)
        return self._measured[measure, file]

    def has_file(self, file: Path) -> bool:
        """Whether a file is there."""
        return self.once(Path.is_file, file)

    def require_file(self, name: str) -> bool:
        """Whether a file is there; noted if not."""
        if not (is_there := self.has_file(self.folder / name)):
            self.bad(name, "file", "a file", "no such file")
        return is_there

    def read_json(self, name: str, kind: type) -> Any:
        """The object or list of a file, or None and a problem."""
        try:
            loaded = parse_json((self.folder / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return self.bad(name, "file", "a file", "no such file")
        except ValueError as error:
            return self.bad(name, "json", "valid JSON", str(error))
        if not isinstance(loaded, kind):
            return self.bad(name, "json", f"a {kind.__name__}", type(loaded).__name__)
        return loaded

    def read_pickle(self, name: str) -> dict[Any, Any] | None:
        """The plain values and arrays of a pickled dict, or None and a problem; nothing that it names is run."""
        try:
            return load_pickle(self.folder / name)
        except OSError:
            return self.bad(name, "file", "a file", "no such file")
        except pickle.UnpicklingError as error:
            return self.bad(name, "pickle", "a dict of plain values and arrays of numbers", str(error))

    def rows(self, name: str, kind: type[RowT], *, optional: bool = False) -> Iterator[tuple[RowCheck, RowT]]:
        """Rows that look like `kind`, after the rules of `kind` were checked; each key and tour as they may be.

        Args:
            name: Of the file, `.json` (a list) or `.jsonl`; `{split}` in it stands for each split, of which `train`
                must be there.
            kind: What a row must be.
            optional: Whether a dataset may go without the file.
        """
        for file, split in self.split_files(name, optional):
            for row in self.records(file, split):
                if (item := self.fit(row, kind, name)) is not None:
                    yield row, item

    def fit(self, row: RowCheck, kind: type[RowT], scope: str = "") -> RowT | None:
        """The row if it looks like `kind`, after the rules of `kind` were checked; its key is new in the scope."""
        key = row.record.get(kind.key) if isinstance(row.record, dict) else None
        if kind.key in kind.model_fields and isinstance(key, str | int):
            row.new(kind.key, str(key), scope)  # whether it fits or not; numbers count as texts
        item = row.fit(kind)
        if item is None:
            return None
        if row.split and "tour" in kind.model_fields:
            row.one_split(item.tour)  # type: ignore[attr-defined]  # one of its fields
        item.check(row)
        return item

    def split_files(self, name: str, optional: bool = False) -> Iterator[tuple[str, str]]:
        """Files of a name and their splits; the split is empty where the name has no place for it."""
        for split in SPLITS if "{split}" in name else ("",):
            file = name.format(split=split)
            is_there = (self.folder / file).is_file()
            is_begun = name.startswith("{split}/") and (self.folder / split).exists()
            if not is_there and (is_begun or (split != "val" and not optional)):
                self.bad(file, "file", "a file", "no such file")
            elif is_there:
                yield file, split

    def records(self, file: str, split: str = "") -> Iterator[RowCheck]:
        """Items of a JSON list, or objects of JSON lines, counted from 1; anything else is a problem."""
        if not file.endswith(".jsonl"):
            yield from self.objects(self.read_json(file, list), file, split)
            return
        expected = "one JSON object per line"
        with (self.folder / file).open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    record = parse_json(line)
                except ValueError as error:
                    self.bad(file, "json", expected, f"no JSON ({error})", number)
                    continue
                if isinstance(record, dict):
                    yield RowCheck(self, file, number, record, split)
                else:
                    self.bad(file, "json", expected, record, number)

    def objects(self, items: Any, file: str, split: str = "") -> Iterator[RowCheck]:
        """The items of a list, rows counted from 1."""
        for number, item in enumerate(items or (), start=1):
            yield RowCheck(self, file, number, item, split)

    def table(self, file: str, schema: pa.Schema, split: str = "", *, exact: bool = True) -> Iterator[RowCheck]:
        """Rows of a parquet file, counted from 1; none where its columns are others.

        Args:
            file: Its name.
            schema: What it must have.
            split: That it belongs to.
            exact: Whether types, order and notes have to be those of the schema too.
        """
        try:
            with pq.ParquetFile(self.folder / file, page_checksum_verification=True) as table:
                columns = table.schema_arrow
                lacking = [name for name in schema.names if name not in columns.names]
                is_same = columns.equals(schema) and (columns.metadata or {}) == (schema.metadata or {})
                if lacking or (exact and not is_same):
                    odd = [f"{field.name}: {field.type}" for field in columns if field not in list(schema)]
                    self.bad(file, "columns", ", ".join(schema.names), lacking or odd or columns.names)
                    return
                number = 0
                for batch in table.iter_batches(batch_size=BATCH_ROWS):
                    for record in batch.to_pylist():
                        number += 1
                        yield RowCheck(self, file, number, record, split)
        except FileNotFoundError:
            self.bad(file, "parquet", "a file", "no such file")
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            self.bad(file, "parquet", "a parquet file", str(error))


def misfits(error: ValidationError, file: str, row: int | str | None) -> Iterator[Problem]:
    """The fields that do not fit, one problem each."""
    for item in error.errors(include_url=False):
        inside = item.get("ctx", {}).get("inside")
        names = [str(part) for part in item["loc"] if not isinstance(part, int)] + ([str(inside)] if inside else [])
        found = "no such field" if item["type"] == "missing" else format_value(item["input"])
        at = f" at {'.'.join(map(str, item['loc']))}" if len(names) < len(item["loc"]) else ""
        yield Problem(file, row, ".".join(names) or "record", _expected(item), found + at)


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
