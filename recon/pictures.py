"""Pictures from files that anybody may have made, and to files: decoded, or None.

OpenCV itself is never handed the name of a file: one that is no UTF-8 ends the process, and a pipe keeps it waiting. A
picture says how large it is in its first bytes, so one of some kilobytes that would unpack to gigabytes is not decoded.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

MOST_PIXELS = 150_000_000
"""The largest single pictures of cameras and of 360 degree rigs have 108 and 72 million; 450 MB once decoded."""


def decode_picture(data: bytes, how: int = cv2.IMREAD_COLOR) -> NDArray[Any] | None:
    """The pixels, blue first, upright by EXIF where `how` says nothing else.

    Args:
        data: What the file holds.
        how: OpenCV's `IMREAD_...`.

    Returns:
        (height, width) or (height, width, channels); None for what is no picture, is damaged or has more than
        `MOST_PIXELS`.
    """
    width, height = find_picture_size(data) or (0, 0)
    if not data or width * height > MOST_PIXELS:
        return None
    try:
        return cv2.imdecode(np.frombuffer(data, dtype=np.uint8), how)
    except cv2.error:
        return None


def read_picture_file(path: Path, how: int = cv2.IMREAD_COLOR) -> NDArray[Any] | None:
    """`decode_picture` of a file; None also where it cannot be read, or is no plain file."""
    try:
        return decode_picture(path.read_bytes(), how) if path.is_file() else None
    except OSError:
        return None


def write_picture_file(path: Path, image: NDArray[Any], *parameters: int) -> None:
    """Write a picture in the format of its suffix.

    Args:
        path: The file.
        image: (height, width) or (height, width, 3), blue first.
        parameters: OpenCV's `IMWRITE_...` and their values.

    Raises:
        OSError: If it cannot be written.
        ValueError: If OpenCV cannot write such a picture.
    """
    is_encoded, encoded = cv2.imencode(path.suffix, image, parameters)
    if not is_encoded:
        raise ValueError(f"{path}: OpenCV writes no such picture")
    path.write_bytes(encoded.tobytes())


def find_picture_size(data: bytes) -> tuple[int, int] | None:
    """Width and height as the head of a PNG, JPEG, BMP, WebP or TIFF says; None for others and for damaged heads."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return struct.unpack_from(">II", data, 16)
        if data.startswith(b"\xff\xd8"):
            return _jpeg_size(data)
        if data.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", data, 18)
            return abs(width), abs(height)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp_size(data)
        if data[:4] in (b"II*\0", b"MM\0*"):
            return _tiff_size(data, "<" if data.startswith(b"I") else ">")
    except (struct.error, IndexError):
        pass
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Of the first start-of-frame segment; segments follow each other by their lengths."""
    at = 2
    while True:
        while data[at] == 0xFF and data[at + 1] == 0xFF:  # fill
            at += 1
        marker, length = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if data[at] != 0xFF or length < 2:
            return None
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 + length


def _webp_size(data: bytes) -> tuple[int, int] | None:
    if data[12:16] == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if data[12:16] == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _tiff_size(data: bytes, order: str) -> tuple[int, int] | None:
    """Of the first directory: tag 256 is the width, 257 the height, either 16 or 32 bits wide."""
    (start,) = struct.unpack_from(f"{order}I", data, 4)
    (entries,) = struct.unpack_from(f"{order}H", data, start)
    found: dict[int, int] = {}
    for number in range(entries):
        tag, kind = struct.unpack_from(f"{order}HH", data, start + 2 + 12 * number)
        if tag in (256, 257):
            (found[tag],) = struct.unpack_from(f"{order}{'H' if kind == 3 else 'I'}", data, start + 10 + 12 * number)
    return (found[256], found[257]) if len(found) == 2 else None
