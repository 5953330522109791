"""Segmentation with MOSAIC: what every pixel belongs to, by the 31 most frequent classes of ADE20K."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.letterbox import letterbox
from instructions.perception.models.light.runtimes import load_tflite

_GREY = 127
_KEEP_EVERY = 2
"""Of the network's 512 pixels; a class map is smooth, and this one takes 2 kB."""


class Mosaic:
    """A map of class ids per picture."""

    def __init__(self, path: Path) -> None:
        """Load the network.

        Raises:
            InstructionError: If it cannot be loaded.
        """
        self._network = load_tflite(path)
        self._in = self._network.get_input_details()[0]
        self._out = self._network.get_output_details()[0]

    def segment(self, images: Sequence[RgbImage]) -> list[NDArray[np.uint8]]:
        """See `Segmenter`."""
        return [self._segment(image) for image in images]

    def _segment(self, image: RgbImage) -> NDArray[np.uint8]:
        height, width = (int(side) for side in self._in["shape"][1:3])
        boxed = letterbox(image, height, width, _GREY)
        self._network.set_tensor(self._in["index"], boxed.image[None])
        self._network.invoke()
        classes = self._network.get_tensor(self._out["index"])[0]
        rows, columns = boxed.content
        return classes[:rows:_KEEP_EVERY, :columns:_KEEP_EVERY].astype(np.uint8)
