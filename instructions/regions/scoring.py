"""Scores of models on choices, rankings and comparisons: VCR, Sherlock, Acc@50 and pairwise votes. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from instructions.regions.records import Vote


@dataclass(frozen=True)
class VcrRow:
    """Four scores of answers and four of rationales, with the right ones."""

    answers: tuple[float, ...]
    right_answer: int
    rationales: tuple[float, ...]
    right_rationale: int

    def __post_init__(self) -> None:
        for name, scores, right in (
            ("answer", self.answers, self.right_answer),
            ("rationale", self.rationales, self.right_rationale),
        ):
            if len(scores) != 4:
                raise ValueError(f"{len(scores)} {name} scores, need 4")
            if not 0 <= right < 4:
                raise ValueError(f"the right {name} is number {right}, need 0 to 3")


@dataclass(frozen=True)
class VcrScore:
    """Shares of right choices."""

    rows: int
    answer: float
    """Q to A."""
    rationale: float
    """QA to R."""
    both: float
    """Q to AR: both right on one row."""


def score_vcr(rows: Sequence[VcrRow]) -> VcrScore:
    """Choices by the highest score; a tie for the highest is a wrong choice. No rows score 0."""
    answers = [_is_best(row.answers, row.right_answer) for row in rows]
    rationales = [_is_best(row.rationales, row.right_rationale) for row in rows]
    both = [a and r for a, r in zip(answers, rationales, strict=True)]
    count = max(len(rows), 1)
    return VcrScore(len(rows), sum(answers) / count, sum(rationales) / count, sum(both) / count)


def _is_best(scores: Sequence[float], right: int) -> bool:
    return all(scores[right] > score for place, score in enumerate(scores) if place != right)


def score_comparison(model: Sequence[float], people: Sequence[float]) -> float | None:
    """Sherlock's comparison: of the pairs that people tell apart, concordant minus discordant, in percent.

    A tie of the model counts half of each, so it adds nothing.

    Args:
        model: A score per candidate.
        people: What people gave it.

    Returns:
        -100 to 100; None where people tell no two apart.

    Raises:
        ValueError: For lists of different lengths.
    """
    if len(model) != len(people):
        raise ValueError(f"{len(model)} scores of the model and {len(people)} of people, need as many")
    pairs = [(a, b) for a, b in combinations(range(len(people)), 2) if people[a] != people[b]]
    if not pairs:
        return None
    total = 0
    for a, b in pairs:
        order = (model[a] - model[b]) * (people[a] - people[b])
        total += (order > 0) - (order < 0)
    return 100.0 * total / len(pairs)


@dataclass(frozen=True)
class RankingScore:
    """How high the true one of many stands."""

    rows: int
    first: float
    """Acc@N: share of rows whose true one is ranked first."""
    in_five: float
    """Recall at 5."""
    reciprocal: float
    """Mean reciprocal rank."""


def score_ranking(rows: Sequence[tuple[Sequence[float], int]]) -> RankingScore:
    """Score rankings of a true candidate among others.

    Args:
        rows: Scores of the candidates, and the place of the true one. What ties with it stands before it.

    Raises:
        ValueError: For a place that is not among the candidates.
    """
    ranks = []
    for scores, true in rows:
        if not 0 <= true < len(scores):
            raise ValueError(f"the true candidate is number {true} of {len(scores)}")
        ranks.append(1 + sum(score >= scores[true] for place, score in enumerate(scores) if place != true))
    count = max(len(ranks), 1)
    return RankingScore(
        len(ranks),
        sum(rank == 1 for rank in ranks) / count,
        sum(rank <= 5 for rank in ranks) / count,
        sum(1.0 / rank for rank in ranks) / count,
    )


@dataclass(frozen=True)
class PairwiseScore:
    """Votes of three on pairs of answers, for one criterion."""

    pairs: int
    wins_a: int
    wins_b: int
    ties: int
    no_majority: int
    """Left out."""

    @property
    def share_a(self) -> float | None:
        """Of the pairs with a winner."""
        decided = self.wins_a + self.wins_b
        return self.wins_a / decided if decided else None


def score_pairwise(votes: Mapping[str, Sequence[Sequence[Vote]]]) -> dict[str, PairwiseScore]:
    """By criterion: the majority of the votes on each pair; pairs without one are left out and counted.

    Args:
        votes: By criterion, the votes on each pair (the paper has three).
    """
    out = {}
    for criterion, pairs in votes.items():
        counts: Counter[str] = Counter()
        for one in pairs:
            best, most = Counter(one).most_common(1)[0] if one else ("", 0)
            counts[best if 2 * most > len(one) else "none"] += 1
        out[criterion] = PairwiseScore(len(pairs), counts["A"], counts["B"], counts["tie"], counts["none"])
    return out
