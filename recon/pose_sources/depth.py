"""Depth that a tool wrote beside its poses, brought to the frames of the tour; OpenEXR pictures of one channel."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recon.arrays import load_arrays
from recon.errors import ReconError, first_line
from recon.given_files import list_files

_MAGIC = b"\x76\x2f\x31\x01"
_LINES_PER_BLOCK = {0: 1, 2: 1, 3: 16}  # By compression: none, ZIP of single lines, ZIP of 16
_PIXELS = {1: "<f2", 2: "<f4"}  # By type of the channel
_OTHER_LAYOUT = 0x1A00  # Bits of the version field: tiles, deep data, several parts
_MOST_PIXELS = 1 << 26  # A damaged header shall not take all memory; eight times a 4K picture


def decode_exr(data: bytes) -> NDArray[np.float32]:
    """The only channel of a picture: (height, width).

    Raises:
        ValueError: If it is damaged, or stored in a way that depth is not.
    """
    try:
        return _decode(data)
    except (IndexError, KeyError, OverflowError, struct.error, zlib.error) as error:
        raise ValueError(f"damaged OpenEXR ({type(error).__name__})") from error


def _decode(data: bytes) -> NDArray[np.float32]:
    if data[:4] != _MAGIC or struct.unpack_from("<I", data, 4)[0] & _OTHER_LAYOUT:
        raise ValueError("no OpenEXR of scan lines")
    held, at = _read_header(data)
    channels, compression = held["channels"], held["compression"][0]
    name, _, rest = channels.partition(b"\0")
    kind = struct.unpack_from("<i", rest)[0]
    if kind not in _PIXELS or rest[16:] != b"\0" or compression not in _LINES_PER_BLOCK:
        raise ValueError(
            f"OpenEXR with channel {name.decode(errors='replace')!r} of kind {kind}, compression {compression}; need "
            "one channel of floats, whole or ZIP"
        )
    left, top, right, bottom = struct.unpack("<4i", held["dataWindow"])
    width, height = right - left + 1, bottom - top + 1
    if not (width > 0 and height > 0 and width * height <= _MOST_PIXELS):
        raise ValueError(f"OpenEXR of {width} x {height} pixels")
    lines, pixel = _LINES_PER_BLOCK[compression], np.dtype(_PIXELS[kind])
    picture = np.full((height, width), np.nan, np.float32)
    for offset in struct.unpack_from(f"<{-(-height // lines)}Q", data, at):
        y, size = struct.unpack_from("<2i", data, offset)
        block, rows = data[offset + 8 : offset + 8 + size], picture[y - top : y - top + lines]
        if size != rows.size * pixel.itemsize:
            block = _undo_zip(block, rows.size * pixel.itemsize)
        rows[:] = np.frombuffer(block, pixel).reshape(rows.shape)
    return picture


def _read_header(data: bytes) -> tuple[dict[str, bytes], int]:
    """Attributes by name, and where they end."""
    held, at = dict[str, bytes](), 8
    while data[at]:
        end = data.index(0, at)
        typed = data.index(0, end + 1)
        (size,) = struct.unpack_from("<i", data, typed + 1)
        if size < 0:
            raise ValueError("damaged OpenEXR (header)")
        held[data[at:end].decode("latin-1")] = data[typed + 5 : typed + 5 + size]
        at = typed + 5 + size
    return held, at + 1


def _undo_zip(block: bytes, size: int) -> bytes:
    """Bytes of lines: differences summed up, then the halves of the block interleaved."""
    values = np.frombuffer(zlib.decompressobj().decompress(block, size), np.uint8).astype(np.int64)
    values[1:] -= 128
    summed = np.cumsum(values).astype(np.uint8)
    out = np.empty_like(summed)
    half = (len(summed) + 1) // 2
    out[::2], out[1::2] = summed[:half], summed[half:]
    return out.tobytes()


TILE_PX = 14  # Networks see pictures in tiles of so many pixels


@dataclass(frozen=True, eq=False)
class GivenDepth:
    """Depth along the optical axis, one map for each picture that the tool was given."""

    path: Path
    read: Callable[[int], NDArray[np.float32] | None]
    """The map (h, w) of the picture at a position; None where there is none. Raises ReconError."""

    def digest(self) -> bytes:
        """Of the file, or of all files of the folder."""
        whole = sha256()
        for path in list_files(self.path) or (self.path,):
            with path.open("rb") as file:
                whole.update(file_digest(file, "sha256").digest())
        return whole.digest()

    def sample(
        self, position: int, frame: tuple[int, int], picture: tuple[int, int], step_px: int
    ) -> NDArray[np.float32] | None:
        """Depth at every n-th pixel of a frame, NaN where unknown.

        Args:
            position: Of the picture in the source.
            frame: Width and height of the frame.
            picture: Width and height of the upright pictures that frames were made from.
            step_px: The pixels between two samples.

        Raises:
            ReconError: If the file cannot be read.
        """
        depth = self.read(position)
        if depth is None:
            return None
        height, width = depth.shape
        x, y = (np.arange(0, side, step_px) + 0.5 for side in frame)
        if is_stretched((width, height), picture):
            x, y = x * width / frame[0], y * height / frame[1]
        else:
            scale = max(width / frame[0], height / frame[1])
            x, y = (x - frame[0] / 2) * scale + width / 2, (y - frame[1] / 2) * scale + height / 2
        columns, rows = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
        inside = ((rows >= 0) & (rows < height))[:, None] & ((columns >= 0) & (columns < width))[None, :]
        found = depth[np.clip(rows, 0, height - 1)[:, None], np.clip(columns, 0, width - 1)[None, :]]
        return np.where(inside & np.isfinite(found) & (found > 0), found, np.nan).astype(np.float32)


def make_array_depth(path: Path) -> GivenDepth:
    """Of the array `depth`, (N, h, w) or (N, h, w, 1), of a `.npz` file."""

    @lru_cache(maxsize=1)
    def load() -> NDArray[np.float32]:
        return _load(path, 3)

    return GivenDepth(path, lambda position: load()[position] if position < len(load()) else None)


def make_folder_depth(folder: Path) -> GivenDepth:
    """Of the arrays `depth`, (h, w), of the files `frame_N.npz` of a folder, as Depth-Anything-3 streams them."""

    def read(position: int) -> NDArray[np.float32] | None:
        path = folder / f"frame_{position}.npz"
        return _load(path, 2) if path.is_file() else None

    return GivenDepth(folder, read)


def _load(path: Path, dimensions: int) -> NDArray[np.float32]:
    try:
        (maps,) = load_arrays(path, ("depth",))
        return maps.reshape(maps.shape[:dimensions]).astype(np.float32, copy=False)
    except (OSError, ValueError) as error:
        raise ReconError(f"{path}: depth cannot be read: {first_line(error)}") from error


def make_zipped_depth(path: Path) -> GivenDepth:
    """Of an archive with a picture `NNNNN.exr` for each number, as ViPE writes it."""

    def read(position: int) -> NDArray[np.float32] | None:
        try:
            with zipfile.ZipFile(path) as archive:
                name = f"{position:05d}.exr"
                return decode_exr(archive.read(name)) if name in archive.namelist() else None
        except (OSError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile) as error:
            raise ReconError(f"{path}: depth cannot be read: {first_line(error)}") from error

    return GivenDepth(path, read)


def is_stretched(size: tuple[int, int], picture: tuple[int, int]) -> bool:
    """Whether a network's picture shows all of the tour's: its shape differs by no more than sides were rounded."""
    width, height = size
    scale = max(width / picture[0], height / picture[1]), min(width / picture[0], height / picture[1])
    return abs(scale[0] - scale[1]) * min(picture) <= TILE_PX
