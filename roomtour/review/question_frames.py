"""Which frames a person sees who answers a question, and what is boxed in them: nothing there may tell the answer."""

from __future__ import annotations

from instructions.programs.records import ProgramQuestion
from instructions.questions.records import SpatialQuestion
from roomtour.shown.explained import ShownFrame, letter_boxes
from roomtour.shown.kinds import show_question

_TELLING = ("appearance_order", "temporal_sequence", "in_frame", "in_same", "first_taller", "walk_")
"""Parts of names of types about when things are seen, whose answers boxes in the frames would tell."""


def find_frames(row: SpatialQuestion | ProgramQuestion) -> list[ShownFrame]:
    """Frames in the order in which they are shown.

    Spatial questions: their views in the order of the question, with boxes and marks. Others: all views that the row is
    about, each thing boxed where it is seen best, or nowhere if the question is about when things are seen.
    """
    if isinstance(row, SpatialQuestion):
        return list(show_question(row))
    if any(part in row.type for part in _TELLING):
        return [ShownFrame(frame, ()) for frame in row.views]
    lettered = dict(letter_boxes(one.box_xyxy for one in row.references))
    places = {chr(ord("A") + place): one.frame for place, one in enumerate(row.references)}
    return [
        ShownFrame(frame, tuple((letter, box) for letter, box in lettered.items() if places[letter] == frame))
        for frame in row.views
    ]
