"""What people say of pairs of answers whose origin they did not know: by criterion, majority and agreement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from instructions.regions.records import Pair, PairRating, Vote
from recon.numerals import count, percent
from roomtour.files.reviews import PAIR_RATINGS
from roomtour.review.region_pairs import CRITERIA, swap_sides
from roomtour.review.summaries.agreement import measure_most_judged
from roomtour.review.summaries.rendering import make_table, tell_left_out
from roomtour.scoring.regions import PairwiseScore, score_pairwise


@dataclass(frozen=True)
class PairSummary:
    """The ratings of some runs together; A is always the answer that the run holds to be true."""

    pairs: int
    ratings: int
    outdated: int
    """Ratings of pairs that are not there any more."""
    scores: Mapping[str, PairwiseScore]
    """By criterion: the majority of those who judged a pair."""
    fleiss: Mapping[str, float | None]
    """By criterion, of the pairs that the most people judged."""


def summarize_pairs(runs: Iterable[tuple[Sequence[Pair], Sequence[PairRating]]]) -> PairSummary:
    """Count the ratings of runs.

    Args:
        runs: Per run its pairs and its ratings.
    """
    votes: dict[str, dict[tuple[int, str], list[Vote]]] = {name: defaultdict(list) for name in CRITERIA}
    ratings = outdated = 0
    for run, (pairs, given) in enumerate(runs):
        matched, left = PAIR_RATINGS.match(given, pairs)
        outdated, ratings = outdated + left, ratings + len(matched)
        for rating, _ in matched:
            for name in CRITERIA:
                vote = getattr(rating, name)  # as if the true answer had stood as A
                votes[name][run, rating.pair].append(vote if rating.first == "chosen" else swap_sides(vote))
    return PairSummary(
        pairs=len(votes["overall"]),
        ratings=ratings,
        outdated=outdated,
        scores=score_pairwise({name: list(of.values()) for name, of in votes.items()}),
        fleiss={name: measure_most_judged(of.values())[2] for name, of in votes.items()},
    )


def render_pairs(summary: PairSummary) -> RenderableType:
    """A table of the criteria."""
    if not summary.ratings:
        return Text("no pair judged yet; judge some with: roomtour review RUNS --what pairs")
    head = Text(
        f"{count(summary.ratings, 'rating')} of {count(summary.pairs, 'pair')}; which answer the majority of each took:"
    )
    table = make_table("", "true", "false", "alike", "no majority", "true of decided", "Fleiss")
    for name, one in summary.scores.items():
        kappa = summary.fleiss[name]
        share = one.share_a
        table.add_row(
            name, str(one.wins_a), str(one.wins_b), str(one.ties), str(one.no_majority),
            "-" if share is None else percent(share), "-" if kappa is None else f"{kappa:.2f}",
        )  # fmt: skip
    return Group(head, table, *tell_left_out(summary.outdated, "of pairs that are not in the run any more"))
