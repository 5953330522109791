"""COLMAP models as bytes: what a task is handed, or gives back, in place of models, of which pycolmap has no pickles.

Unpacking gives the same poses, points and ids, but counts on from the highest point id there is. So that results do not
depend on where a task ran, what was packed for it is always unpacked again, also where it never left its process.
"""

from __future__ import annotations

import copyreg
import pickle
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar

import pycolmap

Item = TypeVar("Item")


@dataclass(frozen=True)
class Packed(Generic[Item]):
    """Whatever holds models, as it was."""

    data: bytes
    """Made by `pack` for another task of the same run, never read from a file: unpacking runs what it says."""

    def unpack(self) -> Item:
        """A new one."""
        return pickle.loads(self.data)


def pack(item: Item) -> Packed[Item]:
    """The item as it is now."""
    return Packed(pickle.dumps(item))


def _read(files: dict[str, bytes]) -> pycolmap.Reconstruction:
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        return pycolmap.Reconstruction(folder)


def _reduce(model: pycolmap.Reconstruction) -> tuple:
    with TemporaryDirectory() as folder:
        model.write_binary(folder)
        return _read, ({path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())},)


copyreg.pickle(pycolmap.Reconstruction, _reduce)  # pyright: ignore[reportArgumentType]
