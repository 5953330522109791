"""By kind of data: what a picture shows of one of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from instructions.dialogues.explain import explain as explain_dialogue
from instructions.dialogues.records import Dialogue
from instructions.programs.explain import explain as explain_program
from instructions.programs.picture import find_pictures
from instructions.programs.records import ProgramQuestion
from instructions.questions.explain import explain as explain_question
from instructions.questions.records import SpatialQuestion
from instructions.regions.explain import explain as explain_qar
from instructions.regions.records import Qar
from roomtour.shown.explained import Explained, ShownCloud, ShownFrame, letter_boxes


def show_question(row: SpatialQuestion) -> tuple[ShownFrame, ...]:
    """The pictures of a spatial question in its order: things boxed in the first, each mark in that of its frame."""
    boxes = letter_boxes(one.box_xyxy for one in row.references)
    marks = [one.mark for one in row.references if one.mark is not None]
    return tuple(
        ShownFrame(
            frame, () if place else boxes, tuple((str(one.number), one.xy) for one in marks if one.frame == frame)
        )
        for place, frame in enumerate(row.views)
    )


def _explain_spatial(row: SpatialQuestion) -> Explained:
    return Explained(show_question(row), explain_question(row))


def _explain_programs(row: ProgramQuestion) -> Explained:
    frames = tuple(ShownFrame(frame, tuple(boxes)) for frame, boxes in find_pictures(row))
    return Explained(frames, explain_program(row))


def _explain_regions(row: Qar) -> Explained:
    boxes = tuple((str(one.number), one.box_xyxy) for one in row.regions)
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
    "spatial": _explain_spatial,
    "programs": _explain_programs,
    "regions": _explain_regions,
    "dialogues": _explain_dialogue,
}
"""Kinds whose rows can be drawn."""
