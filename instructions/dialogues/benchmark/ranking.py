"""A model ranks the answers of several models: order by lot and reversed, with bad answers planted.

A ballot becomes a request, its reply an order of places.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from math import ceil
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from instructions.asking.draws import Draw
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.language.runner import ask_all

_PROMPT = ("instructions.dialogues.benchmark", "ranking")
_MOST_LETTERS = 2000
"""Of an answer that a prompt holds."""
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


class Order(BaseModel):
    """The places of the answers of a ballot, best first."""

    model_config = ConfigDict(extra="forbid")
    order: list[int]


@dataclass(frozen=True)
class Judged:
    """What became of ballots."""

    ballots: tuple[Ballot, ...]
    """Those of rows of which both orders were judged."""
    orders: tuple[tuple[int, ...], ...]
    left_out: int
    """Rows without two usable replies."""
    open: OpenQuestions
    prompt: str
    """Name and version."""


def make_request(ballot: Ballot, question: str, reference: str, number: int, seed: int = 0) -> Request[Order]:
    """The request for a ballot.

    Args:
        ballot: Answers in the order shown.
        question: Of the row.
        reference: Its truth in words.
        number: 0 for the order by lot, 1 for its reverse.
        seed: Handed to the server.
    """
    told = {
        "question": clean(question, _MOST_LETTERS),
        "reference": clean(reference, _MOST_LETTERS),
        "answers": [f"{place}: {clean(text, _MOST_LETTERS)}" for place, text in enumerate(ballot.answers)],
    }
    messages = (Message("system", load(*_PROMPT).text), Message("user", json.dumps(told, ensure_ascii=False)))
    schema = _order_of(len(ballot.answers))
    return Request(f"{ballot.row} {number}", messages, schema, seed, likely_tokens=5 + 3 * len(ballot.answers))


@cache
def _order_of(count: int) -> type[Order]:
    def each_once(order: list[int]) -> list[int]:
        if sorted(order) != list(range(count)):
            raise ValueError(f"need each of 0 to {count - 1} once")
        return order

    numbers = Annotated[list[int], Field(min_length=count, max_length=count), AfterValidator(each_once)]
    return create_model(f"OrderOf{count}", __base__=Order, order=(numbers, ...))


def judge_ballots(
    ballots: Sequence[Ballot],
    told: Mapping[str, tuple[str, str]],
    *,
    replies: Path,
    options: LanguageOptions,
    connect: Callable[[], TextModel],
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Judged:
    """Have a model judge ballots, each row's two side by side.

    Args:
        ballots: As `make_ballots` makes them.
        told: Question and reference by row.
        replies: Folder of kept replies.
        options: Model and budget.
        connect: Makes the model.
        seed: Handed to the server.
        progress: Told the fraction answered.

    Returns:
        Ballots with orders. A row without two usable replies is left out and counted.

    Raises:
        ServerUnusable: As `ask_all`.
        Unanswered: If so many replies are unusable that the ranking says nothing.
    """
    requests = [make_request(one, *told[one.row], number % 2, seed) for number, one in enumerate(ballots)]
    found = ask_all(requests, connect, replies, options, progress=progress)
    found.open.require_enough(options)
    pairs = [(ballots[at : at + 2], found.answers[at : at + 2]) for at in range(0, len(ballots), 2)]
    judged = [(two, [one.value for one in answers if one.value is not None]) for two, answers in pairs]
    whole = [(two, values) for two, values in judged if len(values) == 2]
    kept = tuple(ballot for two, _ in whole for ballot in two)
    orders = tuple(tuple(value.order) for _, values in whole for value in values)
    return Judged(kept, orders, len(judged) - len(whole), found.open, load(*_PROMPT).label)
