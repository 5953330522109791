"""Pictures and depth maps as files, and the focal length: what EXIF says for 35 mm film, else that of most phones."""

from __future__ import annotations

import struct
from math import hypot
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.arrays import load_array
from recon.geometry import Camera
from recon.picture_faults import find_lost_end, find_picture_fault
from recon.pictures import decode_picture
from roomtour.errors import RoomtourError

_JPEG_QUALITY = 95


def read_picture(path: Path) -> tuple[NDArray[np.uint8], bytes, str]:
    """A picture (height, width, 3), blue first, upright by its EXIF; its file as it is kept, and the suffix of that.

    A file that is not PNG or JPEG, or that lies on its side, is written anew, so that every reader sees the same.

    Raises:
        RoomtourError: If it is missing, cut short or no picture.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RoomtourError(f"{path}: {error.strerror or error}") from error
    image = decode_picture(data, cv2.IMREAD_COLOR) if find_lost_end(data) is None else None
    if image is None:
        raise RoomtourError(f"{path}: {find_picture_fault(data) or 'cannot be decoded as a picture'}")
    suffix = ".png" if data.startswith(b"\x89PNG") else ".jpg" if data.startswith(b"\xff\xd8") else ""
    plain = decode_picture(data, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION) if suffix == ".jpg" else image
    if suffix and plain is not None and np.array_equal(plain, image):
        return image, data, suffix
    encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1]
    return image, encoded.tobytes(), ".jpg"


def read_depth_file(path: Path, unit_m: float | None, where: str) -> NDArray[np.float32]:
    """A depth map in metres (height, width), NaN where unknown.

    Args:
        path: `.npy` of numbers, or PNG of 16 bit.
        unit_m: Metres per unit.
        where: The line that names it, for errors.

    Raises:
        RoomtourError: If it cannot be read, is of another kind, or is a PNG without a unit.
    """
    if path.suffix.lower() == ".npy":
        try:
            raw = load_array(path)
        except (OSError, ValueError) as error:
            raise RoomtourError(f"{where}: depth {path}: {' '.join(str(error).split())}") from error
        if raw.ndim != 2 or raw.dtype.kind not in "fiu":
            raise RoomtourError(
                f"{where}: depth {path} is {raw.dtype} of shape {raw.shape}, need (height, width) numbers"
            )
        unit_m = unit_m or 1.0
    else:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise RoomtourError(f"{where}: depth {path}: {error.strerror or error}") from error
        raw = decode_picture(data, cv2.IMREAD_UNCHANGED)
        if raw is None or raw.dtype != np.uint16 or raw.ndim != 2:
            kind = "no picture" if raw is None else f"{raw.dtype} of shape {raw.shape}"
            raise RoomtourError(f"{where}: depth {path} is {kind}, need a PNG of 16 bit with one channel, or .npy")
        if unit_m is None:
            raise RoomtourError(f"{where}: depth {path} has no unit; give depth_unit_m, 0.001 for millimetres")
    depth = raw.astype(np.float32) * np.float32(unit_m)
    return np.where(np.isfinite(depth) & (depth > 0), depth, np.float32(np.nan))


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
        focal_mm = None if entry is None else _find_entry(tiff, order, entry, _FOCAL_ON_FILM, "H")
    except struct.error:  # cut short, or places outside the file
        return None
    return float(focal_mm) if focal_mm else None


def _find_entry(tiff: bytes, order: str, at: int, tag: int, form: str) -> int | None:
    """The value of an entry of the directory at a place."""
    (count,) = struct.unpack_from(f"{order}H", tiff, at)
    for number in range(min(count, _MOST_ENTRIES)):
        place = at + 2 + 12 * number
        if struct.unpack_from(f"{order}H", tiff, place)[0] == tag:
            return struct.unpack_from(f"{order}{form}", tiff, place + 8)[0]
    return None
