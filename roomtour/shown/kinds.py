"""By kind of data: what a picture shows of one of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from instructions.dialogues.explain import explain as explain_dialogue
from instructions.dialogues.records import Dialogue
from instructions.questions.core.records import Question
from instructions.questions.quality.explain import explain as explain_question
from instructions.questions.quality.explain import find_pictures
from instructions.regions.explain import explain as explain_qar
from instructions.regions.records import Qar
from roomtour.shown.explained import Explained, ShownCloud, ShownFrame, letter_boxes


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
    "spatial": _explain_question,
    "programs": _explain_question,
    "regions": _explain_regions,
    "dialogues": _explain_dialogue,
}
"""Kinds whose rows can be drawn."""
