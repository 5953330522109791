"""Segmentation with MOSAIC: what every pixel belongs to, by the 31 most frequent classes of ADE20K."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.letterbox import letterbox
from instructions.perception.models.light.mosaic_shape import SIDE_PX, STEP_PX, reshape_network
from instructions.perception.models.light.runtimes import ShapedNetworks

_GREY = 127


class Mosaic:
    """A map of class ids per picture, with one place for two pixels of what the network sees."""

    def __init__(self, path: Path) -> None:
        """Take the file; the network is loaded for the first picture of each shape, in that shape."""
        self._networks = ShapedNetworks(path, reshape_network)

    def segment(self, images: Sequence[RgbImage]) -> list[NDArray[np.uint8]]:
        """See `Segmenter`.

        Raises:
            InstructionError: If the network cannot be loaded.
        """
        return [self._segment(image) for image in images]

    def _segment(self, image: RgbImage) -> NDArray[np.uint8]:
        longest = max(image.shape[:2])
        height, width = (-(-round(side * SIDE_PX / longest) // STEP_PX) * STEP_PX for side in image.shape[:2])
        network = self._networks.load(height, width)
        boxed = letterbox(image, height, width, _GREY)
        network.set_tensor(network.get_input_details()[0]["index"], boxed.image[None])
        network.invoke()
        classes = network.get_tensor(network.get_output_details()[0]["index"])[0]
        rows, columns = ((side + 1) // 2 for side in boxed.content)
        return classes[:rows, :columns].astype(np.uint8)
