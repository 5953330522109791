"""A vector per picture: MobileNet v1 without its last layer. Pictures of one place have like vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.runtimes import load_tflite
from recon.tasks import fixed_threads

NUMBERS = 1024
_SIDE_PX = 224


class PictureEmbedding:
    """The network, loaded once."""

    def __init__(self, path: Path) -> None:
        """Load it.

        Raises:
            InstructionError: If it cannot be loaded.
        """
        self._network = load_tflite(path)
        (self._input,), (output,) = self._network.get_input_details(), self._network.get_output_details()
        self._output, self._zero = output["index"], output["quantization"][1]

    def embed(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        """Vectors of length 1, a row per picture; the middle square of each is looked at."""
        rows = np.zeros((len(images), NUMBERS), np.float32)
        with fixed_threads():
            for row, image in zip(rows, images, strict=True):
                self._network.set_tensor(self._input["index"], _middle(image)[None])
                self._network.invoke()
                row[:] = self._network.get_tensor(self._output).ravel().astype(np.float32) - self._zero
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def _middle(image: RgbImage) -> RgbImage:
    height, width = image.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = image[top : top + side, left : left + side]
    return cv2.resize(square, (_SIDE_PX, _SIDE_PX), interpolation=cv2.INTER_AREA).astype(np.uint8)
