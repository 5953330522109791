"""Segmentation with MOSAIC: what every pixel belongs to, by the 31 most frequent classes of ADE20K.

The published file takes 512 x 512 pixels, a third of them padding for a picture of 3:2, and grows its scores to all of
them before it takes the best class of each. Here it is given the shape of the pictures and grows them to half.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.letterbox import letterbox
from instructions.perception.models.light.resizing import rewrite_sizes
from instructions.perception.models.light.runtimes import TfliteNetwork

_SIDE_PX = 512
"""Side of the square that the file was made for."""
_STEP_PX = 32
"""The network halves its picture up to four times, and pools what is left by two."""
_GRAY = 127
_SHAPES_KEPT = 2
"""Each takes 60 to 150 MB. The pictures of a tour have one shape, or two where some are turned."""


class Mosaic:
    """A map of class ids per picture, with one place for two pixels of what the network sees."""

    def __init__(self, path: Path, side_px: int = _SIDE_PX) -> None:
        """Take the file; the network is loaded for the first picture of each shape, in that shape.

        Args:
            path: TFLite file.
            side_px: What the longer side of a picture is brought to.
        """
        self._path = path
        self._side_px = side_px
        self._loaded: dict[tuple[int, int], TfliteNetwork] = {}

    def segment(self, images: Sequence[RgbImage]) -> list[NDArray[np.uint8]]:
        """See `Segmenter`.

        Raises:
            InstructionError: If the network cannot be loaded.
        """
        return [self._segment(image) for image in images]

    def _segment(self, image: RgbImage) -> NDArray[np.uint8]:
        longest = max(image.shape[:2])
        height, width = (-(-round(side * self._side_px / longest) // _STEP_PX) * _STEP_PX for side in image.shape[:2])
        boxed = letterbox(image, height, width, _GRAY)
        rows, columns = ((side + 1) // 2 for side in boxed.content)
        return self._load(height, width).run(boxed.image)[:rows, :columns].astype(np.uint8)

    def _load(self, height: int, width: int) -> TfliteNetwork:
        if (height, width) not in self._loaded:
            if len(self._loaded) >= _SHAPES_KEPT:
                self._loaded.clear()
            sizes = {side: (side * height // _SIDE_PX, side * width // _SIDE_PX) for side in (32, 64, 128)}
            content = rewrite_sizes(self._path, sizes | {_SIDE_PX: (height // 2, width // 2)})
            self._loaded[height, width] = TfliteNetwork(self._path, content, (height, width))
        return self._loaded[height, width]
