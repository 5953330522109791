"""Tags with a network trained on ImageNet: what a frame mostly shows, in our words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.labels import imagenet_words
from instructions.perception.models.light.runtimes import TfliteNetwork


class ImagenetTags:
    """Words with their probability; names of one word add up, what no home shows is left out."""

    def __init__(self, path: Path, threshold: float) -> None:
        """Load the network; `threshold` is the least probability of a word.

        Raises:
            InstructionError: If it cannot be loaded.
        """
        self._network = TfliteNetwork(path)
        self._threshold = threshold

    def tag(self, images: Sequence[RgbImage]) -> list[dict[str, float]]:
        """See `ImageTagger`."""
        return [self._tag(image) for image in images]

    def _tag(self, image: RgbImage) -> dict[str, float]:
        squashed = cv2.resize(image, self._network.size[::-1], interpolation=cv2.INTER_AREA)
        values, scale = self._network.run(squashed.astype(np.uint8)), float(self._network.quantization[0])
        fit: dict[str, float] = defaultdict(float)
        for word, value in zip(imagenet_words(), values.tolist(), strict=True):
            if word:
                fit[word] += value * scale
        best = sorted(fit.items(), key=lambda item: (-item[1], item[0]))
        return {word: probability for word, probability in best if probability >= self._threshold}
