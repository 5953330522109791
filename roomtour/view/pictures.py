"""Frames of a run as small JPEG pictures, made when asked for and kept while they are likely to be asked for again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.pictures import read_picture_file
from recon.records import Frame

_KEPT = 256
"""Pictures held in memory; 256 of 320 pixels are some 4 MB."""


class FramePictures:
    """The pictures of one tour. Safe to ask from several threads."""

    def __init__(self, frames: Mapping[int, Frame], folder: Path, quality: int = 80) -> None:
        self._frames = frames
        self._folder = folder
        self._quality = quality
        self.jpeg = lru_cache(maxsize=_KEPT)(self._jpeg)

    def rgb(self, frame: int, longer_side_px: int) -> NDArray[np.uint8] | None:
        """The frame as (h, w, 3) RGB, shrunk to fit; None if it is unknown or cannot be read."""
        known = self._frames.get(frame)
        if known is None or Path(known.image).name != known.image:  # a frame is a plain file of its folder
            return None
        image_bgr = read_picture_file(self._folder / known.image)
        if image_bgr is None:
            return None
        height, width = image_bgr.shape[:2]
        factor = min(1.0, longer_side_px / max(height, width))
        size = (max(1, round(width * factor)), max(1, round(height * factor)))
        small_bgr = cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA)
        return cv2.cvtColor(small_bgr, cv2.COLOR_BGR2RGB).astype(np.uint8, copy=False)

    def _jpeg(self, frame: int, longer_side_px: int) -> bytes | None:
        """The same as JPEG bytes."""
        image_rgb = self.rgb(frame, longer_side_px)
        if image_rgb is None:
            return None
        encoded = cv2.imencode(".jpg", image_rgb[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, self._quality])[1]
        return encoded.tobytes()
