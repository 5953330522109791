"""A COLMAP model as bytes: what a task is handed, or gives back, in place of the model itself, which cannot be pickled.

Unpacking gives the same poses, points and ids, but counts on from the highest point id there is. So that results do not
depend on where a task ran, what was packed for it is always unpacked again, also where it never left its process.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pycolmap

from recon.records import SubModel


@dataclass(frozen=True)
class PackedModel:
    """The files of a model in COLMAP's binary format."""

    files: tuple[tuple[str, bytes], ...]

    def unpack(self) -> pycolmap.Reconstruction:
        """A new model."""
        with TemporaryDirectory() as folder:
            for name, content in self.files:
                (Path(folder) / name).write_bytes(content)
            return pycolmap.Reconstruction(folder)


def pack(model: pycolmap.Reconstruction) -> PackedModel:
    """The model as it is now."""
    with TemporaryDirectory() as folder:
        model.write_binary(folder)
        return PackedModel(tuple((path.name, path.read_bytes()) for path in sorted(Path(folder).iterdir())))


@dataclass(frozen=True)
class PackedSubModel:
    """A `SubModel` that can be pickled."""

    name: str
    clips: tuple[str, ...]
    model: PackedModel
    held_by_floor: bool

    def unpack(self) -> SubModel:
        """A new sub-model."""
        return SubModel(self.name, self.clips, self.model.unpack(), self.held_by_floor)


def pack_sub_model(model: SubModel) -> PackedSubModel:
    """The sub-model as it is now."""
    return PackedSubModel(model.name, model.clips, pack(model.reconstruction), model.held_by_floor)
