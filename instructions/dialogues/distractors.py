"""Wrong options by a language model: what one would expect in a view; only those proved not to be there are used."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from instructions.dialogues.view_things import ViewThings
from instructions.language.model import Message, TextModel
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import name
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from instructions.rows import row_id
from instructions.truth.lexicon import SYNONYMS

OPTIONS = 5
_ARTICLE = re.compile(r"^(?:an?|the|some)\s+", re.I)


class Distractors(BaseModel):
    """Options as a language model names them."""

    model_config = ConfigDict(extra="forbid")
    options: Annotated[
        list[Annotated[str, Field(min_length=2, max_length=40)]], Field(min_length=OPTIONS, max_length=OPTIONS)
    ]


@dataclass(frozen=True)
class Proposed:
    """What a model would expect in views."""

    kinds: Mapping[int, tuple[str, ...]]
    """By frame: kinds in their order, without article."""
    source: str = "the language model"
    rejected: int = 0
    """Replies that were none, or not of the asked form."""
    unasked: int = 0
    """Views that the budget left."""


def make_requests(
    views: Sequence[tuple[ViewThings, str | None]], tour: str, seed: int
) -> tuple[list[Request[BaseModel]], str]:
    """One request per view, and the label of their prompt."""
    prompt = load("instructions.dialogues", "distractors")
    requests: list[Request[BaseModel]] = []
    for view, room in views:
        shown = sorted({name(one.name) for one in view.things})
        told = json.dumps({**({"room": name(room)} if room else {}), "shows": shown}, ensure_ascii=False)
        messages = (Message("system", prompt.text), Message("user", told))
        key = row_id(tour, "distractors", view.view.frame)
        requests.append(Request(key, messages, Distractors, seed, likely_tokens=60))
    return requests, prompt.label


def ask_distractors(
    views: Sequence[tuple[ViewThings, str | None]],
    *,
    tour: str,
    seed: int,
    replies: Path,
    options: LanguageOptions,
    connect: Callable[[], TextModel],
) -> Proposed:
    """Kinds that a language model would expect in views besides what they show.

    Args:
        views: Each with its room where that is sure.
        tour: For the ids of the requests.
        seed: Handed to the server.
        replies: Folder of kept replies.
        options: Model and budget.
        connect: Makes the model.
    """
    requests, label = make_requests(views, tour, seed)
    answers = ask_all(requests, connect, replies, options).answers
    kinds: dict[int, tuple[str, ...]] = {}
    rejected = unasked = 0
    for (view, _), answer in zip(views, answers, strict=True):
        if answer.is_open:
            unasked += 1
        elif isinstance(answer.value, Distractors):
            kinds[view.view.frame] = tuple(dict.fromkeys(_plain(one) for one in answer.value.options))
        else:
            rejected += 1
    return Proposed(kinds, f"{options.model} ({label})", rejected, unasked)


def _plain(option: str) -> str:
    words = _ARTICLE.sub("", " ".join(option.lower().split())).strip(" .")
    return SYNONYMS.get(words, words)


def prove_absent(proposed: Sequence[str], absent: Sequence[str]) -> list[str]:
    """Those of the proposed kinds that are proved not to be in view, as the detector calls them.

    Args:
        proposed: By the model, best first.
        absent: Kinds that were looked for and are surely not there.
    """
    known = {SYNONYMS.get(kind, kind): kind for kind in reversed(absent)}
    return [known[kind] for kind in proposed if kind in known]
