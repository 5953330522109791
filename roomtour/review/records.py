"""A person's rating of one text."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, get_args

Score = Literal[1, 2, 3, 4]
SCORES: tuple[Score, ...] = get_args(Score)
SCORE_WORDS = {1: "misleads", 2: "partly wrong", 3: "right, with a flaw", 4: "right"}
GOOD_SCORES = (3, 4)
MAX_NOTE = 2000


@dataclass(frozen=True)
class Rating:
    """One line of `reviews/ratings.jsonl`. A later line of the same rater on the same text replaces an earlier one."""

    instruction: str
    """`Instruction.id`."""
    text_key: str
    """`text_key` of the text that was judged: a text that was written anew has not been judged."""
    rater: str
    score: Score
    wrong_words: tuple[int, ...]
    """Words of the text, split at white space and counted from 0, that the rater marked as wrong."""
    note: str
    rated: str
    """UTC time, ISO 8601."""
    seconds: float
    """From showing the text to the answer."""


def text_key(text: str) -> str:
    """Names a text by its content: 16 hex digits."""
    return sha256(text.encode()).hexdigest()[:16]
