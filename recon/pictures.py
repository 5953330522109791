"""Pictures from files that anybody may have made, and to files: which files are pictures, and decoded ones, or None.

OpenCV itself is never handed the name of a file: one that is no UTF-8 ends the process, and a pipe keeps it waiting. A
picture says how large it is in its first bytes, so one of some kilobytes that would unpack to gigabytes is not decoded.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

_RARELY_READ = frozenset({".avif", ".heic", ".heif", ".hif"})
PICTURE_SUFFIXES = _RARELY_READ | {".bmp", ".jfif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}
"""Names of picture files end so, in lower case; whether one can be decoded here, its content says."""

MOST_PIXELS = 150_000_000
"""The largest single pictures of cameras and of 360 degree rigs have 108 and 72 million; 450 MB once decoded."""

_REDUCED = 8  # of `IMREAD_REDUCED_COLOR_8`, which rounds up in some formats and down in others
_HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})


def decode_picture(data: bytes, how: int = cv2.IMREAD_COLOR) -> NDArray[Any] | None:
    """The pixels, blue first, upright by EXIF where `how` says nothing else.

    Args:
        data: What the file holds.
        how: OpenCV's `IMREAD_...`; HEIC comes whole, upright and in colour whatever it says.

    Returns:
        (height, width) or (height, width, channels); None for what is no picture, is damaged or has more than
        `MOST_PIXELS`.
    """
    width, height = find_picture_size(data) or (0, 0)
    if not data or width * height > MOST_PIXELS:
        return None
    if _is_heic(data):
        return _decode_heic(data)
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


def choose_picture_files(files: Sequence[Path]) -> list[Path]:
    """Those that are pictures; of a HEIC or AVIF file and its copy in another format (`a.heic`, `a.jpg`) the copy."""
    pictures = [file for file in files if file.suffix.lower() in PICTURE_SUFFIXES]
    copied = {file.stem for file in pictures if file.suffix.lower() not in _RARELY_READ}
    return [
        file
        for file in pictures
        if file.suffix.lower() not in _RARELY_READ or copied.isdisjoint((file.stem, file.name))
    ]


def find_missing_decoder(data: bytes) -> str | None:
    """What to do about a picture of a format that nothing here decodes; None for any other."""
    if _is_heic(data) and _heic_decoder() is None:
        return 'HEIC needs pip install "roomtour[heic]", or convert it to JPEG'
    if b"avif" in _brands(data) and not cv2.haveImageWriter(".avif"):
        return "this OpenCV was built without AVIF: convert it to JPEG"
    return None


def find_upright_size(data: bytes) -> tuple[int, int] | None:
    """Width and height that a picture has once decoded; cheaper than decoding it.

    Returns:
        None for what `decode_picture` makes nothing of.
    """
    stored = find_picture_size(data)
    if _is_heic(data):
        opened = _open_heic(data)
        return None if opened is None else opened.size
    if stored is not None:
        small = decode_picture(data, cv2.IMREAD_REDUCED_COLOR_8)  # many times cheaper for JPEG
        if small is None:
            return None
        if stored[0] == stored[1]:
            return stored
        if abs(stored[0] - stored[1]) >= 2 * _REDUCED:  # else both sides may be rounded to one length
            is_turned = (stored[0] > stored[1]) != (small.shape[1] > small.shape[0])
            return (stored[1], stored[0]) if is_turned else stored
    whole = decode_picture(data)
    return None if whole is None else (whole.shape[1], whole.shape[0])


def write_picture_file(path: Path, image: NDArray[Any], *parameters: int) -> None:
    """Write a picture in the format of its suffix.

    Blue comes first; `parameters` are OpenCV's `IMWRITE_...` and their values.

    Raises:
        OSError: If it cannot be written.
        ValueError: If OpenCV cannot write such a picture.
    """
    is_encoded, encoded = cv2.imencode(path.suffix, image, parameters)
    if not is_encoded:
        raise ValueError(f"{path}: OpenCV writes no such picture")
    path.write_bytes(encoded.tobytes())


def find_picture_size(data: bytes) -> tuple[int, int] | None:
    """Stored width and height as the head of a PNG, JPEG, BMP, WebP, TIFF, AVIF or HEIC says.

    Returns:
        None for others and for damaged heads.
    """
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
        if _brands(data):
            return _heif_size(data)
    except (struct.error, IndexError, ValueError):
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


def _heif_size(data: bytes) -> tuple[int, int] | None:
    """The largest of the sizes (`ispe`) in the first `meta` box: a picture of tiles tells theirs too, and previews."""
    start = data.index(b"meta") - 4
    (length,) = struct.unpack_from(">I", data, start)
    sizes: list[tuple[int, int]] = []
    at = data.find(b"ispe", start, start + length)
    while at >= 0:
        sizes.append(struct.unpack_from(">II", data, at + 8))
        at = data.find(b"ispe", at + 4, start + length)
    return max(sizes, key=lambda size: size[0] * size[1], default=None)


def _brands(data: bytes) -> frozenset[bytes]:
    """Brands of an ISO base media file, as HEIC and AVIF are; empty for others."""
    if data[4:8] != b"ftyp":
        return frozenset()
    end = min(int.from_bytes(data[:4]), 256)
    return frozenset(data[at : at + 4] for at in (8, *range(16, end - 3, 4)))


def _is_heic(data: bytes) -> bool:
    brands = _brands(data)
    return b"avif" not in brands and not brands.isdisjoint(_HEIC_BRANDS)


@cache
def _heic_decoder() -> ModuleType | None:
    """The package of the extra `heic`; None without it."""
    try:
        import pi_heif  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    return pi_heif


def _open_heic(data: bytes) -> Any:
    """The picture of a HEIC file, not decoded yet; None if it is damaged or too large, or without the extra."""
    decoder = _heic_decoder()
    if decoder is None:
        return None
    try:
        opened = decoder.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True, bgr_mode=True)
        width, height = opened.size
    except _HEIC_FAULTS:
        return None
    return opened if width * height <= MOST_PIXELS else None


def _decode_heic(data: bytes) -> NDArray[Any] | None:
    opened = _open_heic(data)
    if opened is None:
        return None
    try:
        pixels = np.asarray(opened)
    except _HEIC_FAULTS:
        return None
    return cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR) if pixels.ndim == 2 else np.ascontiguousarray(pixels[..., :3])


_HEIC_FAULTS = (OSError, EOFError, LookupError, RuntimeError, SyntaxError, ValueError)
"""What pi-heif raises for damaged files."""
