"""Several players on one benchmark, ranked by a language model that is shown what is true.

It puts the answers to every row in order twice, in an order by lot and in its reverse, with bad answers planted.
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

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from instructions.asking.draws import Draw
from instructions.language.model import Message, TextModel
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from roomtour.scoring.dialogues.junk import say_truth
from roomtour.scoring.dialogues.tasks import TASKS, join_answers, read_tasks
from roomtour.scoring.intervals import bootstrap, find_interval
from roomtour.scoring.records import Answers, Cell, ScoreReport, ScoreTable

_PROMPT = ("roomtour.scoring.dialogues", "ranking")
_MOST_LETTERS = 2000
"""Of an answer that a prompt holds."""
PLANTED = "(planted)"
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
    by_row: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Of every row the mean rank of each player over its two ballots."""

    @property
    def is_void(self) -> bool:
        """Whether the ranker did not tell the planted answers from others."""
        return self.planted_last is not None and self.planted_last < LEAST_LAST


def make_ballots(answers: Mapping[str, Mapping[str, str]], seed: int = 0) -> list[Ballot]:
    """Two ballots per row, the second in reverse; in one row of twenty, at least one, a bad answer is planted."""
    by_lot = sorted(answers, key=lambda row: (Draw(seed, "planted", row).uniform(), row))
    spoilt = set(by_lot[: ceil(PLANTED_SHARE * len(by_lot))])
    out = []
    for row in sorted(answers):
        draw = Draw(seed, "ranking", row)
        shown = {**answers[row], **({PLANTED: BAD_ANSWER} if row in spoilt else {})}
        players = sorted(sorted(shown), key=lambda _: draw.uniform())
        for order in (players, players[::-1]):
            out.append(Ballot(row, tuple(order), tuple(shown[player] for player in order), row in spoilt))
    return out


def count_ranking(ballots: Sequence[Ballot], orders: Sequence[Sequence[int]]) -> Ranking:
    """Mean ranks of judged ballots.

    Args:
        ballots: As made, each row's two side by side.
        orders: Of each ballot the places of its answers, each once, best first.

    Raises:
        ValueError: If an order is not each place of its ballot once.
    """
    ranks: dict[str, list[dict[str, int]]] = defaultdict(list)
    last: list[bool] = []
    for ballot, order in zip(ballots, orders, strict=True):
        if sorted(order) != list(range(len(ballot.players))):
            raise ValueError(f"row {ballot.row}: order {list(order)!r} is not each of its places once")
        rank_of = {ballot.players[place]: rank for rank, place in enumerate(order, start=1)}
        if ballot.planted:
            last.append(rank_of.pop(PLANTED) == len(ballot.players))
        ranks[ballot.row].append(rank_of)
    by_row = {
        row: {player: float(np.mean([ballot[player] for ballot in both])) for player in both[0]}
        for row, both in ranks.items()
    }
    players = sorted({player for means in by_row.values() for player in means})
    contradicted = [
        (first[a] < first[b]) != (second[a] < second[b])
        for first, second in ranks.values()
        for a, b in combinations(sorted(first), 2)
    ]
    return Ranking(
        {player: float(np.mean([means[player] for means in by_row.values()])) for player in players},
        sum(len(set(means.values())) < len(means) for means in by_row.values()) / max(len(by_row), 1),
        sum(contradicted) / max(len(contradicted), 1),
        sum(last) / len(last) if last else None,
        by_row,
    )


class Order(BaseModel):
    """The places of the answers of a ballot, best first."""

    model_config = ConfigDict(extra="forbid")
    order: list[int]


@cache
def _order_of(count: int) -> type[Order]:
    def each_once(order: list[int]) -> list[int]:
        if sorted(order) != list(range(count)):
            raise ValueError(f"need each of 0 to {count - 1} once")
        return order

    numbers = Annotated[list[int], Field(min_length=count, max_length=count), AfterValidator(each_once)]
    return create_model(f"OrderOf{count}", __base__=Order, order=(numbers, ...))


