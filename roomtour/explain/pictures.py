"""Draws frames with boxes and points, side by side, over lines of text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.records import Box

WIDTH_PX = 960
_MOST_COLUMNS = 3
_LINE_PX = 24
_COLORS_BGR = ((60, 60, 230), (220, 130, 30), (40, 160, 40), (190, 40, 190), (0, 150, 220), (120, 120, 0))
"""Of the marks in the order in which the picture meets them, by turns."""

Image = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Marked:
    """A picture and what is drawn in it."""

    image_bgr: Image
    boxes: Sequence[tuple[str, Box]] = ()
    """Each with its mark, in pixels."""
    points: Sequence[tuple[str, tuple[float, float]]] = ()
    """Each with its number, in pixels."""


def draw(pictures: Sequence[Marked], lines: Sequence[str]) -> Image:
    """Pictures in rows of three at most, each with its boxes, and lines of text beneath.

    Args:
        pictures: A mark has one color in all of them. None for a row without views: its lines stand alone.
        lines: Of text.

    Returns:
        (H, WIDTH_PX, 3), BGR.
    """
    if not pictures:
        return _write_lines(lines)
    marks = dict.fromkeys(mark for one in pictures for mark, _ in (*one.boxes, *one.points))
    colors = {mark: _COLORS_BGR[place % len(_COLORS_BGR)] for place, mark in enumerate(marks)}
    columns = min(len(pictures), _MOST_COLUMNS)
    tiles = [_draw_tile(one, colors, WIDTH_PX // columns) for one in pictures]
    height = max(tile.shape[0] for tile in tiles)
    rows = []
    for first in range(0, len(tiles), columns):
        row = np.full((height, WIDTH_PX, 3), 255, np.uint8)
        left = 0
        for tile in tiles[first : first + columns]:
            row[: tile.shape[0], left : left + tile.shape[1]] = tile
            left += tile.shape[1]
        rows.append(row)
    text = [_write_lines(lines)] if lines else []
    return np.asarray(np.vstack([*rows, *text]), dtype=np.uint8)


def _draw_tile(shown: Marked, colors: dict[str, tuple[int, int, int]], width: int) -> Image:
    scale = width / shown.image_bgr.shape[1]
    height = max(1, round(shown.image_bgr.shape[0] * scale))
    picture = cv2.resize(shown.image_bgr, (width, height), interpolation=cv2.INTER_CUBIC)
    letter = 1.1 if width > WIDTH_PX // 2 else 0.8
    for mark, box in shown.boxes:
        x0, y0, x1, y1 = (round(value * scale) for value in box)
        cv2.rectangle(picture, (x0, y0), (x1, y1), colors[mark], 3 if letter > 1 else 2)
        at = (x0 + 6, y0 + round(30 * letter))
        cv2.putText(picture, _ascii(mark), at, cv2.FONT_HERSHEY_SIMPLEX, letter, colors[mark], 2, cv2.LINE_AA)
    for mark, (x, y) in shown.points:
        at = (round(x * scale), round(y * scale))
        radius = max(width // 64, 6)
        for line, color in ((5, (255, 255, 255)), (2, colors[mark])):
            cv2.circle(picture, at, radius, color, line, cv2.LINE_AA)
        beside = (min(at[0] + radius + 3, width - 30), max(at[1] - radius + 2, round(26 * letter)))
        for line, color in ((6, (255, 255, 255)), (2, colors[mark])):
            cv2.putText(picture, _ascii(mark), beside, cv2.FONT_HERSHEY_SIMPLEX, letter, color, line, cv2.LINE_AA)
    return np.asarray(picture, dtype=np.uint8)


def _write_lines(lines: Sequence[str]) -> Image:
    wrapped = [part for line in lines for part in textwrap.wrap(_ascii(line), 96, subsequent_indent="    ") or [""]]
    panel = np.full((_LINE_PX * (len(wrapped) + 1), WIDTH_PX, 3), 255, np.uint8)
    for place, line in enumerate(wrapped, start=1):
        at = (10, _LINE_PX * place)
        cv2.putText(panel, line, at, cv2.FONT_HERSHEY_SIMPLEX, 0.55, (20, 20, 20), 1, cv2.LINE_AA)
    return panel


def _ascii(text: str) -> str:
    """The drawn font knows no other letters."""
    return text.encode("ascii", "replace").decode()
