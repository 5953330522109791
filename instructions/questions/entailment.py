"""Has a language model say whether two pairs of question and answer say the same."""

from __future__ import annotations

import json

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
    """The request for a judgement, which is told no more than the two pairs.

    Args:
        about: Names the request.
        given: Question and answer that are right.
        new: What was written in other words.
        seed: Of the request.
    """
    told = {name: {"question": one[0], "answer": one[1]} for name, one in (("given", given), ("new", new))}
    prompt = load("instructions.questions", "same_meaning").text
    messages = (Message("system", prompt), Message("user", json.dumps(told, ensure_ascii=False)))
    return Request(f"{about}/same_meaning", messages, Sameness, seed=seed, likely_tokens=40)


def explain_difference(answer: Answer[Sameness]) -> str | None:
    """What the judge says is different; None where it says that both are the same, or gives no judgement."""
    if answer.value is None or answer.value.same:
        return None
    return clean(answer.value.why, 200) or "no reason is given"
