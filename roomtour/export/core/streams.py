"""JSON arrays and pickled dictionaries written item by item, and a pickle reader that cannot run anything."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn


class JsonArrayWriter:
    """A JSON array on disk, one item per line, of which memory holds one item."""

    def __init__(self, path: Path):
        self._file = path.open("w", encoding="utf-8")
        self._file.write("[")
        self._between = "\n"

    def __enter__(self) -> JsonArrayWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        with self._file:
            if error is None:
                self._file.write("\n]\n")

    def add(self, item: object) -> None:
        """Append one item; NaN and infinity are refused."""
        self._file.write(self._between + json.dumps(item, ensure_ascii=False, allow_nan=False))
        self._between = ",\n"


class PickleDictWriter:
    """A pickled dict on disk, of which memory holds one value. Plain Python values only.

    The file is pickle protocol 2: PROTO, EMPTY_DICT, then key, value and SETITEM per entry, then STOP. Keys and values
    are pickled without memo references, so their bytes can follow each other.
    """

    def __init__(self, path: Path):
        self._file = path.open("wb")
        self._file.write(pickle.PROTO + b"\x02" + pickle.EMPTY_DICT)

    def __enter__(self) -> PickleDictWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        with self._file:
            if error is None:
                self._file.write(pickle.STOP)

    def add(self, key: str, value: object) -> None:
        """Append one entry."""
        self._file.write(_body(key) + _body(value) + pickle.SETITEM)


def _body(value: object) -> bytes:
    """Pickled bytes of a value without the PROTO header (two bytes) and the STOP at the end."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=2)
    pickler.fast = True
    pickler.dump(value)
    return buffer.getvalue()[2:-1]


class _PlainUnpickler(pickle.Unpickler):
    """Reads builtin containers, numbers and strings, which need no lookup of a name.

    Anything that could run code has to look up a class or function through `find_class` first, and that always fails
    here.
    """

    def find_class(self, module_name: str, global_name: str, /) -> NoReturn:
        """Refuse every name."""
        raise pickle.UnpicklingError(f"the pickle wants to load {module_name}.{global_name}, which is not plain data")

    def persistent_load(self, pid: object, /) -> NoReturn:
        """Refuse references to outside the file."""
        raise pickle.UnpicklingError("the pickle refers to data outside the file")


def read_plain_pickle(path: Path) -> Any:
    """Read a pickle that holds dict, list, tuple, int, float, str, bool and None only.

    Raises:
        pickle.UnpicklingError: If it is damaged, or holds anything else.
    """
    try:
        with path.open("rb") as file:
            return _PlainUnpickler(file).load()
    except pickle.UnpicklingError:
        raise
    except OSError:
        raise
    except Exception as error:  # a damaged pickle raises nearly any exception, from EOFError to KeyError
        raise pickle.UnpicklingError(f"damaged pickle: {error}") from error


class JsonLines:
    """JSON lines in files of bounded size, of which memory holds one row: `x.jsonl`, then `x-00001.jsonl`, ..."""

    def __init__(self, path: Path, max_mb: float):
        """The first file is there without rows too; a file is full once it holds `max_mb` (2^20 bytes)."""
        self._path, self._max_bytes = path, max_mb * 2**20
        self._number, self._bytes = 0, 0
        self._file = path.open("wb")

    def __enter__(self) -> JsonLines:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self._file.close()

    def add_all(self, rows: Iterable[object]) -> int:
        """Append rows, NaN and infinity refused; returns how many."""
        count = 0
        for row in rows:
            line = (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
            if self._bytes and self._bytes + len(line) > self._max_bytes:
                self._file.close()
                self._number += 1
                self._file, self._bytes = shard(self._path, self._number).open("wb"), 0
            self._file.write(line)
            self._bytes += len(line)
            count += 1
        return count


def shard(path: Path, number: int) -> Path:
    """The file of a number, counted from 0, of rows that begin in `path`."""
    return path if number == 0 else path.with_name(f"{path.stem}-{number:05d}{path.suffix}")


def shards(path: Path) -> list[Path]:
    """The files that hold the rows that begin in `path`, in order, whether or not `path` is there."""
    return [path, *sorted(path.parent.glob(f"{path.stem}-[0-9][0-9][0-9][0-9][0-9]{path.suffix}"))]


def split_folders(out: Path, splits: Iterable[str]) -> dict[str, Path]:
    """The folder of each split of a dataset whose clients take a folder per split, made here."""
    folders = {split: out / split for split in splits}
    for folder in folders.values():
        folder.mkdir(parents=True)
    return folders
