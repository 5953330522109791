"""What people say of rows of region knowledge and of pairs of answers: one JSON line each in a run folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from instructions.regions.records import Pair, PairRating, Qar, Rating3
from roomtour.files.appended import Judgements
from roomtour.files.ratings import text_key


def find_qar_key(row: Qar) -> str:
    """Names the three texts of a row: one that was written anew has not been judged."""
    return text_key("\n".join((row.question, row.answer, row.rationale)))


def find_pair_key(pair: Pair) -> str:
    """Names the question and the two answers of a pair."""
    return text_key("\n".join((pair.question, pair.chosen, pair.rejected)))


QAR_RATINGS = Judgements(
    Path("reviews") / "qar_ratings.jsonl",
    Rating3,
    lambda one: (one.qar, one.text_key),
    lambda row: [(row.id, find_qar_key(row))],
)
PAIR_RATINGS = Judgements(
    Path("reviews") / "pair_ratings.jsonl",
    PairRating,
    lambda one: (one.pair, one.text_key),
    lambda pair: [(pair.id, find_pair_key(pair))],
)


def group_qar_ratings(ratings: Iterable[Rating3], rows: Iterable[Qar]) -> dict[str, tuple[Rating3, ...]]:
    """Ratings by id of the row, without those of texts that are not there any more."""
    found: dict[str, list[Rating3]] = defaultdict(list)
    for one, row in QAR_RATINGS.match(ratings, rows)[0]:
        found[row.id].append(one)
    return {name: tuple(given) for name, given in found.items()}
