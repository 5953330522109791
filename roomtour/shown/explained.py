"""What a picture shows of a row, whichever kind of data it is of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from instructions.dialogues.records import CloudBox
from instructions.records import Box


@dataclass(frozen=True)
class ShownFrame:
    """A frame of the tour with boxes in it."""

    frame: int
    boxes: tuple[tuple[str, Box], ...]
    """Each with the mark that is written on it."""
    points: tuple[tuple[str, tuple[float, float]], ...] = ()
    """Points, each with its number."""


@dataclass(frozen=True)
class ShownCloud:
    """A point cloud of the run with boxes in it."""

    name: str
    boxes: tuple[CloudBox, ...]


@dataclass(frozen=True)
class Explained:
    """Frames and clouds side by side, and lines of text beneath them."""

    shown: tuple[ShownFrame | ShownCloud, ...]
    lines: tuple[str, ...]


def letter_boxes(boxes: Iterable[Box | None]) -> tuple[tuple[str, Box], ...]:
    """Boxes under A, B and so on; a thing that is not in the picture keeps its letter and has no box."""
    return tuple((chr(ord("A") + place % 26), box) for place, box in enumerate(boxes) if box is not None)
