"""Segmentation with DeepLab v3 on MobileNet v2: what every pixel belongs to, by the 150 classes of ADE20K.

The published file takes 513 x 513 pixels and grows its scores to all of them. Here it is given the size that it was
trained at, for pictures of one thing, and its last two resizings are left out: the map of scores has one place for
four pixels of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.labels import ade150_words
from instructions.perception.models.light.letterbox import letterbox
from instructions.perception.models.light.resizing import rewrite_sizes
from instructions.perception.models.light.runtimes import TfliteNetwork

_SIDE_PX = 257
"""What it was trained at; a quarter of the work of the file's 513."""
_SIZES = {65: (33, 33), 129: (65, 65)}
"""Its maps of an eighth and a quarter."""
_GRAY = 127
_RESIZES_CUT = 2


class Deeplab:
    """A map of class ids per picture, with one place for four pixels of what the network sees; 0 where it is unsure."""

    def __init__(self, path: Path, threshold: float) -> None:
        """Load the network.

        Args:
            path: TFLite file.
            threshold: A place whose best class has less probability is 0, no class.

        Raises:
            InstructionError: If it cannot be loaded.
        """
        self._threshold = threshold
        self._network = TfliteNetwork(path, rewrite_sizes(path, _SIZES, _RESIZES_CUT), (_SIDE_PX, _SIDE_PX))
        self._is_indoors = np.array([bool(word) for word in ade150_words()])

    def segment(self, images: Sequence[RgbImage]) -> list[NDArray[np.uint8]]:
        """See `Segmenter`."""
        return [self._segment(image) for image in images]

    def _segment(self, image: RgbImage) -> NDArray[np.uint8]:
        boxed = letterbox(image, _SIDE_PX, _SIDE_PX, _GRAY)
        rows, columns = (-(-side // 4) for side in boxed.content)
        scores = self._network.run(boxed.image.astype(np.float32) / 127.5 - 1.0)[:rows, :columns, self._is_indoors]
        classes = np.flatnonzero(self._is_indoors)[scores.argmax(axis=-1)]
        best = scores.max(axis=-1, keepdims=True)
        is_sure = np.exp(scores - best).sum(axis=-1) <= 1.0 / self._threshold
        return np.where(is_sure, classes, 0).astype(np.uint8)
