"""Two answers to one question before a person who does not know which is which: A, B or a tie, in four respects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich.console import Group, RenderableType
from rich.text import Text

from instructions.regions.records import Pair, PairRating, Qar, RegionView, Vote
from instructions.regions.scoring import PairwiseScore, score_pairwise
from recon.numerals import count, percent
from roomtour.files.reviews import PAIR_RATINGS, find_pair_key
from roomtour.review.agreement import make_table, measure_most_judged, tell_left_out
from roomtour.review.qars import find_drawn
from roomtour.review.sampled import Item, SampledSession, draw_by_lot, draw_lot, read_sent
from roomtour.view.tour import TourView

CRITERIA = {
    "correct": "Which answer is right?",
    "informative": "Which answer says more?",
    "plausible": "Which answer is more believable?",
    "overall": "Which answer is better, all in all?",
}


@dataclass(frozen=True, eq=False)
class PairItem(Item[Pair]):
    """One pair with its view."""

    view: RegionView
    qar: Qar
    first: Literal["chosen", "rejected"]
    """What stands as A."""

    @property
    def answers(self) -> tuple[str, str]:
        """A and B."""
        true, false = self.row.chosen, self.row.rejected
        return (true, false) if self.first == "chosen" else (false, true)


@dataclass(frozen=True)
class Answer:
    """What the page sends."""

    correct: Vote
    informative: Vote
    plausible: Vote
    overall: Vote


def draw_pairs(
    runs: Mapping[str, tuple[TourView, Sequence[RegionView], Sequence[Qar], Sequence[Pair]]],
    size: int,
    rater: str,
    seed: int = 0,
) -> list[PairItem]:
    """Pairs to judge, over all runs alike, by a lot that hangs on seed, tour and pair; the sides also on the person."""
    items = []
    for run, (tour, views, rows, pairs) in runs.items():
        view_of, row_of = {view.id: view for view in views}, {row.id: row for row in rows}
        for pair in pairs:
            if pair.row in row_of and pair.view in view_of:
                lot = draw_lot(seed, rater, tour.name, pair.id)[0]
                first = "chosen" if lot % 2 else "rejected"
                items.append(PairItem(run, tour, pair, view_of[pair.view], row_of[pair.row], first))
    return draw_by_lot(items, size, seed)


class PairSession(SampledSession[PairItem, PairRating]):
    """The sample of pairs for one person."""

    judgements, page, noun = PAIR_RATINGS, "pair", "pair"

    def describe(self, item: PairItem, given: PairRating | None) -> dict[str, Any]:
        """The picture, the question, and both answers alike."""
        return dict(
            frame=item.tour.frames.get(item.qar.views[0]),
            regions=find_drawn(item.qar, item.view),
            question=item.row.question,
            answers=item.answers,
            criteria=CRITERIA,
            votes={name: _find_vote(given, item, name) for name in CRITERIA},
        )

    def judge(self, item: PairItem, given: Any, signed: Mapping[str, Any]) -> PairRating:
        """The rating that a page sent."""
        told = read_sent(Answer, given, "answer")
        names = {"pair": item.row.id, "text_key": find_pair_key(item.row), "first": item.first}
        return PairRating(**signed, **names, **vars(told))


def _find_vote(given: PairRating | None, item: PairItem, name: str) -> Vote | None:
    """What was said before, in the sides of this page: another seed may have shown the other answer first."""
    if given is None:
        return None
    vote: Vote = getattr(given, name)
    return vote if given.first == item.first else swap_sides(vote)


def swap_sides(vote: Vote) -> Vote:
    """The vote for the same answer on the other side."""
    return "tie" if vote == "tie" else "B" if vote == "A" else "A"


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
    """Count the ratings of runs."""
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
