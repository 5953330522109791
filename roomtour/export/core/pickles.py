"""Pickles of plain values and numpy arrays: any numpy reads them, and they are read without running what they name.

numpy's own pickles name `numpy._core`, which numpy before 1.26 does not have; `numpy.core` is found by old and new.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array

Plain = dict[str, "Plain"] | list["Plain"] | str | int | float | Array
"""What is written: containers, texts, numbers, and arrays of float64."""
_ARRAYS_FROM = b"cnumpy._core.multiarray\n_reconstruct\n", b"cnumpy.core.multiarray\n_reconstruct\n"
"""How a pickle begins an array: by numpy from 2.0 on, and before."""


def dump_arrays(value: Mapping[str, Plain], path: Path) -> None:
    """Write a dict as a pickle of protocol 3."""
    path.write_bytes(pickle.dumps(value, protocol=3).replace(*_ARRAYS_FROM))


AddEntry = Callable[[str, object], None]


@contextmanager
def open_pickle(path: Path) -> Iterator[AddEntry]:
    """Write a pickled dict, of which memory holds one value; gives what appends an entry. Plain Python values only.

    The file is pickle protocol 2: PROTO, EMPTY_DICT, then key, value and SETITEM per entry, then STOP. Keys and values
    are pickled without memo references, so their bytes can follow each other.
    """
    with path.open("wb") as file:
        file.write(pickle.PROTO + b"\x02" + pickle.EMPTY_DICT)

        def add(key: str, value: object) -> None:
            file.write(_body(key) + _body(value) + pickle.SETITEM)

        yield add
        file.write(pickle.STOP)


def _body(value: object) -> bytes:
    """Pickled bytes of a value without the PROTO header (two bytes) and the STOP at the end."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=2)
    pickler.fast = True
    pickler.dump(value)
    return buffer.getvalue()[2:-1]


def _begin_array(*_: object) -> NDArray[Any]:
    """An array that its state fills; without one its type gives it away."""
    return np.empty(0, dtype=np.bool_)


def _begin_type(name: str, *_: object) -> np.dtype[Any]:
    if name not in ("f4", "f8"):
        raise pickle.UnpicklingError("holds an array of something else than float32 or float64")
    return np.dtype(name, copy=True)


_STANDS_FOR: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("numpy.core.multiarray", "_reconstruct"): _begin_array,
    ("numpy._core.multiarray", "_reconstruct"): _begin_array,
    ("numpy", "ndarray"): _begin_array,
    ("numpy", "dtype"): _begin_type,
}


class _ArrayUnpickler(pickle.Unpickler):
    """Gives functions of ours for three names of numpy and refuses all others, so nothing a file names is ever run."""

    def find_class(self, module_name: str, global_name: str, /) -> Callable[..., Any]:
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
    if isinstance(value, np.dtype) or callable(value):
        raise pickle.UnpicklingError(f"holds {type(value).__name__}, which is neither plain nor an array")
    if isinstance(value, np.ndarray) and value.dtype.kind != "f":
        raise pickle.UnpicklingError("holds an array without content")
    return value.astype(np.float64) if isinstance(value, np.ndarray) else value
