"""Pickles of plain values and numpy arrays: any numpy reads them, and they are read without running what they name.

numpy's own pickles name `numpy._core`, which numpy before 1.26 does not have; `numpy.core` is found by old and new.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import numpy as np

from recon.geometry import Array

Plain = dict[str, "Plain"] | list["Plain"] | str | int | float | Array
"""What is written: containers, texts, numbers, and arrays, which become float64."""


def dump_arrays(value: Mapping[str, Plain], path: Path) -> None:
    """Write a dict as a pickle of protocol 3."""
    path.write_bytes(pickle.PROTO + b"\x03" + _whatever(value) + pickle.STOP)


def _whatever(value: Any) -> bytes:
    match value:
        case dict():
            return pickle.EMPTY_DICT + b"".join(
                _text(k) + _whatever(item) + pickle.SETITEM for k, item in value.items()
            )
        case list():
            return pickle.EMPTY_LIST + b"".join(_whatever(item) + pickle.APPEND for item in value)
        case str():
            return _text(value)
        case int():
            return _whole(value)
        case float():
            return pickle.BINFLOAT + struct.pack(">d", value)
        case _:
            return _array(np.ascontiguousarray(value, dtype="<f8"))


def _array(array: Array) -> bytes:
    """What numpy's arrays reduce to: an empty array, then its state (version, shape, type, order, bytes)."""
    empty = _name("numpy.core.multiarray", "_reconstruct") + _name("numpy", "ndarray") + _whole(0) + pickle.TUPLE1
    empty += _bytes(b"b") + pickle.TUPLE3 + pickle.REDUCE
    kind = _name("numpy", "dtype") + _text("f8") + pickle.NEWFALSE + pickle.NEWTRUE + pickle.TUPLE3 + pickle.REDUCE
    byte_order = [_whole(3), _text("<"), pickle.NONE, pickle.NONE, pickle.NONE, _whole(-1), _whole(-1), _whole(0)]
    kind += pickle.MARK + b"".join(byte_order) + pickle.TUPLE + pickle.BUILD
    shape = pickle.MARK + b"".join(_whole(size) for size in array.shape) + pickle.TUPLE
    state = pickle.MARK + _whole(1) + shape + kind + pickle.NEWFALSE + _bytes(array.tobytes()) + pickle.TUPLE
    return empty + state + pickle.BUILD


def _name(module: str, name: str) -> bytes:
    return pickle.GLOBAL + f"{module}\n{name}\n".encode("ascii")


def _text(value: str) -> bytes:
    data = value.encode("utf-8")
    return pickle.BINUNICODE + struct.pack("<I", len(data)) + data


def _bytes(value: bytes) -> bytes:
    return pickle.BINBYTES + struct.pack("<I", len(value)) + value


def _whole(value: int) -> bytes:
    return pickle.BININT + struct.pack("<i", value)


class PickleDictWriter(AbstractContextManager["PickleDictWriter"]):
    """A pickled dict on disk, of which memory holds one value. Plain Python values only.

    The file is pickle protocol 2: PROTO, EMPTY_DICT, then key, value and SETITEM per entry, then STOP. Keys and values
    are pickled without memo references, so their bytes can follow each other.
    """

    def __init__(self, path: Path):
        self._file = path.open("wb")
        self._file.write(pickle.PROTO + b"\x02" + pickle.EMPTY_DICT)

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


class _Reduced:
    """Stands for whatever numpy object a pickle names: keeps what it was to be made of."""

    def __init__(self, *args: Any) -> None:
        self.args = args
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Empty(_Reduced):
    """An array."""


class _Kind(_Reduced):
    """An element type."""


_STANDS_FOR: Mapping[tuple[str, str], type[_Reduced]] = {
    ("numpy.core.multiarray", "_reconstruct"): _Empty,
    ("numpy._core.multiarray", "_reconstruct"): _Empty,
    ("numpy", "ndarray"): _Reduced,
    ("numpy", "dtype"): _Kind,
}


class _ArrayUnpickler(pickle.Unpickler):
    """Gives stand-ins for three names of numpy and refuses all others, so nothing a file names is ever run."""

    def find_class(self, module_name: str, global_name: str, /) -> type[_Reduced]:
        stand_in = _STANDS_FOR.get((module_name, global_name))
        if stand_in is None:
            raise pickle.UnpicklingError(f"the pickle wants to load {module_name}.{global_name}, which is no array")
        return stand_in

    def persistent_load(self, pid: object, /) -> NoReturn:
        raise pickle.UnpicklingError("the pickle refers to data outside the file")


def load_pickle(path: Path) -> dict[Any, Any]:
    """A pickled dict of plain values and arrays, by whatever wrote it; arrays of float32 and float64 only.

    Raises:
        pickle.UnpicklingError: If it is damaged, or holds anything else.
    """
    try:
        with path.open("rb") as file:
            loaded = _ArrayUnpickler(file).load()
        if not isinstance(loaded, dict):
            raise pickle.UnpicklingError(f"holds {type(loaded).__name__}, need a dict")
        return _restore(loaded)
    except (pickle.UnpicklingError, OSError):
        raise
    except Exception as error:  # a damaged pickle raises nearly any exception, from EOFError to KeyError
        raise pickle.UnpicklingError(f"no dict of arrays: {error}") from error


def _restore(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _restore(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_restore, value))
    if not isinstance(value, _Reduced):
        return value
    if not isinstance(value, _Empty):
        raise pickle.UnpicklingError(f"holds {type(value).__name__}, which is neither plain nor an array")
    _, shape, kind, is_fortran, data = value.state
    if not isinstance(kind, _Kind) or kind.args[0] not in ("f4", "f8") or kind.state[1] != "<":
        raise pickle.UnpicklingError("holds an array of something else than float32 or float64")
    array = np.frombuffer(data, dtype=f"<{kind.args[0]}").reshape(shape, order="F" if is_fortran else "C")
    return array.astype(np.float64)
