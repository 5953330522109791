"""Question questions before a person, who uses, rewords or skips each and types an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from instructions.questions.core.records import Question
from roomtour.drawing.pages import read_asset, render
from roomtour.drawing.places import draw_point
from roomtour.errors import RoomtourError
from roomtour.files.question_reviews import (
    QuestionReview,
    Verdict,
    append_question_review,
    load_question_reviews,
)
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
    """The sample for one person; see `Reviewing`."""

    def __init__(self, items: Sequence[QuestionItem], run_folders: Mapping[str, Path], rater: str) -> None:
        """Take up where the person stopped: earlier answers are read from the runs.

        Raises:
            RoomtourError: If answers in a run cannot be read.
        """
        super().__init__(items, run_folders, rater)
        self._take_up(
            load_question_reviews,
            lambda item: (item.row.id, text_key(item.row.question)),
            lambda review: (review.rater, (review.id, review.text_key)),
        )

    @property
    def script(self) -> str:
        """What the page runs."""
        return read_asset("review/question.js")

    def draw(self, row: int, token: str) -> str:
        """The page of one question: the pictures with the things and marks it is about, and no answer."""
        item, given = self.items[row], self._given.get(row)
        return render(
            "review/question.html",
            **self._describe_page(row, token, "questions"),
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

    def take(self, row: int, sent: Any) -> QuestionReview:
        """Check and keep an answer; when this returns it is on the disk.

        Raises:
            RoomtourError: If it does not fit, or cannot be written.
        """
        item = self.items[row]
        told = read_sent(_ANSWER, sent, "answer")
        question, answer = (" ".join(text.split()) for text in (told.question, told.answer))
        if max(len(question), len(answer)) > MAX_NOTE:
            raise RoomtourError(f"answer: question and answer may have at most {MAX_NOTE} letters each")
        if told.verdict != "skip" and not answer:
            raise RoomtourError("answer: type an answer, or skip the question")
        if told.verdict == "reword" and question in ("", item.row.question):
            raise RoomtourError("answer: the question is as it was suggested; change it, or use it")
        review = QuestionReview(
            id=item.row.id,
            text_key=text_key(item.row.question),
            rater=self.rater,
            verdict=told.verdict,
            question=question if told.verdict == "reword" else item.row.question,
            answer="" if told.verdict == "skip" else answer,
            rated=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds=self._seconds_shown(row),
        )
        return self._keep(row, review, append_question_review)
