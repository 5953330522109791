"""A language model as the one who ranks: a ballot becomes a request, its reply an order of places."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from instructions.dialogues.benchmark.ranking import Ballot
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
