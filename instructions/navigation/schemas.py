"""What a reply must look like. Lengths and characters are checked here: servers promise none."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from instructions.language.quoting import clean

MAX_CHARS = 600
MIN_WORDS, MAX_WORDS = 3, 110
_PLAIN = re.compile(r"[A-Za-z0-9 ,.;:!?'()\u2018\u2019\u2013\u2014\u00c0-\u024f-]+")


def _plain_sentence(text: str) -> str:
    """One line of plain English of a length that a walker can follow.

    Raises:
        ValueError: Naming what is wrong, for the repair round.
    """
    line = clean(text, 4 * MAX_CHARS)
    if len(line) > MAX_CHARS:
        raise ValueError(f"a text has more than {MAX_CHARS} characters")
    if not MIN_WORDS <= len(line.split()) <= MAX_WORDS:
        raise ValueError(f"a text must have {MIN_WORDS} to {MAX_WORDS} words")
    if not _PLAIN.fullmatch(line):
        odd = sorted(set(_PLAIN.sub("", line)))[:5]
        raise ValueError(f"a text may hold only letters, digits and plain punctuation, not {' '.join(odd)}")
    return line


PlainText = Annotated[str, AfterValidator(_plain_sentence)]


class Texts(BaseModel):
    """Texts about one way, each worded differently."""

    model_config = ConfigDict(extra="forbid")

    texts: list[PlainText] = Field(min_length=1, max_length=8)
