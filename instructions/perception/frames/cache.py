"""Results of one model on single frames, kept as one small file each, so that a second run looks at nothing twice."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from hashlib import sha256
from io import BytesIO
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


@dataclass(frozen=True)
class Codec(Generic[T]):
    """How one kind of result is kept in a file."""

    suffix: str
    encode: Callable[[T], bytes]
    decode: Callable[[bytes], T]
    """Raises ValueError for damaged bytes."""


def records(kind: Any) -> Codec[Any]:
    """Plain records of a type, as JSON."""
    adapter = TypeAdapter(kind)

    def decode(data: bytes) -> Any:
        try:
            return adapter.validate_json(data)
        except ValidationError as error:
            raise ValueError(f"{error.error_count()} fields do not fit") from error

    return Codec(".json", adapter.dump_json, decode)


def _encode_array(value: NDArray[np.float32]) -> bytes:
    buffer = BytesIO()
    np.savez_compressed(buffer, value=to_half(value))
    return buffer.getvalue()


def _decode_array(data: bytes) -> NDArray[np.float32]:
    (value,) = load_arrays(BytesIO(data), ("value",))
    return value.astype(np.float32)


def _decode_class_map(data: bytes) -> NDArray[np.uint8]:
    value = decode_picture(data, cv2.IMREAD_GRAYSCALE)
    if value is None:
        raise ValueError("no picture")
    return np.asarray(value, dtype=np.uint8)


ARRAYS = Codec(".npz", _encode_array, _decode_array)
"""Arrays, compressed, at half precision: 0.05 % is finer than any of these models."""
CLASS_MAPS = Codec(".png", lambda value: cv2.imencode(".png", value)[1].tobytes(), _decode_class_map)
"""Maps of class ids as gray pictures."""


class FrameCache(Generic[T]):
    """A folder with one file per frame. A file is complete or absent: it is written aside and renamed."""

    def __init__(self, folder: Path, codec: Codec[T]) -> None:
        """Use this folder; it is made with the first write."""
        self.folder = folder
        self._codec = codec

    def path(self, frame: int) -> Path:
        """The file of one frame."""
        return self.folder / f"{frame:06d}{self._codec.suffix}"

    def missing(self, frames: Sequence[int]) -> list[int]:
        """Frames without a result that can be read, in order."""
        return [frame for frame in frames if not self._is_readable(frame)]

    def write(self, frame: int, value: T) -> None:
        """Keep the result of one frame."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.path(frame)
        aside = path.with_name(path.name + ".part")
        aside.write_bytes(self._codec.encode(value))
        aside.replace(path)

    def read(self, frame: int) -> T | None:
        """The result of one frame; None if there is none.

        Raises:
            InstructionError: If the file is damaged.
        """
        path = self.path(frame)
        try:
            return self._codec.decode(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise InstructionError(
                f"{path}: cannot be read ({error}); make it anew with: roomtour check RUN --repair"
            ) from error

    def _is_readable(self, frame: int) -> bool:
        try:
            return self.read(frame) is not None
        except InstructionError:
            return False
