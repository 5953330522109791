"""Pictures of views as arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from recon.picture_faults import find_picture_fault
from recon.pictures import decode_picture


def read_rgb(path: Path) -> NDArray[np.uint8]:
    """A picture, (height, width, 3). What is cut short is none: decoders fill what is missing with gray.

    Raises:
        InstructionError: If it cannot be read, or is not whole.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InstructionError(f"{path}: the picture cannot be read: {error.strerror or error}") from error
    fault = find_picture_fault(data)
    image_bgr = decode_picture(data) if fault is None else None
    if image_bgr is None:
        raise InstructionError(f"{path}: the picture {fault or 'cannot be decoded'}; process the tour again")
    return np.ascontiguousarray(image_bgr[..., ::-1]).astype(np.uint8, copy=False)
