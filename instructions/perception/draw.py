"""Regions and points drawn into their picture: a border, a thin fill, a ring; the colours of two palettes.

Pixels are whole: the corners of a box are cut to whole numbers and both belong to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.masks import decode_mask
from instructions.records import Box, MaskRle

Colour = tuple[int, int, int]
Palette = Literal["paper", "clear"]
BORDER_PX = 2
FILL_ALPHA = 32
_PAPER = (
    ("05ff37", "ff05cd"),
    ("99ccff", "ff8000"),
    ("cc99ff", "862d2d"),
    ("f5ad42", "ff8000"),
    ("f55d42", "862d2d"),
)
_CLEAR = ("ff05cd", "009e73", "005aff", "ffe119", "f53c1e", "00e6ff", "7814a0", "ff9600", "96ff3c", "784614")


@dataclass(frozen=True)
class Highlight:
    """A region as it is drawn."""

    box_xyxy: Box
    mask: MaskRle | None = None
    number: int | None = None
    """Written beside the box, if numbers are drawn."""


@dataclass(frozen=True)
class Pin:
    """A point as it is drawn: a ring around it, and its number beside that."""

    xy: tuple[float, float]
    """Pixels, centers at +0.5."""
    number: int


PIN_SHARE = 1.0 / 45.0
"""Radius of a ring, of the shorter side of the picture: it is seen at once, and what is marked is seen inside it."""


def find_colours(place: int, palette: Palette = "clear") -> tuple[Colour, Colour]:
    """Outline and fill of the region that is drawn at a place, 0 upwards.

    Raises:
        ValueError: For a place that the palette has no colour of its own for.
    """
    if palette == "clear":
        if not 0 <= place < len(_CLEAR):
            raise ValueError(f"the palette `clear` has {len(_CLEAR)} colours, there is none for place {place}")
        colour = _hex(_CLEAR[place])
        return colour, colour
    if not 0 <= place < 1024:
        raise ValueError(f"the palette `paper` has 1024 colours, there is none for place {place}")
    if place < len(_PAPER):
        outline, fill = _PAPER[place]
        return _hex(outline), _hex(fill)
    red, green, blue = (int(255 * part) for part in hls_to_rgb(place / 1024, 0.4 + 0.6 * place / 1025, place / 1023))
    return (red, green, blue), (red, green, blue)


def draw_highlights(
    image_rgb: NDArray[np.uint8],
    highlights: Sequence[Highlight],
    palette: Palette = "clear",
    *,
    draw_numbers: bool = False,
) -> NDArray[np.uint8]:
    """A copy of a picture with its regions drawn in this order.

    Args:
        image_rgb: (height, width, 3).
        highlights: Region at place k is drawn in colour k; a mask is filled in its own shape, with the box's border.
        palette: Colours.
        draw_numbers: Write each region's number inside its corner.

    Raises:
        ValueError: For a mask of another size than the picture.
    """
    picture = image_rgb.copy()
    for place, one in enumerate(highlights):
        outline, fill = find_colours(place, palette)
        _draw(picture, one, outline, fill)
    if draw_numbers:
        for place, one in enumerate(highlights):
            _write_number(picture, one, place, find_colours(place, palette)[0])
    return picture


def _draw(picture: NDArray[np.uint8], one: Highlight, outline: Colour, fill: Colour) -> None:
    height, width = picture.shape[:2]
    x0, y0, x1, y1 = cut_corners(one.box_xyxy, (width, height))
    if x1 < x0 or y1 < y0:
        return
    if one.mask is not None:
        mask = decode_mask(one.mask)
        if mask.shape != (height, width):
            raise ValueError(f"a mask of {mask.shape[1]} x {mask.shape[0]} px for a picture of {width} x {height} px")
    else:
        mask = np.ones((height, width), dtype=bool)
    inner = (slice(y0 + BORDER_PX, max(y1 + 1 - BORDER_PX, 0)), slice(x0 + BORDER_PX, max(x1 + 1 - BORDER_PX, 0)))
    filled, is_filled = picture[inner].copy(), mask[inner]
    filled[is_filled] = _mix(filled[is_filled], fill)
    picture[y0 : y1 + 1, x0 : x1 + 1] = outline
    picture[inner] = filled


def draw_pins(image_rgb: NDArray[np.uint8], pins: Sequence[Pin]) -> NDArray[np.uint8]:
    """A copy of a picture with points drawn: pin n in the colour of place n - 1, white and black around it.

    Args:
        image_rgb: (height, width, 3).
        pins: With different numbers.
    """
    picture = image_rgb.copy()
    height, width = picture.shape[:2]
    short = min(height, width)
    radius, thick = max(round(short * PIN_SHARE), 4), max(round(short / 240), 1)
    for one in pins:
        colour = find_colours((one.number - 1) % len(_CLEAR))[0]
        x, y = (int(value) for value in one.xy)
        for line, shade in ((thick + 4, (0, 0, 0)), (thick + 2, (255, 255, 255)), (thick, colour)):
            cv2.circle(picture, (x, y), radius, shade, line, cv2.LINE_AA)
        cv2.circle(picture, (x, y), thick, colour, -1, cv2.LINE_AA)
        beside = x + radius + 4 if x < 0.9 * width else x - 4 * radius
        _write_label(picture, str(one.number), (beside, y - radius + 2), colour)
    return picture


def cut_corners(box: Box, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Corners as whole pixels of the picture, both inclusive."""
    width, height = size
    x0, y0, x1, y1 = (int(value) for value in box)
    return max(x0, 0), max(y0, 0), min(x1, width - 1), min(y1, height - 1)


def _mix(pixels: NDArray[np.uint8], fill: Colour) -> NDArray[np.uint8]:
    alpha = FILL_ALPHA / 255
    return np.round(pixels * (1 - alpha) + np.array(fill) * alpha).astype(np.uint8)


def _write_number(picture: NDArray[np.uint8], one: Highlight, place: int, colour: Colour) -> None:
    height, width = picture.shape[:2]
    x0, y0, _, _ = cut_corners(one.box_xyxy, (width, height))
    text = str(one.number if one.number is not None else place)
    _write_label(picture, text, (x0 + 4, y0 + 6), colour)


def _write_label(picture: NDArray[np.uint8], text: str, at: tuple[int, int], colour: Colour) -> None:
    """Write a number on a plate of its colour, its top left corner at a pixel, or as near as the picture allows."""
    height, width = picture.shape[:2]
    scale = max(height / 720, 0.4)
    (wide, tall), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
    x, y = min(at[0], width - wide - 2), min(max(at[1], 2) + tall, height - 2)
    cv2.rectangle(picture, (x - 2, y - tall - 3), (x + wide + 2, y + 3), colour, -1)
    dark = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] > 140
    cv2.putText(
        picture, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, scale, (0, 0, 0) if dark else (255, 255, 255), 2, cv2.LINE_AA
    )


def _hex(text: str) -> Colour:
    return int(text[:2], 16), int(text[2:4], 16), int(text[4:], 16)
