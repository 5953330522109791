"""Whether titles and descriptions speak of a walk through a home, as a language model reads them.

It gives one of three verdicts, and only `other` rejects. Strangers wrote the words: it is shown them as quoted data,
and all that its reply can do is to choose among the three.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from instructions.language.model import Message, TextModel
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from roomtour.collect.records import Candidate, Judgement

_TITLE_CHARS, _DESCRIPTION_CHARS, _REASON_CHARS = 200, 1000, 160
_TOKENS = 40

Shows = Literal["home-tour", "other", "cannot-tell"]


class TitleReply(BaseModel):
    """What a model said of one video."""

    model_config = ConfigDict(extra="forbid")

    shows: Shows
    why: str = Field(max_length=2000)


@dataclass(frozen=True)
class ReadTitles:
    """What came of the titles of a list."""

    judgements: tuple[Judgement, ...]
    """One per video that was asked about and answered; in their order."""
    unread: tuple[str, ...] = ()
    """Videos with words about which there is no usable answer."""
    why: str = ""
    """Of the unread ones, in a sentence."""


def judge_titles(
    candidates: Sequence[Candidate], connect: Callable[[], TextModel], replies: Path, options: LanguageOptions
) -> ReadTitles:
    """Ask a language model about the words of each video. One without any is not asked about.

    Args:
        candidates: Whose titles are read.
        connect: Makes the model; called once something has to be asked.
        replies: Folder of kept replies: the same words are paid for once.
        options: Of the language model.

    Raises:
        ServerUnusable: If the server cannot be used, went away, or does not answer in time; what it answered is kept.
        Unanswered: If most replies are unusable.
    """
    requests = [_ask(candidate) for candidate in candidates if candidate.title.strip() or candidate.description.strip()]
    judgements: list[Judgement] = []
    unread: list[str] = []
    answered = ask_all(requests, connect, replies, options)
    answered.open.require_enough(options)
    for answer in answered.answers:
        if answer.value is None:
            unread.append(answer.request.id)
        else:
            judgements.append(_judge(answer.request.id, answer.value.shows, answer.value.why))
    return ReadTitles(tuple(judgements), tuple(unread), answered.open.tell(options) if unread else "")


def _ask(candidate: Candidate) -> Request[TitleReply]:
    words = {
        "title": clean(candidate.title, _TITLE_CHARS),
        "description": clean(candidate.description, _DESCRIPTION_CHARS),
    }
    system = Message("system", load("roomtour.collect", "titles").text)
    messages = (system, Message("user", json.dumps(words, ensure_ascii=False)))
    return Request(candidate.id, messages, TitleReply, temperature=0.0, likely_tokens=_TOKENS)


def _judge(name: str, shows: Shows, why: str) -> Judgement:
    """Only what is said to be something else falls: who cannot tell rejects nothing."""
    if shows != "other":
        return Judgement(name, "titles", "")
    return Judgement(name, "titles", "title", clean(why, _REASON_CHARS) or "other", "a walk through a home")