def make_request(ballot: Ballot, question: str, reference: str, number: int, seed: int = 0) -> Request[Order]:
    """The request for a ballot."""
    shown = {
        "question": clean(question, _MOST_LETTERS),
        "reference": clean(reference, _MOST_LETTERS),
        "answers": [f"{place}: {clean(text, _MOST_LETTERS)}" for place, text in enumerate(ballot.answers)],
    }
    messages = (Message("system", load(*_PROMPT).text), Message("user", json.dumps(shown, ensure_ascii=False)))
    schema = _order_of(len(ballot.answers))
    return Request(f"{ballot.row} {number}", messages, schema, seed, likely_tokens=5 + 3 * len(ballot.answers))


def rank_by_model(
    dataset: Path,
    players: Mapping[str, Answers],
    *,
    replies: Path,
    options: LanguageOptions,
    connect: Callable[[], TextModel],
    seed: int = 0,
) -> ScoreReport:
    """Have a model rank the answers of every row; a row without two usable replies is left out and counted.

    Args:
        dataset: Folder of the benchmark.
        players: Answers by name, at least two.
        replies: Folder that keeps the model's replies.
        options: Model and budget.
        connect: Makes the model.
        seed: Of the orders and of the rows with a planted bad answer.

    Returns:
        Mean ranks with intervals over tours, ties, contradictions; void where the planted answers were not last.

    Raises:
        RoomtourError: As `score` does, for the answers of any of them.
        ServerUnusable: If the model cannot be asked.
        Unanswered: If so many replies are unusable that the ranking says nothing.
    """
    tasks = {name: found for name, found in read_tasks(dataset).items() if found}
    rows = {str(row["id"]): (TASKS[name], row) for name, found in tasks.items() for row in found}
    answers: dict[str, dict[str, str]] = {row: {} for row in rows}
    for player, given in players.items():
        for joined in join_answers(dataset, tasks, given).values():
            for row in joined:
                answers[str(row["id"])][player] = row["answer"]
    ballots = make_ballots(answers, seed)
    requests = []
    for number, ballot in enumerate(ballots):
        task, row = rows[ballot.row]
        reference = say_truth(task.form, row, task.size or 4)
        requests.append(make_request(ballot, str(row["query"]), reference, number % 2, seed))
    replied = ask_all(requests, connect, replies, options)
    replied.open.require_enough(options)
    orders = [None if answer.value is None else answer.value.order for answer in replied.answers]
    whole = [at for at in range(len(ballots)) if None not in orders[at - at % 2 : at - at % 2 + 2]]
    ranking = count_ranking([ballots[at] for at in whole], [orders[at] or () for at in whole])
    left_out = (len(ballots) - len(whole)) // 2
    by_tour = [{"tour": rows[row][1]["tour"], **ranks} for row, ranks in ranking.by_row.items()]
    drawn = bootstrap(
        by_tour, lambda picked: {name: sum(one[name] for one in picked) / len(picked) for name in players}, seed
    )
    intervals = {name: find_interval(values) for name, values in drawn.items()}
    order = sorted(ranking.mean_rank, key=lambda player: (ranking.mean_rank[player], player))
    lines: list[tuple[Cell, ...]] = [(player, ranking.mean_rank[player], *intervals[player]) for player in order]
    title = f"ranking by {options.model}, {len(ranking.by_row)} rows" + (", VOID" if ranking.is_void else "")
    figure = {
        "mean_rank": dict(ranking.mean_rank), "intervals": {name: list(pair) for name, pair in intervals.items()},
        "rows": len(ranking.by_row), "ties": ranking.ties, "contradictions": ranking.contradictions,
        "planted_last": ranking.planted_last, "void": ranking.is_void,
        "left_out": left_out, "model": options.model, "prompt": load(*_PROMPT).label,
    }  # fmt: skip
    notes = [
        f"the two orders contradict each other in {ranking.contradictions:.0%} of the pairs; ties in "
        f"{ranking.ties:.0%} of the rows"
    ]
    if ranking.planted_last is None:
        notes.append("no planted bad answer was judged, so nothing shows that this ranker tells good from bad")
    else:
        last = f"the planted bad answer was last in {ranking.planted_last:.0%} of its ballots, {LEAST_LAST:.0%} needed"
        notes.append(f"the ranking is void: {last}" if ranking.is_void else last)
    if left_out:
        notes.append(f"{left_out} rows are left out: {replied.open.tell(options)}")
    table = ScoreTable(title, ("player", "mean rank", "low", "high"), tuple(lines))
    return ScoreReport("dialogues", (table,), {"model ranking": figure}, tuple(notes))
