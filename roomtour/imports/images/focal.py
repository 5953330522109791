"""The focal length of a photo: what its EXIF says for 35 mm film, else that of most phones."""

from __future__ import annotations

import struct
from math import hypot

from recon.geometry import Camera

_FILM_DIAGONAL_MM = hypot(36.0, 24.0)
_ASSUMED_MM = 28.0
"""On 35 mm film: main cameras of phones have 23 to 28, videos are cropped to 28 to 35."""
ASSUMED_SIGMA = 0.15
"""Relative standard deviation of that."""
TOLD_SIGMA = 0.03
"""Of what EXIF says: it is rounded to millimetres, and the picture may be cut a little."""
_EXIF_IFD, _FOCAL_ON_FILM = 0x8769, 0xA405
_MOST_ENTRIES = 512


def guess_camera(data: bytes, width: int, height: int) -> tuple[Camera, float]:
    """The camera of a picture by its file, and the relative standard deviation of its focal length.

    Args:
        data: The file.
        width: Of the upright picture in pixels.
        height: Of the same.
    """
    told_mm = read_focal_on_film(data)
    focal_px = (told_mm or _ASSUMED_MM) / _FILM_DIAGONAL_MM * hypot(width, height)
    camera = Camera("PINHOLE", width, height, (focal_px, focal_px, width / 2, height / 2))
    return camera, TOLD_SIGMA if told_mm else ASSUMED_SIGMA


def read_focal_on_film(data: bytes) -> float | None:
    """The focal length that EXIF tells for 35 mm film, in millimetres; None where it tells none."""
    start = data.find(b"Exif\0\0", 0, 1 << 16)
    if start < 0:
        return None
    tiff = data[start + 6 : start + 6 + (1 << 16)]
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return None
    try:
        entry = _find_entry(tiff, order, struct.unpack_from(f"{order}I", tiff, 4)[0], _EXIF_IFD, "I")
        found = None if entry is None else _find_entry(tiff, order, entry, _FOCAL_ON_FILM, "H")
    except struct.error:  # cut short, or places outside the file
        return None
    return float(found) if found else None


def _find_entry(tiff: bytes, order: str, at: int, tag: int, form: str) -> int | None:
    """The value of an entry of the directory at a place."""
    (count,) = struct.unpack_from(f"{order}H", tiff, at)
    for number in range(min(count, _MOST_ENTRIES)):
        place = at + 2 + 12 * number
        if struct.unpack_from(f"{order}H", tiff, place)[0] == tag:
            return struct.unpack_from(f"{order}{form}", tiff, place + 8)[0]
    return None
