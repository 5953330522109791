"""OpenEXR pictures of one channel, as depth is written: scan lines, whole or ZIP-compressed, nothing else."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_MAGIC = b"\x76\x2f\x31\x01"
_LINES_PER_BLOCK = {0: 1, 2: 1, 3: 16}
"""By compression: none, ZIP of single lines, ZIP of 16."""
_PIXELS = {1: "<f2", 2: "<f4"}
"""By type of the channel."""
_OTHER_LAYOUT = 0x1A00
"""Bits of the version field: tiles, deep data, several parts."""
_MOST_PIXELS = 1 << 26
"""A damaged header shall not take all memory; eight times a 4K picture."""


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
