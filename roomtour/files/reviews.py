"""What people said of rows of a run: one JSON line each in a file of its folder, and what it adds up to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from instructions.dialogues.records import Dialogue
from instructions.dialogues.talks.pilot import Rating as DialogueRating
from instructions.dialogues.talks.pilot import Standing, judge_stratum, lower_bound, name_stratum
from instructions.navigation.records import NavigationText
from instructions.questions.core.records import Question
from instructions.regions.records import Pair, PairRating, Qar, Rating3
from roomtour.files.appended import Judgements
from roomtour.files.records import group_by

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


RATINGS: Judgements[Rating, NavigationText] = Judgements(
    Path("reviews") / "ratings.jsonl",
    Rating,
    lambda rating: (rating.instruction, rating.text_key),
    lambda text: [(text.id, text_key(text.text))],
)


def mean_scores(ratings: Iterable[Rating], instructions: Iterable[NavigationText]) -> dict[str, float]:
    """Mean score over the raters, by id of the instruction; outdated ratings do not count."""
    groups = group_by(RATINGS.match(ratings, instructions)[0], lambda pair: pair[1].id)
    return {name: sum(rating.score for rating, _ in pairs) / len(pairs) for name, pairs in groups.items()}


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


QUESTION_REVIEWS: Judgements[QuestionReview, Question] = Judgements(
    Path("reviews") / "questions.jsonl",
    QuestionReview,
    lambda review: (review.id, review.text_key),
    lambda row: [(row.id, text_key(row.question))],
)


def find_qar_key(row: Qar) -> str:
    """Names the three texts of a row: one that was written anew has not been judged."""
    return text_key("\n".join((row.question, row.answer, row.rationale)))


def find_pair_key(pair: Pair) -> str:
    """Names the question and the two answers of a pair."""
    return text_key("\n".join((pair.question, pair.chosen, pair.rejected)))


QAR_RATINGS: Judgements[Rating3, Qar] = Judgements(
    Path("reviews") / "qar_ratings.jsonl",
    Rating3,
    lambda rating: (rating.qar, rating.text_key),
    lambda row: [(row.id, find_qar_key(row))],
)
PAIR_RATINGS: Judgements[PairRating, Pair] = Judgements(
    Path("reviews") / "pair_ratings.jsonl",
    PairRating,
    lambda rating: (rating.pair, rating.text_key),
    lambda pair: [(pair.id, find_pair_key(pair))],
)


def group_qar_ratings(ratings: Iterable[Rating3], rows: Iterable[Qar]) -> dict[str, tuple[Rating3, ...]]:
    """Ratings by id of the row, without those of texts that are not there any more."""
    groups = group_by(QAR_RATINGS.match(ratings, rows)[0], lambda pair: pair[1].id)
    return {name: tuple(rating for rating, _ in pairs) for name, pairs in groups.items()}


PILOT = "dialogues_pilot.jsonl"
"""Rows of a pilot, in the run folder."""


@dataclass(frozen=True)
class Stratum:
    """Rows of one kind, medium and prompt, and what people said of them."""

    name: str
    rows: int
    rated: int
    accepted: int
    """Of the rated ones, those that nobody rejected."""
    standing: Standing

    @property
    def bound(self) -> float:
        """Lower end of the 95 % interval of the accepted share."""
        return lower_bound(self.accepted, self.rated)


def stratum_of(row: Dialogue) -> str:
    """The stratum of a row."""
    return name_stratum(row.kind, row.medium, row.prompt)


def key_of(row: Dialogue) -> str:
    """Names the turns of a row by what they say."""
    return text_key("\n".join(f"{turn.question}\n{turn.answer}" for turn in row.turns))


DIALOGUE_RATINGS: Judgements[DialogueRating, Dialogue] = Judgements(
    Path("reviews") / "dialogue_ratings.jsonl",
    DialogueRating,
    lambda rating: (rating.row, rating.stratum, rating.text_key),
    # With its text, or without: lines that people wrote by hand name none.
    lambda row: [(row.id, stratum_of(row), text) for text in (key_of(row), "")],
)


def find_rejected(matched: Iterable[tuple[DialogueRating, Dialogue]]) -> frozenset[str]:
    """Ids of the rows that somebody rejected."""
    return frozenset(row.id for rating, row in matched if not rating.accepted)


def count_strata(rows: Sequence[Dialogue], matched: Iterable[tuple[DialogueRating, Dialogue]]) -> Mapping[str, Stratum]:
    """Strata of rows by name, with what people said of them."""
    pairs = list(matched)
    bad, judged = find_rejected(pairs), {row.id for _, row in pairs}
    out = {}
    for name, members in sorted(group_by(rows, stratum_of).items()):
        rated = sum(row.id in judged for row in members)
        accepted = sum(row.id in judged and row.id not in bad for row in members)
        out[name] = Stratum(name, len(members), rated, accepted, judge_stratum(len(members), rated, accepted))
    return out
