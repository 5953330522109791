"""Ratings in a run folder, one JSON line each, appended so that no crash and no second rater can spoil the file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from instructions.navigation.records import NavigationText
from roomtour.files.appended import Judgements

Score = Literal[1, 2, 3, 4]
"""How well a text fits its way, from 1 (totally irrelevant) to 4 (perfect match)."""


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
    accurate: bool | None = None
    """Whether all that the text says is true; None in ratings from before this was asked."""


def text_key(text: str) -> str:
    """Names a text by its content: 16 hex digits."""
    return sha256(text.encode()).hexdigest()[:16]


def _names_of(told: NavigationText) -> list[tuple[str, str]]:
    return [(told.id, text_key(told.text))]


RATINGS = Judgements(Path("reviews") / "ratings.jsonl", Rating, lambda one: (one.instruction, one.text_key), _names_of)


def mean_scores(ratings: Iterable[Rating], instructions: Iterable[NavigationText]) -> dict[str, float]:
    """Mean score over the raters, by id of the instruction; outdated ratings do not count."""
    scores: dict[str, list[int]] = defaultdict(list)
    for rating, instruction in RATINGS.match(ratings, instructions)[0]:
        scores[instruction.id].append(rating.score)
    return {name: sum(given) / len(given) for name, given in scores.items()}
