"""What a place covers of its picture, for models that take boxes and masks of regions."""

from __future__ import annotations

import numpy as np

from instructions.perception.masks import encode_mask
from instructions.records import Box, MaskRle
from roomtour.export.core.talks.references import POINT_BOX_SHARE
from roomtour.export.core.talks.talk import Place


def box_of(box: Box, width: int, height: int) -> list[int]:
    """Whole pixels that hold a box, inside the picture, at least one wide and high."""
    x1, y1 = (min(max(int(value), 0), most - 1) for value, most in zip(box[:2], (width, height), strict=True))
    x2, y2 = (
        min(max(int(np.ceil(value)), low + 1), most)
        for value, low, most in zip(box[2:], (x1, y1), (width, height), strict=True)
    )
    return [x1, y1, x2, y2]


def cover(place: Place, size_px: tuple[int, int]) -> tuple[list[int], MaskRle]:
    """The box of a place in whole pixels, and its mask: of a point a disk around it, of a thing without a mask its box.

    Args:
        place: In view.
        size_px: Width and height of its picture.
    """
    width, height = size_px
    assert place.spot is not None, "what is out of view covers nothing"
    if len(place.spot) == 2:
        radius = POINT_BOX_SHARE * min(size_px) / 2
        x, y = place.spot
        box = box_of((x - radius, y - radius, x + radius, y + radius), width, height)
        rows, columns = np.ogrid[:height, :width]
        return box, encode_mask((columns + 0.5 - x) ** 2 + (rows + 0.5 - y) ** 2 <= radius**2)
    x1, y1, x2, y2 = place.spot
    box = box_of((x1, y1, x2, y2), width, height)
    if place.mask is not None and (place.mask.width, place.mask.height) == (width, height):
        return box, place.mask
    filled = np.zeros((height, width), dtype=bool)
    filled[box[1] : box[3], box[0] : box[2]] = True
    return box, encode_mask(filled)
