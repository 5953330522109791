"""What the ratings say: mean, share of good ones, agreement between raters, by kind and by cause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from instructions.navigation.records import NavigationText
from roomtour.files.ratings import Rating, match_ratings
from roomtour.review.causes import causes_of
from roomtour.review.scores import GOOD_SCORES, SCORES
from roomtour.review.summaries.agreement import Agreement, compare_raters

NOTHING_MARKED = "nothing marked"


@dataclass(frozen=True)
class Group:
    """Ratings that have something in common."""

    name: str
    ratings: int
    mean: float
    good_share: float
    """Share of scores 3 and 4."""
    accurate_share: float | None
    """Share of those asked who found all of it true; None if nobody was asked."""


@dataclass(frozen=True)
class ReviewSummary:
    """The ratings of some runs together."""

    overall: Group
    texts: int
    """Texts that anybody judged."""
    outdated: int
    """Ratings of texts that have been written anew or are gone; they count nowhere else."""
    by_score: Mapping[int, int]
    by_rater: tuple[Group, ...]
    by_kind: tuple[Group, ...]
    by_cause: tuple[Group, ...]
    """A rating counts for each cause among its marked words, so these may add up to more than all."""
    agreements: tuple[Agreement, ...]


def summarize_ratings(runs: Iterable[tuple[Sequence[NavigationText], Sequence[Rating]]]) -> ReviewSummary:
    """Count the ratings of runs.

    Args:
        runs: Per run its instructions and its ratings.

    Returns:
        Zeros and empty groups for no rating.
    """
    judged: list[tuple[tuple[int, str], NavigationText, Rating]] = []
    outdated = 0
    for run, (instructions, ratings) in enumerate(runs):
        matched, left = match_ratings(ratings, instructions)
        outdated += len(left)
        judged += [((run, instruction.id), instruction, rating) for rating, instruction in matched]
    by_rater: dict[str, dict[Hashable, object]] = defaultdict(dict)
    raters: dict[str, list[Rating]] = defaultdict(list)
    kinds: dict[str, list[Rating]] = defaultdict(list)
    causes: dict[str, list[Rating]] = defaultdict(list)
    for text, instruction, rating in judged:
        by_rater[rating.rater][text] = rating.score
        raters[rating.rater].append(rating)
        kinds[instruction.kind].append(rating)
        for cause in causes_of(instruction, rating.wrong_words) or {NOTHING_MARKED}:
            causes[cause].append(rating)
    scores = [rating.score for *_, rating in judged]
    return ReviewSummary(
        overall=_group("all", [rating for *_, rating in judged]),
        texts=len({text for text, *_ in judged}),
        outdated=outdated,
        by_score={score: scores.count(score) for score in SCORES},
        by_rater=tuple(_group(name, given) for name, given in sorted(raters.items())),
        by_kind=tuple(_group(name, given) for name, given in sorted(kinds.items())),
        by_cause=tuple(_group(name, given) for name, given in sorted(causes.items())),
        agreements=compare_raters(by_rater, SCORES),
    )


def _group(name: str, ratings: Sequence[Rating]) -> Group:
    count = len(ratings)
    total = sum(rating.score for rating in ratings)
    good = sum(rating.score in GOOD_SCORES for rating in ratings)
    asked = [rating.accurate for rating in ratings if rating.accurate is not None]
    return Group(
        name,
        count,
        total / count if count else 0.0,
        good / count if count else 0.0,
        sum(asked) / len(asked) if asked else None,
    )
