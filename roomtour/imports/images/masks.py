"""Masks as other programs write them: run lengths, COCO's two forms of RLE, polygons."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from instructions.perception.masks import encode_mask
from instructions.records import Box, MaskRle
from roomtour.errors import RoomtourError


def read_mask(value: Any, width: int, height: int, where: str) -> MaskRle:
    """A mask of an image.

    Args:
        value: `{"height", "width", "counts"}`, COCO's `{"size": [height, width], "counts"}` with counts as a list or as
            its packed string, or polygons `[[x0, y0, x1, y1, ...], ...]`.
        width: Of the image, in pixels.
        height: Of the image.
        where: For errors.

    Raises:
        RoomtourError: For another form or another size.
    """
    if isinstance(value, list):
        return _from_polygons(value, width, height, where)
    if not isinstance(value, dict) or "counts" not in value:
        raise RoomtourError(f"{where}: mask is {type(value).__name__}, need run lengths, COCO RLE or polygons")
    size = value.get("size", [value.get("height"), value.get("width")])
    if list(size) != [height, width]:
        raise RoomtourError(f"{where}: the mask is {size[1]} x {size[0]} pixels, the image {width} x {height}")
    counts = value["counts"]
    if isinstance(counts, str):
        counts = _unpack(counts, where)
    if not isinstance(counts, list) or any(type(one) is not int or one < 0 for one in counts):
        raise RoomtourError(f"{where}: counts of the mask must be whole numbers from 0, column by column")
    if sum(counts) != width * height:
        raise RoomtourError(f"{where}: runs of the mask cover {sum(counts)} pixels, the image has {width * height}")
    return MaskRle(height, width, tuple(counts))


def box_of_mask(mask: MaskRle) -> Box | None:
    """The box around a mask (x0, y0, x1, y1); None for an empty one."""
    ends = np.cumsum(mask.counts)
    starts = ends - np.array(mask.counts)
    ones = slice(1, None, 2)
    first, last = starts[ones], ends[ones] - 1
    is_there = last >= first
    if not is_there.any():
        return None
    first, last = first[is_there], last[is_there]
    crosses = first // mask.height != last // mask.height
    top = 0 if crosses.any() else int((first % mask.height).min())
    bottom = mask.height if crosses.any() else int((last % mask.height).max()) + 1
    return float(first[0] // mask.height), float(top), float(last[-1] // mask.height + 1), float(bottom)


def _from_polygons(value: list[Any], width: int, height: int, where: str) -> MaskRle:
    canvas = np.zeros((height, width), dtype=np.uint8)
    for polygon in value:
        try:
            corners = np.array(polygon, dtype=np.float64).reshape(-1, 2)
        except (TypeError, ValueError) as error:
            raise RoomtourError(f"{where}: a polygon of the mask must be a list x0, y0, x1, y1, ...") from error
        if len(corners) < 3 or not np.isfinite(corners).all():
            raise RoomtourError(f"{where}: a polygon of the mask has {len(corners)} finite corners, need 3 or more")
        clipped = np.clip(corners, -1, [width + 1, height + 1])
        cv2.fillPoly(canvas, [np.floor(clipped).astype(np.int32)], 1)
    return encode_mask(canvas)


def _unpack(text: str, where: str) -> list[int]:
    """COCO's packed counts: groups of five bits, low first, each count from the third on less the one two before."""
    counts: list[int] = []
    value, shift = 0, 0
    for char in text:
        bits = ord(char) - 48
        if not 0 <= bits < 64 or shift > 60:
            raise RoomtourError(f"{where}: counts of the mask are no packed COCO run lengths")
        value |= (bits & 31) << shift
        shift += 5
        if bits & 32:
            continue
        if bits & 16:
            value -= 1 << shift
        counts.append(value + (counts[-2] if len(counts) > 2 else 0))
        value, shift = 0, 0
    return counts
