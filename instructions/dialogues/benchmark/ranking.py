"""A model ranks the answers of several models: order by lot and reversed, with bad answers planted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil

from instructions.asking.draws import Draw

BAD_ANSWER = "I do not know what this is about."
PLANTED_SHARE = 0.05
LEAST_LAST = 0.95
"""Share of planted bad answers that must be ranked last, or the ranking is void."""


@dataclass(frozen=True)
class Ballot:
    """What one judgement is asked: players in the order in which their answers are shown."""

    row: str
    players: tuple[str, ...]
    answers: tuple[str, ...]
    planted: bool


@dataclass(frozen=True)
class Ranking:
    """What the ballots come to."""

    mean_rank: Mapping[str, float]
    """1 is best."""
    ties: float
    """Share of rows whose two ballots give two players the same mean rank."""
    contradictions: float
    """Share of pairs of players that the two orders rank differently."""
    planted_last: float | None
    """Share of planted bad answers that were ranked last; None where none was planted."""
    is_void: bool
    by_row: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Of every row the mean rank of each player over its two ballots."""


PLANTED = "(planted)"


def make_ballots(answers: Mapping[str, Mapping[str, str]], seed: int = 0) -> list[Ballot]:
    """Two ballots per row, the second in reversed order; in one of twenty rows, at least one, a bad answer is planted.

    Args:
        answers: By row, by player.
        seed: Of the orders.
    """
    out = []
    by_lot = sorted(answers, key=lambda row: (Draw(seed, "planted", row).uniform(), row))
    spoilt = set(by_lot[: ceil(PLANTED_SHARE * len(by_lot))])
    for row in sorted(answers):
        draw = Draw(seed, "ranking", row)
        told = dict(answers[row])
        planted = row in spoilt
        if planted:
            told[PLANTED] = BAD_ANSWER
        players = sorted(sorted(told), key=lambda _: draw.uniform())
        for order in (players, players[::-1]):
            out.append(Ballot(row, tuple(order), tuple(told[player] for player in order), planted))
    return out


def count_ranking(ballots: Sequence[Ballot], orders: Sequence[Sequence[int]]) -> Ranking:
    """Mean ranks of judged ballots.

    Args:
        ballots: As made, each row's two side by side.
        orders: Of each ballot the places of its answers, best first.

    Raises:
        ValueError: If an order is not each place of its ballot once.
    """
    ranks: dict[str, list[dict[str, int]]] = defaultdict(list)
    last: list[bool] = []
    for ballot, order in zip(ballots, orders, strict=True):
        count = len(ballot.players)
        if sorted(order) != list(range(count)):
            raise ValueError(f"row {ballot.row}: order {list(order)!r} is not each of 0 to {count - 1} once")
        rank_of = {ballot.players[place]: rank for rank, place in enumerate(order, start=1)}
        if ballot.planted:
            last.append(rank_of.pop(PLANTED) == count)
        ranks[ballot.row].append(rank_of)
    told: dict[str, list[int]] = defaultdict(list)
    for found in ranks.values():
        for player, rank in (pair for one in found for pair in one.items()):
            told[player].append(rank)
    by_row = {
        row: {player: sum(one[player] for one in found) / len(found) for player in found[0]}
        for row, found in ranks.items()
    }
    both = {row: found for row, found in ranks.items() if len(found) == 2}
    ties = sum(len(set(by_row[row].values())) < len(by_row[row]) for row in both) / max(len(ranks), 1)
    contradicted = [
        (one[a] < one[b]) != (other[a] < other[b])
        for one, other in both.values() for a, b in combinations(sorted(one), 2)
    ]  # fmt: skip
    share = sum(last) / len(last) if last else None
    return Ranking(
        {player: sum(values) / len(values) for player, values in sorted(told.items())}, ties,
        sum(contradicted) / max(len(contradicted), 1), share, share is not None and share < LEAST_LAST, by_row,
    )  # fmt: skip
