"""Draws frames with boxes and points, side by side, over lines of text; answers to tasks over picture or cloud."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.dialogues.records import CloudBox
from instructions.records import Box, Obb
from recon.pictures import write_picture_file
from roomtour.drawing.cloud import WIDTH_PX, draw_cloud
from roomtour.drawing.colors import object_bgr
from roomtour.drawing.raster import put_halo, to_ascii
from roomtour.drawing.thumbnails import require_picture
from roomtour.errors import RoomtourError

_MOST_COLUMNS = 3
_LINE_PX = 24
_POINT_PX = 4
_EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
Named = Sequence[tuple[str, Sequence[float]]]
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
    marks = dict.fromkeys(mark for picture in pictures for mark, _ in (*picture.boxes, *picture.points))
    colors = {mark: object_bgr(place) for place, mark in enumerate(marks, start=1)}
    columns = min(len(pictures), _MOST_COLUMNS)
    tiles = [_draw_tile(picture, colors, WIDTH_PX // columns) for picture in pictures]
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
        cv2.putText(picture, to_ascii(mark), at, cv2.FONT_HERSHEY_SIMPLEX, letter, colors[mark], 2, cv2.LINE_AA)
    for mark, (x, y) in shown.points:
        at = (round(x * scale), round(y * scale))
        radius = max(width // 64, 6)
        for line, color in ((5, (255, 255, 255)), (2, colors[mark])):
            cv2.circle(picture, at, radius, color, line, cv2.LINE_AA)
        beside = (min(at[0] + radius + 3, width - 30), max(at[1] - radius + 2, round(26 * letter)))
        put_halo(picture, to_ascii(mark), beside, letter, (255, 255, 255), 2, 2.0)
        cv2.putText(picture, to_ascii(mark), beside, cv2.FONT_HERSHEY_SIMPLEX, letter, colors[mark], 2, cv2.LINE_AA)
    return np.asarray(picture, dtype=np.uint8)


def _write_lines(lines: Sequence[str]) -> Image:
    wrapped = [part for line in lines for part in textwrap.wrap(to_ascii(line), 96, subsequent_indent="    ") or [""]]
    panel = np.full((_LINE_PX * (len(wrapped) + 1), WIDTH_PX, 3), 255, np.uint8)
    for place, line in enumerate(wrapped, start=1):
        at = (10, _LINE_PX * place)
        cv2.putText(panel, line, at, cv2.FONT_HERSHEY_SIMPLEX, 0.55, (20, 20, 20), 1, cv2.LINE_AA)
    return panel


def draw_answer(medium: Path, truths: Named, told: Named, lines: Sequence[str], target: Path) -> Path:
    """Write a picture of an answer.

    Args:
        medium: A picture, or a cloud (`.npy`).
        truths: Names with boxes or points: shares of the picture, or centre and lengths in a cloud.
        told: The same of the answer.
        lines: Of text beneath.
        target: PNG to write.

    Raises:
        RoomtourError: If the medium cannot be read or the picture not be written.
    """
    spots = [*(("true " + name, spot) for name, spot in truths), *(("said " + name, spot) for name, spot in told)]
    marked = _mark_cloud(medium, spots) if medium.suffix == ".npy" else _mark_picture(medium, spots)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_picture_file(target, draw([marked], lines))
    except (OSError, ValueError) as error:
        raise RoomtourError(f"{target}: cannot be written: {error}") from error
    return target


def _mark_picture(path: Path, spots: Named) -> Marked:
    image = require_picture(path)
    height, width = image.shape[:2]
    boxes: list[tuple[str, Box]] = []
    for name, spot in spots:
        x0, y0, *rest = (float(value) * side for value, side in zip(spot, (width, height) * 2, strict=False))
        x1, y1 = rest if len(rest) == 2 else (x0 + _POINT_PX, y0 + _POINT_PX)
        if np.isfinite([x0, y0, x1, y1]).all() and max(map(abs, (x0, y0, x1, y1))) < 10 * max(width, height):
            boxes.append((name, (x0, y0, x1, y1)))
    return Marked(image, boxes)


def _mark_cloud(path: Path, spots: Named) -> Marked:
    try:
        points: NDArray[np.float32] = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise RoomtourError(f"{path}: cannot be read as an array: {error}") from error
    extent = float(np.abs(points[:, :3]).max(initial=1.0)) * 3
    boxes = []
    for name, spot in spots:
        if len(spot) == 6 and np.isfinite(spot).all() and max(map(abs, spot)) < extent:
            cx, cy, cz, lx, ly, lz = (float(value) for value in spot)
            obb = Obb((cx, cy, cz), (abs(lx) / 2, abs(ly) / 2, abs(lz) / 2), _EYE)
            boxes.append(CloudBox(name, name, (cx, cy, cz), (abs(lx), abs(ly), abs(lz)), obb))
    return Marked(draw_cloud(points, boxes))
