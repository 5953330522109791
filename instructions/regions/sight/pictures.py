"""Pictures of views as arrays."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError


def read_rgb(path: Path) -> NDArray[np.uint8]:
    """A picture, (height, width, 3).

    Raises:
        InstructionError: If it cannot be read.
    """
    image_bgr = cv2.imread(str(path))
    if image_bgr is None:
        raise InstructionError(f"{path}: the picture cannot be read; is it there, and whole?")
    return np.ascontiguousarray(image_bgr[..., ::-1]).astype(np.uint8, copy=False)
