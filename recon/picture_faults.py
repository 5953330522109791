"""Whether the bytes of a picture are a whole picture."""

from __future__ import annotations

import cv2

from recon.pictures import MOST_PIXELS, decode_picture, find_picture_size

_ENDS = {b"\xff\xd8\xff": (b"\xff\xd9", "JPEG"), b"\x89PNG\r\n\x1a\n": (b"IEND\xaeB`\x82", "PNG")}
"""By how a file begins: how it ends, and what it is called. Decoders fill what a cut file lacks with grey."""


def find_picture_fault(data: bytes) -> str | None:
    """What is wrong with the bytes of a picture; None for a whole one."""
    if not data:
        return "is empty"
    for start, (end, name) in _ENDS.items():
        if data.startswith(start) and not data.rstrip(b"\0").endswith(end):
            return f"is cut short: a {name} without its end"
    width, height = find_picture_size(data) or (0, 0)
    if width * height > MOST_PIXELS:
        return f"has {width} x {height} pixels, need at most {MOST_PIXELS // 10**6} million"
    if decode_picture(data, cv2.IMREAD_REDUCED_COLOR_8) is None:
        return "cannot be decoded as a picture"
    return None
