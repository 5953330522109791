"""Suggested questions before a person, who uses, rewords or skips each and types an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from instructions.questions.core.records import Question
from roomtour.drawing.places import draw_point
from roomtour.errors import RoomtourError
from roomtour.files.reviews import QUESTION_REVIEWS, QuestionReview, Verdict, text_key
from roomtour.review.sampled import MAX_NOTE, Item, SampledSession, draw_by_lot, read_sent
from roomtour.shown.kinds import ShownFrame, show_question
from roomtour.view.tour import TourView

_TELLING = ("appearance_order", "temporal_sequence", "in_frame", "in_same", "first_taller", "walk_")
"""Parts of names of types about when things are seen, whose answers boxes in the frames would tell."""


@dataclass(frozen=True)
class Answer:
    """What the page sends."""

    verdict: Verdict
    question: str
    answer: str


def draw_questions(
    tours: Mapping[str, tuple[TourView, Sequence[Question]]], size: int, seed: int = 0
) -> list[Item[Question]]:
    """Questions to judge, of tours with their accepted questions by the key of their run."""
    items = (Item(run, tour, row) for run, (tour, rows) in tours.items() for row in rows)
    return draw_by_lot(items, size, seed)


def find_frames(row: Question) -> list[ShownFrame]:
    """All views that the row is about, in its order, with boxes and marks where they do not tell the answer."""
    shown = {} if any(part in row.type for part in _TELLING) else {one.frame: one for one in show_question(row)}
    return [shown.get(frame, ShownFrame(frame, ())) for frame in row.views]


class QuestionSession(SampledSession[Item[Question], QuestionReview]):
    """The sample of questions for one person."""

    judgements, page, noun = QUESTION_REVIEWS, "question", "question"

    def describe(self, item: Item[Question], given: QuestionReview | None) -> dict[str, Any]:
        """The pictures with the things and marks it is about, and no answer."""
        return dict(
            kind=item.row.type,
            suggested=item.row.question,
            question=given.question if given and given.question else item.row.question,
            answer=given.answer if given else "",
            shown=[
                (
                    (frame := item.tour.frames[one.frame]),
                    [box for _, box in one.boxes],
                    [draw_point(int(mark), mark, xy, frame.width) for mark, xy in one.points],
                )
                for one in find_frames(item.row)
                if one.frame in item.tour.frames
            ],
        )

    def judge(self, item: Item[Question], given: Any, signed: Mapping[str, Any]) -> QuestionReview:
        """The review that a page sent."""
        told = read_sent(Answer, given, "answer")
        question, answer = (" ".join(text.split()) for text in (told.question, told.answer))
        if max(len(question), len(answer)) > MAX_NOTE:
            raise RoomtourError(f"answer: question and answer may have at most {MAX_NOTE} letters each")
        if told.verdict != "skip" and not answer:
            raise RoomtourError("answer: type an answer, or skip the question")
        if told.verdict == "reword" and question in ("", item.row.question):
            raise RoomtourError("answer: the question is as it was suggested; change it, or use it")
        return QuestionReview(
            **signed,
            id=item.row.id,
            text_key=text_key(item.row.question),
            verdict=told.verdict,
            question=question if told.verdict == "reword" else item.row.question,
            answer="" if told.verdict == "skip" else answer,
        )
