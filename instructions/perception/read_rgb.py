"""Frames as networks and colours take them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from instructions.perception.interfaces import RgbImage
from recon.pictures import read_picture_file


def read_rgb(path: Path) -> RgbImage | None:
    """A picture (height, width, 3), red first; None if it is missing or cannot be decoded."""
    image_bgr = read_picture_file(path)
    return None if image_bgr is None else np.ascontiguousarray(image_bgr[:, :, ::-1], dtype=np.uint8)
