"""Has a language model say whether a text says what it has to say, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from instructions.language.model import Message
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Answer, Request


class Sameness(BaseModel):
    """A reply of the judge."""

    model_config = ConfigDict(extra="ignore")

    same: bool
    why: str = Field(default="", max_length=400)


def ask_if_same(about: str, given: tuple[str, str], new: tuple[str, str], seed: int) -> Request[Sameness]:
    """The request for a judgement on two pairs of question and answer, which is told no more than these."""
    told = {name: {"question": one[0], "answer": one[1]} for name, one in (("given", given), ("new", new))}
    return _ask(about, "same_meaning", told, seed)


def ask_if_told(about: str, statements: Sequence[str], said: Mapping[str, str], seed: int) -> Request[Sameness]:
    """The request for a judgement whether a text tells its claims and nothing else; it holds no more than these."""
    return _ask(about, "same_claims", {"given": list(statements), "new": dict(said)}, seed)


def _ask(about: str, prompt: str, told: object, seed: int) -> Request[Sameness]:
    user = json.dumps(told, ensure_ascii=False)
    messages = (Message("system", load("instructions.claims", prompt).text), Message("user", user))
    return Request(f"{about}/{prompt}", messages, Sameness, seed=seed, likely_tokens=40)


def explain_difference(answer: Answer[Sameness]) -> str | None:
    """What the judge says is different; None where it says that both are the same, or gives no judgement."""
    if answer.value is None or answer.value.same:
        return None
    return clean(answer.value.why, 200) or "no reason is given"
