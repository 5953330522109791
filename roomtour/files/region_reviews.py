"""What people say of rows of region knowledge and of pairs of answers: one JSON line each in a run folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from instructions.regions.records import Pair, PairRating, Qar, Rating3
from roomtour.files.appended import append_record, load_last
from roomtour.files.ratings import text_key
from roomtour.files.records import to_plain

QAR_FILE = Path("reviews") / "qar_ratings.jsonl"
PAIR_FILE = Path("reviews") / "pair_ratings.jsonl"


def find_qar_key(row: Qar) -> str:
    """Names the three texts of a row: one that was written anew has not been judged."""
    return text_key("\n".join((row.question, row.answer, row.rationale)))


def find_pair_key(pair: Pair) -> str:
    """Names the question and the two answers of a pair."""
    return text_key("\n".join((pair.question, pair.chosen, pair.rejected)))


def append_qar_rating(run: Path, rating: Rating3) -> None:
    """Add one; when this returns it is on the disk.

    Raises:
        RoomtourError: If the file cannot be written.
    """
    append_record(run / QAR_FILE, to_plain(rating, Rating3), "rating")


def append_pair_rating(run: Path, rating: PairRating) -> None:
    """Add one; when this returns it is on the disk.

    Raises:
        RoomtourError: If the file cannot be written.
    """
    append_record(run / PAIR_FILE, to_plain(rating, PairRating), "rating")


def load_qar_ratings(run: Path) -> tuple[Rating3, ...]:
    """The last rating of each rater on each row, in the order in which the rows were first rated.

    Raises:
        RoomtourError: Naming line and field of the first rating that does not fit.
    """
    return load_last(run / QAR_FILE, Rating3, lambda one: (one.qar, one.text_key, one.rater))


def group_qar_ratings(ratings: Iterable[Rating3], rows: Iterable[Qar]) -> dict[str, tuple[Rating3, ...]]:
    """Ratings by id of the row, without those of texts that are not there any more."""
    keys = {row.id: find_qar_key(row) for row in rows}
    found: dict[str, list[Rating3]] = defaultdict(list)
    for one in ratings:
        if keys.get(one.qar) == one.text_key:
            found[one.qar].append(one)
    return {name: tuple(given) for name, given in found.items()}


def load_pair_ratings(run: Path) -> tuple[PairRating, ...]:
    """The last rating of each rater on each pair, in the order in which the pairs were first rated.

    Raises:
        RoomtourError: Naming line and field of the first rating that does not fit.
    """
    return load_last(run / PAIR_FILE, PairRating, lambda one: (one.pair, one.text_key, one.rater))
