"""Which frames a person sees who answers a question, and what is boxed in them: nothing there may tell the answer."""

from __future__ import annotations

from instructions.questions.core.records import Question
from roomtour.shown.explained import ShownFrame
from roomtour.shown.kinds import show_question

_TELLING = ("appearance_order", "temporal_sequence", "in_frame", "in_same", "first_taller", "walk_")
"""Parts of names of types about when things are seen, whose answers boxes in the frames would tell."""


def find_frames(row: Question) -> list[ShownFrame]:
    """All views that the row is about, in its order, with boxes and marks where they do not tell the answer."""
    shown = {} if any(part in row.type for part in _TELLING) else {one.frame: one for one in show_question(row)}
    return [shown.get(frame, ShownFrame(frame, ())) for frame in row.views]
