"""Which frames a person sees who answers a question, and what is boxed in them: nothing there may tell the answer."""

from __future__ import annotations

from instructions.programs.records import ProgramQuestion
from instructions.questions.records import SpatialQuestion
from roomtour.shown.explained import ShownFrame, letter_boxes

_TELLING = ("appearance_order", "temporal_sequence", "in_frame", "in_same", "first_taller", "walk_")
"""Parts of names of types about when things are seen, whose answers boxes in the frames would tell."""


def find_frames(row: SpatialQuestion | ProgramQuestion) -> list[ShownFrame]:
    """Frames in order of time.

    One view: that view, with all boxes. Several or a video: all views that the row is about, each thing boxed where it
    is seen best, or nowhere if the question is about when things are seen.
    """
    if isinstance(row, SpatialQuestion):
        return [ShownFrame(row.views[0], letter_boxes(one.box_xyxy for one in row.references))]
    if any(part in row.type for part in _TELLING):
        return [ShownFrame(frame, ()) for frame in row.views]
    lettered = dict(letter_boxes(one.box_xyxy for one in row.references))
    places = {chr(ord("A") + place): one.frame for place, one in enumerate(row.references)}
    return [
        ShownFrame(frame, tuple((letter, box) for letter, box in lettered.items() if places[letter] == frame))
        for frame in row.views
    ]
