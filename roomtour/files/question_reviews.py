"""What people made of suggested questions: one JSON line each in a run folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from roomtour.files.appended import Judgements
from roomtour.files.ratings import text_key

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


QUESTION_REVIEWS = Judgements(Path("reviews") / "questions.jsonl", QuestionReview, lambda one: (one.id, one.text_key))


def match_question_reviews(
    reviews: Iterable[QuestionReview], rows: Iterable[tuple[str, str, Asked]]
) -> list[tuple[QuestionReview, Asked]]:
    """Reviews with the rows (id, question, row) they are of; those of texts that are gone are left out."""
    known = {(name, text_key(question)): row for name, question, row in rows}
    return [(one, known[one.id, one.text_key]) for one in reviews if (one.id, one.text_key) in known]
