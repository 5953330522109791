"""Depth of single pictures with FastDepth, trained on indoor scenes of NYU Depth v2."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.runtimes import TfliteNetwork


class FastDepth:
    """Metres, to some 20 % in one picture and as much between homes: good for what is nearer than what."""

    def __init__(self, path: Path) -> None:
        """Load the network.

        Raises:
            InstructionError: If it cannot be loaded.
        """
        self._network = TfliteNetwork(path)

    @property
    def is_metric(self) -> bool:
        """See `DepthModel`."""
        return True

    def depth(self, images: Sequence[RgbImage], step_px: int) -> list[NDArray[np.float32]]:
        """See `DepthModel`. Wide pictures are squeezed to the network's square; tall ones get mirrored sides."""
        return [self._measure(image, step_px) for image in images]

    def _measure(self, image: RgbImage, step_px: int) -> NDArray[np.float32]:
        height, width = image.shape[:2]
        side = max(0, height - width)
        left = side // 2
        wide = cv2.copyMakeBorder(image, 0, 0, left, side - left, cv2.BORDER_REFLECT_101) if side else image
        small = cv2.resize(wide, self._network.size[::-1], interpolation=cv2.INTER_AREA)
        scale, zero = self._network.quantization
        depth = scale * (self._network.run(small.astype(np.uint8))[:, :, 0].astype(np.float32) - zero)
        full = cv2.resize(depth, (wide.shape[1], height), interpolation=cv2.INTER_LINEAR)
        return np.ascontiguousarray(full[::step_px, left : left + width : step_px], dtype=np.float32)
