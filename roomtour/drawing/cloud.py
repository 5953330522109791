"""A point cloud with boxes, seen from two sides: from above, and from one wall."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.dialogues.records import Cloud, CloudBox
from roomtour.drawing.colors import object_bgr
from roomtour.errors import RoomtourError
from roomtour.files.arrays import read_cloud_file

_MARGIN_PX = 24
WIDTH_PX = 960


def draw_cloud_of(
    run: Path, clouds: Sequence[Cloud], name: str, boxes: Sequence[CloudBox] | None = None
) -> NDArray[np.uint8]:
    """A cloud of a run with some of its boxes, all if not given, as `draw_cloud` draws it.

    Raises:
        RoomtourError: If the run has no such cloud, or its file cannot be read.
    """
    cloud = next((one for one in clouds if one.name == name), None)
    if cloud is None:
        raise RoomtourError(f"{run}: the run has no cloud {name}; make it again with: roomtour make")
    return draw_cloud(read_cloud_file(run / "dialogues" / cloud.path), boxes or cloud.boxes)


def draw_cloud(xyz_rgb: NDArray[np.float32], boxes: Sequence[CloudBox], width_px: int = WIDTH_PX) -> NDArray[np.uint8]:
    """A picture (h, width, 3), b g r: the cloud from above beside the cloud from the side of y, boxes with letters.

    Args:
        xyz_rgb: (N, 6) points and colours from 0 to 255.
        boxes: To draw, lettered from A.
        width_px: Of the whole picture.
    """
    half = width_px // 2
    corners = [np.array(box.center) + sign * np.array(box.lengths) / 2 for box in boxes for sign in (-1, 1)]
    shown = np.vstack([*np.percentile(xyz_rgb[:, :3], [1.0, 99.0], axis=0), *corners])
    low, high = shown.min(axis=0) - 0.3, shown.max(axis=0) + 0.3
    scale = (half - 2 * _MARGIN_PX) / max(high[0] - low[0], high[1] - low[1], high[2] - low[2], 0.1)
    above = _draw_side(xyz_rgb, boxes, (0, 1), low, high, scale, half)
    side = _draw_side(xyz_rgb, boxes, (0, 2), low, high, scale, half)
    return np.asarray(np.hstack([above, side]), dtype=np.uint8)


def _draw_side(
    xyz_rgb: NDArray[np.float32], boxes: Sequence[CloudBox], axes: tuple[int, int], low: NDArray, high: NDArray,
    scale: float, size: int,
) -> NDArray[np.uint8]:  # fmt: skip
    picture = np.full((size, size, 3), 255, np.uint8)

    def place(points: NDArray) -> NDArray[np.int64]:
        x = (points[:, axes[0]] - low[axes[0]]) * scale + _MARGIN_PX
        y = size - _MARGIN_PX - (points[:, axes[1]] - low[axes[1]]) * scale
        return np.stack([x, y], axis=1).round().astype(np.int64)

    order = np.argsort(xyz_rgb[:, 2] if axes[1] == 1 else -xyz_rgb[:, 1])
    pixels = place(xyz_rgb[order])
    inside = ((pixels >= 0) & (pixels < size)).all(axis=1)
    picture[pixels[inside, 1], pixels[inside, 0]] = xyz_rgb[order][inside][:, 5:2:-1].clip(0, 255).astype(np.uint8)
    for number, box in enumerate(boxes):
        center, half = np.array(box.center), np.array(box.lengths) / 2
        corners = place(np.array([center - half, center + half]))
        color = object_bgr(number + 1)
        cv2.rectangle(picture, tuple(map(int, corners[0])), tuple(map(int, corners[1])), color, 2)
        at = (int(corners[0, 0]) + 3, int(corners[1, 1]) + 16)
        cv2.putText(picture, chr(ord("A") + number % 26), at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, color, 2, cv2.LINE_AA)
    return picture
