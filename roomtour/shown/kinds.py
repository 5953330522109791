"""What a picture shows of a row, by kind of data: frames and clouds with boxes, and lines with the numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from instructions.dialogues.explain import explain as explain_dialogue
from instructions.dialogues.records import CloudBox, Dialogue
from instructions.questions.core.records import Question
from instructions.questions.quality.explain import explain as explain_question
from instructions.questions.quality.explain import find_pictures
from instructions.records import Box
from instructions.regions.explain import explain as explain_qar
from instructions.regions.records import Qar


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


def show_question(row: Question) -> tuple[ShownFrame, ...]:
    """The pictures of a question in its order, each with the boxes and marks of what it shows."""
    return tuple(
        ShownFrame(
            frame,
            tuple(
                (str(one.mark.number) if one.mark else slot, one.box_xyxy)
                for slot, one in shown
                if one.box_xyxy is not None
            ),
            tuple((str(one.mark.number), one.mark.xy) for _, one in shown if one.mark and one.mark.xy),
        )
        for frame, shown in find_pictures(row)
    )


def _explain_question(row: Question) -> Explained:
    return Explained(show_question(row), explain_question(row))


def _explain_regions(row: Qar) -> Explained:
    boxes = tuple((str(region.number), region.box_xyxy) for region in row.regions)
    return Explained((ShownFrame(row.views[0], boxes),), explain_qar(row))


def _explain_dialogue(row: Dialogue) -> Explained:
    if row.cloud is None:
        lettered = list(zip(letter_boxes(one.box_xyxy for one in row.boxes), row.boxes, strict=True))
        shown = tuple(
            ShownFrame(frame, tuple(drawn for drawn, box in lettered if box.view in (None, frame)))
            for frame in row.views
        )
    else:
        shown = (ShownCloud(row.cloud, row.truth.cloud_objects if row.truth is not None else ()),)
    return Explained(shown, explain_dialogue(row))


EXPLAINED: Mapping[str, Callable[[Any], Explained]] = {
    "spatial": _explain_question,
    "programs": _explain_question,
    "regions": _explain_regions,
    "dialogues": _explain_dialogue,
}
"""Kinds whose rows can be drawn."""
