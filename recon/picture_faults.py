"""Whether the bytes of a picture are a whole picture."""

from __future__ import annotations

import av
import cv2
from av.error import FFmpegError, InvalidDataError

from recon.pictures import MOST_PIXELS, decode_picture, find_missing_decoder, find_picture_size


def find_picture_fault(data: bytes) -> str | None:
    """What is wrong with the bytes of a picture; None for a whole one."""
    if not data:
        return "is empty"
    if name := find_lost_end(data):
        return f"is cut short: a {name} without its end"
    width, height = find_picture_size(data) or (0, 0)
    if width * height > MOST_PIXELS:
        return f"has {width} x {height} pixels, need at most {MOST_PIXELS // 10**6} million"
    if what_to_do := find_missing_decoder(data):
        return f"cannot be decoded: {what_to_do}"
    if not _decodes_whole(data):
        return "cannot be decoded as a whole picture"
    return None


def _decodes_whole(data: bytes) -> bool:
    """Whether every part is there. OpenCV fills with gray what a JPEG lacks before its end; FFmpeg refuses it."""
    if not data.startswith(b"\xff\xd8\xff"):
        return decode_picture(data, cv2.IMREAD_REDUCED_COLOR_8) is not None
    decoder = av.CodecContext.create("mjpeg", "r")
    decoder.options = {"err_detect": "explode"}
    try:
        return bool([*decoder.decode(av.Packet(data)), *decoder.decode(None)])
    except InvalidDataError:
        return False
    except FFmpegError:  # a kind of JPEG that FFmpeg does not know, such as an arithmetically coded one
        return decode_picture(data, cv2.IMREAD_REDUCED_COLOR_8) is not None


def find_lost_end(data: bytes) -> str | None:
    """`JPEG` or `PNG` for one that is cut short; None for others. Decoders fill what is missing with gray.

    What follows the end does not matter: phones put a second of video behind a JPEG.
    """
    if data.startswith(b"\xff\xd8\xff") and not _has_jpeg_end(data):
        return "JPEG"
    if data.startswith(b"\x89PNG\r\n\x1a\n") and not _has_png_end(data):
        return "PNG"
    return None


def _has_jpeg_end(data: bytes) -> bool:
    """Whether the end follows the segments and what is coded between them; a preview in a segment has its own end."""
    at = 2
    while (at := data.find(b"\xff", at)) >= 0:
        marker = data[at + 1 : at + 2]
        if marker == b"\xd9":
            return True
        if marker == b"\xff":  # fill
            at += 1
        elif not marker or marker in _ALONE:
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4])
    return False


_ALONE = frozenset(bytes([marker]) for marker in (0x00, 0x01, *range(0xD0, 0xD9)))
"""Second bytes after which no length follows: a coded 255, restarts, a start."""


def _has_png_end(data: bytes) -> bool:
    """Whether the last of the chunks is there."""
    at = 8
    while at + 12 <= len(data):
        if data[at + 4 : at + 8] == b"IEND":
            return True
        at += 12 + int.from_bytes(data[at : at + 4])
    return False
