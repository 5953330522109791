"""Results of one model on single frames, kept as one small file each, so that a second run looks at nothing twice."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from instructions.errors import InstructionError
from recon.arrays import load_arrays, to_half
from recon.pictures import decode_picture

T = TypeVar("T")


def cache_key(*made_by: object) -> str:
    """Name a set of results by what made them: model, revision, options, input. 16 hex digits."""
    return sha256(json.dumps(made_by, sort_keys=True, default=_plain).encode()).hexdigest()[:16]


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return os.fspath(value)  # type: ignore[arg-type]  # json hands over only what it does not know


class FrameCache(ABC, Generic[T]):
    """A folder with one file per frame. A file is complete or absent: it is written aside and renamed."""

    suffix = ""

    def __init__(self, folder: Path) -> None:
        """Use this folder; it is made with the first write."""
        self.folder = folder

    def path(self, frame: int) -> Path:
        """The file of one frame."""
        return self.folder / f"{frame:06d}{self.suffix}"

    def missing(self, frames: Sequence[int]) -> list[int]:
        """Frames without a result that can be read, in order."""
        return [frame for frame in frames if not self._is_readable(frame)]

    def write(self, frame: int, value: T) -> None:
        """Keep the result of one frame."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.path(frame)
        aside = path.with_name(path.name + ".part")
        self._save(aside, value)
        aside.replace(path)

    def read(self, frame: int) -> T | None:
        """The result of one frame; None if there is none.

        Raises:
            InstructionError: If the file is damaged.
        """
        path = self.path(frame)
        try:
            return self._load(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise InstructionError(
                f"{path}: cannot be read ({error}); make it anew with: roomtour check RUN --repair"
            ) from error

    def _is_readable(self, frame: int) -> bool:
        try:
            self._load(self.path(frame))
        except (OSError, ValueError):
            return False
        return True

    @abstractmethod
    def _save(self, path: Path, value: T) -> None: ...

    @abstractmethod
    def _load(self, path: Path) -> T: ...


class RecordCache(FrameCache[T]):
    """Plain records as JSON."""

    suffix = ".json"

    def __init__(self, folder: Path, kind: Any) -> None:
        """Use this folder for records of this type."""
        super().__init__(folder)
        self._adapter: TypeAdapter[T] = TypeAdapter(kind)

    def _save(self, path: Path, value: T) -> None:
        path.write_bytes(self._adapter.dump_json(value))

    def _load(self, path: Path) -> T:
        try:
            return self._adapter.validate_json(path.read_bytes())
        except ValidationError as error:
            raise ValueError(f"{error.error_count()} fields do not fit") from error


class ArrayCache(FrameCache[NDArray[np.float32]]):
    """Arrays, compressed, at half precision: 0.05 % is finer than any of these models."""

    suffix = ".npz"

    def _save(self, path: Path, value: NDArray[np.float32]) -> None:
        with path.open("wb") as file:
            np.savez_compressed(file, value=to_half(value))

    def _load(self, path: Path) -> NDArray[np.float32]:
        (value,) = load_arrays(path, ("value",))
        return value.astype(np.float32)


class ClassMapCache(FrameCache[NDArray[np.uint8]]):
    """Maps of class ids as grey pictures."""

    suffix = ".png"

    def _save(self, path: Path, value: NDArray[np.uint8]) -> None:
        _, encoded = cv2.imencode(".png", value)
        path.write_bytes(encoded.tobytes())

    def _load(self, path: Path) -> NDArray[np.uint8]:
        value = decode_picture(path.read_bytes(), cv2.IMREAD_GRAYSCALE)
        if value is None:
            raise ValueError("no picture")
        return np.asarray(value, dtype=np.uint8)
