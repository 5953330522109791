"""A picture made to fit the square input of a network: shrunk or grown, put to the top left, the rest filled."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage


@dataclass(frozen=True, eq=False)
class Letterbox:
    """The padded picture, and how to come back."""

    image: RgbImage
    scale: float
    """Pixels of the input per pixel of the picture."""
    content: tuple[int, int]
    """Height and width of the part that shows the picture."""


def letterbox(image: RgbImage, height: int, width: int, fill: int) -> Letterbox:
    """Fit a picture into (height, width), its sides in proportion; `fill` is the gray of the rest."""
    scale = min(height / image.shape[0], width / image.shape[1])
    content = (max(1, round(image.shape[0] * scale)), max(1, round(image.shape[1] * scale)))
    shrunk = cv2.resize(image, (content[1], content[0]), interpolation=cv2.INTER_LINEAR)
    padded: NDArray[np.uint8] = np.full((height, width, 3), fill, dtype=np.uint8)
    padded[: content[0], : content[1]] = shrunk
    return Letterbox(padded, scale, content)
