"""What a model that looks may reply, as JSON of a schema."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from instructions.regions.parse import PlainText

MOST_NARRATIVES = 5
MOST_QUESTIONS = 15


class CaptionReply(BaseModel):
    """Of one region."""

    model_config = ConfigDict(extra="forbid")
    caption: Annotated[PlainText, Field(min_length=1, max_length=80)]


class NarrativesReply(BaseModel):
    """Of one view."""

    model_config = ConfigDict(extra="forbid")
    narratives: Annotated[list[PlainText], Field(min_length=1, max_length=MOST_NARRATIVES)]


class QuestionsReply(BaseModel):
    """Of one view."""

    model_config = ConfigDict(extra="forbid")
    questions: Annotated[list[PlainText], Field(min_length=1, max_length=MOST_QUESTIONS)]


class NumberedAnswer(BaseModel):
    """To one question."""

    model_config = ConfigDict(extra="forbid")
    number: Annotated[int, Field(ge=1, le=MOST_QUESTIONS)]
    answer: PlainText


class AnswersReply(BaseModel):
    """To the questions about one view; those that it leaves out are not answered."""

    model_config = ConfigDict(extra="forbid")
    answers: Annotated[list[NumberedAnswer], Field(max_length=MOST_QUESTIONS)]
