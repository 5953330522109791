"""Which frames a person must see to check a row, and what is drawn into them."""

from __future__ import annotations

from instructions.programs.records import ProgramQuestion
from instructions.records import Box

MOST_FRAMES = 6
SLOTS = "ABCDEF"


def find_pictures(row: ProgramQuestion) -> list[tuple[int, list[tuple[str, Box]]]]:
    """Frames in time order, each with the letters and boxes of what it shows best.

    Images: all of them. A video: those that show the things best, or first where the question is about time, and the
    first and last. A scan: none.
    """
    boxes: dict[int, list[tuple[str, Box]]] = {}
    if len(row.views) <= MOST_FRAMES:
        boxes = {frame: [] for frame in row.views}
    for letter, one in zip(SLOTS, row.references, strict=False):
        if one.frame is not None and one.box_xyxy is not None:
            boxes.setdefault(one.frame, []).append((letter, one.box_xyxy))
    if not boxes and row.views:
        last = len(row.views) - 1
        boxes = {row.views[round(at * last / (MOST_FRAMES - 1))]: [] for at in range(MOST_FRAMES)}
    return sorted(boxes.items())
