"""Suggested questions before a person, who uses, rewords or skips each and types an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter

from instructions.questions.core.records import Question
from roomtour.drawing.places import draw_point
from roomtour.errors import RoomtourError
from roomtour.files.question_reviews import QUESTION_REVIEWS, QuestionReview, Verdict
from roomtour.files.ratings import text_key
from roomtour.review.question_frames import find_frames
from roomtour.review.sampled import SampledSession, read_sent
from roomtour.review.scores import MAX_NOTE
from roomtour.view.tour import TourView


@dataclass(frozen=True, eq=False)
class QuestionItem:
    """One suggested question."""

    run: str
    """Key of the run it lies in."""
    tour: TourView
    row: Question


@dataclass(frozen=True)
class Answer:
    """What the page sends."""

    verdict: Verdict
    question: str
    answer: str


_ANSWER = TypeAdapter(Answer)


def draw_questions(
    tours: Mapping[str, tuple[TourView, Sequence[Question]]], size: int, seed: int = 0
) -> list[QuestionItem]:
    """Questions to judge, over all runs alike: by a lot that hangs on seed, tour and row alone.

    Args:
        tours: The view of each run with its accepted questions, by key of the run.
        size: At most so many.
        seed: Another one draws others.
    """
    items = [QuestionItem(run, tour, row) for run, (tour, rows) in tours.items() for row in rows]
    return sorted(items, key=lambda item: sha256(f"{seed}/{item.tour.name}/{item.row.id}".encode()).digest())[:size]


class QuestionSession(SampledSession[QuestionItem, QuestionReview]):
    """The sample of questions for one person."""

    judgements, page, noun = QUESTION_REVIEWS, "question", "question"

    @staticmethod
    def name_item(item: QuestionItem) -> tuple[str, str]:
        """Its id, and what it asks."""
        return item.row.id, text_key(item.row.question)

    def describe(self, item: QuestionItem, given: QuestionReview | None) -> dict[str, Any]:
        """The pictures with the things and marks it is about, and no answer."""
        return dict(
            kind=item.row.type,
            suggested=item.row.question,
            question=given.question if given and given.question else item.row.question,
            answer=given.answer if given else "",
            verdict=given.verdict if given else None,
            shown=[
                (
                    (frame := item.tour.frames[one.frame]),
                    [box for _, box in one.boxes],
                    [draw_point(int(mark), mark, xy, frame.width) for mark, xy in one.points],
                )
                for one in find_frames(item.row)
                if one.frame in item.tour.frames
            ],
            max_letters=MAX_NOTE,
        )

    def judge(self, item: QuestionItem, given: Any, signed: Mapping[str, Any]) -> QuestionReview:
        """The review that a page sent."""
        told = read_sent(_ANSWER, given, "answer")
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
