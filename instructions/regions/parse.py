"""What a language model may reply: three texts with their claims each, as JSON of a schema."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from instructions.claims.stated import StatedClaim
from instructions.language.requests import StrictModel
from instructions.regions.rules import MOST_QUESTION_WORDS

_STRANGE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f<>{}`\\|*#_~^]|\[(?!\d{1,4}\])|(?<!\d)\]")


def _plain(text: str) -> str:
    found = _STRANGE.search(text)
    if found:
        raise ValueError(f"holds {found.group()!r}; only plain text and [n] are allowed")
    return " ".join(text.split())


def _asks(text: str) -> str:
    if not text.endswith("?"):
        raise ValueError("the question must end with a question mark")
    if len(text.split()) > MOST_QUESTION_WORDS:
        raise ValueError(f"the question has {len(text.split())} words, at most {MOST_QUESTION_WORDS} are allowed")
    return text


def quote(text: str) -> str:
    """A text as data of a prompt, between marks that it cannot close from inside."""
    return f"<<<{text.replace('<', '(').replace('>', ')')}>>>"


MOST_CLAIMS = 8
"""Of two sentences: more is a list."""
PlainText = Annotated[str, Field(max_length=600), AfterValidator(_plain)]


class QarText(StrictModel):
    """One item of a reply."""

    question: Annotated[PlainText, AfterValidator(_asks)]
    answer: PlainText
    rationale: PlainText
    claims: Annotated[list[StatedClaim], Field(max_length=MOST_CLAIMS)]
    """Of the answer."""
    reasons: Annotated[list[StatedClaim], Field(max_length=MOST_CLAIMS)]
    """Of the rationale."""


class Qars(StrictModel):
    """A reply."""

    qars: Annotated[list[QarText], Field(min_length=1, max_length=3)]
