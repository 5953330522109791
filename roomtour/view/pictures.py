"""Frames of a run as small JPEG pictures, made when asked for and kept while they are likely to be asked for again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recon.records import Frame
from roomtour.drawing.thumbnails import read_small, to_jpeg

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
        image_bgr = self._read(frame, longer_side_px)
        return None if image_bgr is None else np.ascontiguousarray(image_bgr[:, :, ::-1])

    def _read(self, frame: int, longer_side_px: int) -> NDArray[np.uint8] | None:
        known = self._frames.get(frame)
        return None if known is None else read_small(self._folder, known.image, longer_side_px)

    def _jpeg(self, frame: int, longer_side_px: int) -> bytes | None:
        """The same as JPEG bytes."""
        image_bgr = self._read(frame, longer_side_px)
        return None if image_bgr is None else to_jpeg(image_bgr, self._quality)
