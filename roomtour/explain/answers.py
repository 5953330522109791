"""Draws an answer to a task over its picture or cloud: what is true and what was said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.dialogues.records import CloudBox
from instructions.records import Box, Obb
from recon.pictures import read_picture_file, write_picture_file
from roomtour.drawing.cloud import draw_cloud
from roomtour.errors import RoomtourError
from roomtour.explain.pictures import WIDTH_PX, Marked, draw

_POINT_PX = 4
_EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
Named = Sequence[tuple[str, Sequence[float]]]


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
    image = read_picture_file(path)
    if image is None:
        raise RoomtourError(f"{path}: cannot be read as an image")
    height, width = image.shape[:2]
    boxes: list[tuple[str, Box]] = []
    for name, spot in spots:
        x0, y0, *rest = (float(value) * side for value, side in zip(spot, (width, height) * 2, strict=False))
        x1, y1 = rest if len(rest) == 2 else (x0 + _POINT_PX, y0 + _POINT_PX)
        if np.isfinite([x0, y0, x1, y1]).all() and max(map(abs, (x0, y0, x1, y1))) < 10 * max(width, height):
            boxes.append((name, (x0, y0, x1, y1)))
    return Marked(np.asarray(image, dtype=np.uint8), boxes)


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
    return Marked(draw_cloud(points, boxes, WIDTH_PX))
