"""NumPy files that anybody may have made: read without pickle, or one reason why not."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

_FAULTS = (
    ValueError,
    TypeError,
    KeyError,
    EOFError,
    SyntaxError,
    MemoryError,
    OverflowError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    tokenize.TokenError,
)
"""What NumPy, its parser of headers and the archive reader raise over damaged files."""


@contextmanager
def _refuse_damage() -> Iterator[None]:
    """Whatever NumPy raises over a damaged file is a ValueError with one reason."""
    try:
        yield
    except _FAULTS as error:
        text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
        raise ValueError(" ".join(text.split()) or f"damaged ({type(error).__name__})") from error


def load_array(path: Path) -> NDArray[Any]:
    """The array of a `.npy` file.

    Raises:
        OSError: If the file cannot be opened.
        ValueError: If it is no array, is damaged, or would execute what it holds.
    """
    with _refuse_damage():
        array = np.load(path, allow_pickle=False)
        if not isinstance(array, np.ndarray):
            raise ValueError("an archive of arrays, need one array")
        return array


def load_arrays(path: Path | IO[bytes], names: Sequence[str]) -> tuple[NDArray[Any], ...]:
    """The named arrays of a `.npz` file, or of what is read of one, in the order of the names.

    Raises:
        OSError: If the file cannot be opened.
        ValueError: If it is no archive, lacks one of them, is damaged, or would execute what it holds.
    """
    with _refuse_damage(), _open_archive(path) as archive:
        return tuple(np.asarray(archive[name]) for name in names)


def list_arrays(path: Path) -> frozenset[str]:
    """Names of the arrays of a `.npz` file; raises as `load_arrays`."""
    with _refuse_damage(), _open_archive(path) as archive:
        return frozenset(archive.files)


def _open_archive(path: Path | IO[bytes]) -> Any:
    archive = np.load(path, allow_pickle=False)
    if isinstance(archive, np.ndarray):
        raise ValueError("a single array, need an archive of arrays")
    return archive


def to_half(values: NDArray[Any], *, beyond: float | None = None) -> NDArray[np.float16]:
    """An array at half precision.

    Args:
        values: Any shape.
        beyond: What numbers become that are too large for it, 65504 and up; the largest of their sign if not given.
    """
    most = float(np.finfo(np.float16).max)
    held = np.clip(values, -most, most) if beyond is None else np.where(np.abs(values) > most, beyond, values)
    return held.astype(np.float16)
