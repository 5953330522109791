"""Segmentation with MOSAIC: what every pixel belongs to, by the 31 most frequent classes of ADE20K."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.letterbox import letterbox
from instructions.perception.models.light.mosaic_shape import SIDE_PX, STEP_PX, reshape_network
from instructions.perception.models.light.runtimes import load_tflite

_GREY = 127


class Mosaic:
    """A map of class ids per picture, with one place for two pixels of what the network sees."""

    def __init__(self, path: Path) -> None:
        """Take the file; the network is loaded for the first picture, in its shape."""
        self._path = path
        self._shape = (0, 0)
        self._network: Any = None

    def segment(self, images: Sequence[RgbImage]) -> list[NDArray[np.uint8]]:
        """See `Segmenter`.

        Raises:
            InstructionError: If the network cannot be loaded.
        """
        return [self._segment(image) for image in images]

    def _segment(self, image: RgbImage) -> NDArray[np.uint8]:
        longest = max(image.shape[:2])
        height, width = (-(-round(side * SIDE_PX / longest) // STEP_PX) * STEP_PX for side in image.shape[:2])
        self._fit(height, width)
        boxed = letterbox(image, height, width, _GREY)
        self._network.set_tensor(self._network.get_input_details()[0]["index"], boxed.image[None])
        self._network.invoke()
        classes = self._network.get_tensor(self._network.get_output_details()[0]["index"])[0]
        rows, columns = ((side + 1) // 2 for side in boxed.content)
        return classes[:rows, :columns].astype(np.uint8)

    def _fit(self, height: int, width: int) -> None:
        """Load the network anew for pictures of another shape; those of a tour have one."""
        if self._shape != (height, width):
            content = reshape_network(self._path, height, width)
            self._network = load_tflite(self._path, content, (height, width))
            self._shape = (height, width)
