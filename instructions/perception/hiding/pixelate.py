"""Copies of a tour's pictures in which boxes are coarse squares."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.perception.frames.view_flow import measure_flow, read_thumbnail
from instructions.records import Box
from recon.pictures import read_picture_file, write_picture_file
from recon.records import Frame
from recon.tasks import FanOut, map_here

_MARGIN = 0.15
"""A box is widened by this share of its size on each side: hair, hands and feet reach out of it."""
_NEXT_MARGIN = 0.25
"""The same for a box of a neighbouring picture: a person moves by other ways than the room."""
_SQUARES = 6
"""Along the longer side of a box: a head is less than one square of a whole person, and a face that fills the box has
no eyes left."""
_LEAST_SQUARE_PX = 8
_JPEG_QUALITY = 90


@dataclass(frozen=True)
class Hidden:
    """What was done."""

    pictures: int
    changed: int
    """Pictures with at least one box in them."""


def copy_hidden(
    frames: Sequence[Frame],
    frames_dir: Path,
    out: Path,
    find: Callable[[Path], list[Box]],
    *,
    fan_out: FanOut = map_here,
    progress: Callable[[float], None] | None = None,
) -> Hidden:
    """Write every picture of a tour to another folder, pixelated where something is to be hidden.

    Every picture is looked at. What one shows is hidden in the one before and the one after too, where it has moved to,
    for a network misses a person in one picture of several.

    Args:
        frames: The tour's frames, in time order.
        frames_dir: Their pictures.
        out: Folder for the copies, under the same names; it exists.
        find: Boxes to hide in one picture.
        fan_out: Gives out the pictures.
        progress: Told the share done, 0 to 1.

    Raises:
        InstructionError: If a picture cannot be read or written: none may go out unseen.
    """
    found: list[list[Box]] = []
    for boxes in fan_out(find, [frames_dir / frame.image for frame in frames]):
        found.append(boxes)
        if progress is not None:
            progress(len(found) / len(frames))
    hidden = [[_widen(box, _MARGIN) for box in boxes] for boxes in found]
    for first, second in pairwise(range(len(frames))):
        if frames[first].shot == frames[second].shot:
            hidden[second] += _move_boxes(found[first], frames[first], frames[second], frames_dir)
            hidden[first] += _move_boxes(found[second], frames[second], frames[first], frames_dir)
    for frame, boxes in zip(frames, hidden, strict=True):
        source, target = frames_dir / frame.image, out / frame.image
        if not boxes:
            shutil.copyfile(source, target)
            continue
        decoded = read_picture_file(source)
        if decoded is None:
            raise InstructionError(f"--hide: {frame.image} cannot be decoded; process the tour again")
        image = np.asarray(decoded, dtype=np.uint8)
        for box in boxes:
            pixelate(image, box)
        try:
            write_picture_file(target, image, cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY)
        except (OSError, ValueError) as error:
            raise InstructionError(f"--hide: {target} cannot be written: {error}") from error
    return Hidden(len(frames), sum(bool(boxes) for boxes in hidden))


def pixelate(image: NDArray[np.uint8], box_xyxy: Box) -> None:
    """Turn a box of a picture (h, w, 3) into coarse squares, in place; what lies outside the picture is left out."""
    height, width = image.shape[:2]
    x0, y0 = max(0, int(np.floor(box_xyxy[0]))), max(0, int(np.floor(box_xyxy[1])))
    x1, y1 = min(width, int(np.ceil(box_xyxy[2]))), min(height, int(np.ceil(box_xyxy[3])))
    if x1 <= x0 or y1 <= y0:
        return
    side = max(_LEAST_SQUARE_PX, -(-max(x1 - x0, y1 - y0) // _SQUARES))
    squares = (max(1, (x1 - x0) // side), max(1, (y1 - y0) // side))
    coarse = cv2.resize(image[y0:y1, x0:x1], squares, interpolation=cv2.INTER_AREA)
    image[y0:y1, x0:x1] = cv2.resize(coarse, (x1 - x0, y1 - y0), interpolation=cv2.INTER_NEAREST)


def _move_boxes(boxes: Sequence[Box], start: Frame, end: Frame, frames_dir: Path) -> list[Box]:
    """Boxes of one picture where they are in its neighbour; where they were if nothing tells how the view moved."""
    if not boxes:
        return []
    first, second = (read_thumbnail(frames_dir / one.image, one.width, one.height) for one in (start, end))
    flow = measure_flow(first, second) if first is not None and second is not None else None
    moved = [flow.move(box) for box in boxes] if flow is not None else boxes
    return [_widen(box, _NEXT_MARGIN) for box in moved if box is not None]


def _widen(box_xyxy: Box, share: float) -> Box:
    x0, y0, x1, y1 = box_xyxy
    wide, high = share * (x1 - x0), share * (y1 - y0)
    return (x0 - wide, y0 - high, x1 + wide, y1 + high)
