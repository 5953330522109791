"""A vector per picture: MobileNet v1 without its last layer. Pictures of one place have like vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.runtimes import TfliteNetwork
from recon.tasks import fixed_threads

NUMBERS = 1024


class PictureEmbedding:
    """The network, loaded once."""

    def __init__(self, path: Path) -> None:
        """Load it.

        Raises:
            InstructionError: If it cannot be loaded.
        """
        self._network = TfliteNetwork(path)

    def embed(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        """Vectors of length 1, a row per picture; the middle square of each is looked at."""
        rows = np.zeros((len(images), NUMBERS), np.float32)
        with fixed_threads():
            for row, image in zip(rows, images, strict=True):
                vector = self._network.run(_cut_middle(image, self._network.size))
                row[:] = vector.ravel().astype(np.float32) - self._network.quantization[1]
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def _cut_middle(image: RgbImage, size: tuple[int, int]) -> RgbImage:
    height, width = image.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = image[top : top + side, left : left + side]
    return cv2.resize(square, size[::-1], interpolation=cv2.INTER_AREA).astype(np.uint8)
