"""A typed request to a language model, and its answer: what every kind of data asks with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Generic, TypeVar

from pydantic import BaseModel

from instructions.language.budget import Usage
from instructions.language.model import Message
from instructions.language.options import LanguageOptions

T_co = TypeVar("T_co", bound=BaseModel, covariant=True)

REPLY_FAULTS = {
    "no_reply": "the server does not take this question",
    "refused": "the model refused",
    "withheld": "the server withheld the reply (content filter)",
    "cut": "the reply was cut off at the most tokens allowed",
    "empty": "the reply was empty",
    "schema": "the reply was not of the asked form",
}
"""Reasons why a request has no value, by the code that rows carry. The last three are after one repair round."""


@dataclass(frozen=True, eq=False)
class Request(Generic[T_co]):
    """One question whose reply is a `T_co`."""

    id: str
    """For people and progress; no part of what decides the reply."""
    messages: tuple[Message, ...]
    schema: type[T_co]
    """Lengths and characters that matter are checked by its validators: servers promise none."""
    seed: int = 0
    """Handed to the server; another seed is another question."""
    temperature: float | None = None
    """None for that of the options. Models that take none (an option) get none."""
    likely_tokens: int = 120
    """How long the reply will probably be; for estimates only."""

    def temperature_with(self, options: LanguageOptions) -> float | None:
        """What the server is told."""
        if options.temperature is None or self.temperature is None:
            return options.temperature
        return self.temperature


@dataclass(frozen=True, eq=False)
class Answer(Generic[T_co]):
    """What became of one request."""

    request: Request[T_co]
    value: T_co | None = None
    rejected_because: str | None = None
    """A code of `REPLY_FAULTS` where something was asked and there is no value."""
    rejection: str | None = None
    """The same in words, with what the server or the schema said."""
    is_open: bool = False
    """Not asked: the budget is spent."""
    reply_key: str | None = None
    """Of the kept reply."""
    served_by: str | None = None
    """The model by the server's own name; None where no reply was of use."""


@dataclass(frozen=True, eq=False)
class Answers(Generic[T_co]):
    """Every request with its answer, in the order asked, and what that cost."""

    answers: tuple[Answer[T_co], ...]
    usage: Usage


def request_key(request: Request[BaseModel], options: LanguageOptions) -> str:
    """Name a request by all that decides its reply. 32 hex digits."""
    identity = [
        [message.identity for message in request.messages],
        request.schema.model_json_schema(),
        options.model,
        request.temperature_with(options),
        options.max_reply_tokens,
        request.seed,
    ]
    return sha256(json.dumps(identity, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]
