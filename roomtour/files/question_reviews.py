"""What people made of suggested questions: one JSON line each in a run folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from instructions.questions.core.records import Question
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


def _names_of(row: Question) -> list[tuple[str, str]]:
    return [(row.id, text_key(row.question))]


QUESTION_REVIEWS = Judgements(
    Path("reviews") / "questions.jsonl", QuestionReview, lambda one: (one.id, one.text_key), _names_of
)
