"""What people say of pairs of answers whose origin they did not know: by criterion, majority and agreement."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from instructions.regions.records import Pair, PairRating, Vote
from instructions.regions.scoring import PairwiseScore, score_pairwise
from recon.numerals import count, percent
from roomtour.files.region_reviews import find_pair_key
from roomtour.review.region_pairs import CRITERIA
from roomtour.review.summaries.agreement import measure_fleiss


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
        known = {(pair.id, find_pair_key(pair)) for pair in pairs}
        for rating in given:
            if (rating.pair, rating.text_key) not in known:
                outdated += 1
                continue
            ratings += 1
            for name in CRITERIA:
                votes[name][run, rating.pair].append(_unblind(getattr(rating, name), rating.first))
    return PairSummary(
        pairs=len(votes["overall"]),
        ratings=ratings,
        outdated=outdated,
        scores=score_pairwise({name: list(of.values()) for name, of in votes.items()}),
        fleiss={name: _measure_fleiss(list(of.values())) for name, of in votes.items()},
    )


def _unblind(vote: Vote, first: str) -> Vote:
    """The vote as if the true answer had stood as A."""
    if vote == "tie" or first == "chosen":
        return vote
    return "B" if vote == "A" else "A"


def _measure_fleiss(items: Sequence[Sequence[Vote]]) -> float | None:
    sizes = Counter(len(one) for one in items if len(one) >= 2)
    return measure_fleiss([one for one in items if len(one) == max(sizes)]) if sizes else None


def render_pairs(summary: PairSummary) -> RenderableType:
    """A table of the criteria."""
    if not summary.ratings:
        return Text("no pair judged yet; judge some with: roomtour review RUNS --what pairs")
    head = Text(
        f"{count(summary.ratings, 'rating')} of {count(summary.pairs, 'pair')}; which answer the majority of each took:"
    )
    table = Table(
        "", "true", "false", "alike", "no majority", "true of decided", "Fleiss",
        box=None, padding=(0, 3, 0, 0), header_style="dim",
    )  # fmt: skip
    for name, one in summary.scores.items():
        kappa = summary.fleiss[name]
        share = one.share_a
        table.add_row(
            name, str(one.wins_a), str(one.wins_b), str(one.ties), str(one.no_majority),
            "-" if share is None else percent(share), "-" if kappa is None else f"{kappa:.2f}",
        )  # fmt: skip
    left = [Text(f"left out: {count(summary.outdated, 'rating')} of pairs that are not in the run any more")]
    return Stack(head, table, *(left if summary.outdated else []))
