"""What people made of suggested questions: one JSON line each in a run folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from roomtour.files.appended import append_record, load_last
from roomtour.files.ratings import text_key
from roomtour.files.records import to_plain

FILE = Path("reviews") / "questions.jsonl"
Verdict = Literal["use", "reword", "skip"]


@dataclass(frozen=True)
class QuestionReview:
    """One line of `reviews/questions.jsonl`; a later one of the same person on the same question replaces it.

    `roomtour score` reads the file as answers.
    """

    id: str
    """Of the suggested row."""
    text_key: str
    """Of the suggested question: one that was written anew has not been reviewed."""
    rater: str
    verdict: Verdict
    question: str
    """As suggested, or as reworded."""
    answer: str
    """What the person typed; empty for a skipped one."""
    rated: str
    """UTC time, ISO 8601."""
    seconds: float
    """From showing the question to the answer."""


Asked = TypeVar("Asked")


def append_question_review(run: Path, review: QuestionReview) -> None:
    """Add one; when this returns it is on the disk.

    Raises:
        RoomtourError: If the file cannot be written.
    """
    append_record(run / FILE, to_plain(review, QuestionReview), "answer")


def load_question_reviews(run: Path) -> tuple[QuestionReview, ...]:
    """The last of each person on each question, in the order in which they were first reviewed.

    Raises:
        RoomtourError: Naming line and field of the first line that does not fit.
    """
    return load_last(run / FILE, QuestionReview, lambda one: (one.id, one.text_key, one.rater))


def match_question_reviews(
    reviews: Iterable[QuestionReview], rows: Iterable[tuple[str, str, Asked]]
) -> list[tuple[QuestionReview, Asked]]:
    """Reviews with the rows (id, question, row) they are of; those of texts that are gone are left out."""
    known = {(name, text_key(question)): row for name, question, row in rows}
    return [(one, known[one.id, one.text_key]) for one in reviews if (one.id, one.text_key) in known]
