"""Wrong options by a language model: what one would expect in a view or scan; only those proved absent are used."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from instructions.dialogues.talk_view import TalkView
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import name
from instructions.language.requests import Request, StrictModel
from instructions.language.runner import ask_all
from instructions.rows import row_id
from instructions.wording.synonyms import SYNONYMS

OPTIONS = 5
_ARTICLE = re.compile(r"^(?:an?|the|some)\s+", re.I)


class Distractors(StrictModel):
    """Options as a language model names them."""

    options: Annotated[
        list[Annotated[str, Field(min_length=2, max_length=40)]], Field(min_length=OPTIONS, max_length=OPTIONS)
    ]


@dataclass(frozen=True)
class Proposed:
    """What a model would expect in views and scans."""

    kinds: Mapping[int | str, tuple[str, ...]]
    """By frame, or by the name of the model whose cloud is asked about: kinds in their order, without article."""
    source: str = "the language model"
    open: OpenQuestions = OpenQuestions()


def make_requests(
    views: Sequence[tuple[TalkView, str | None]], scans: Mapping[str, Collection[str]], tour: str, seed: int
) -> tuple[list[Request[Distractors]], str]:
    """One request per view, then one per scan, and the label of their prompt."""
    prompt = load("instructions.dialogues", "distractors")
    asked: list[tuple[str, dict[str, object]]] = []
    for view, room in views:
        shown = sorted({name(one.name) for one in view.told})
        key = row_id(tour, "distractors", view.frame)
        asked.append((key, {**({"room": name(room)} if room else {}), "shows": shown}))
    for model, kinds in scans.items():
        asked.append((row_id(tour, "distractors", "scan", model), {"shows": sorted({name(kind) for kind in kinds})}))
    requests = []
    for key, told in asked:
        messages = (Message("system", prompt.text), Message("user", json.dumps(told, ensure_ascii=False)))
        requests.append(Request(key, messages, Distractors, seed, likely_tokens=60))
    return requests, prompt.label


def ask_distractors(
    views: Sequence[tuple[TalkView, str | None]],
    scans: Mapping[str, Collection[str]],
    *,
    tour: str,
    seed: int,
    replies: Path,
    options: LanguageOptions,
    connect: Callable[[], TextModel],
) -> Proposed:
    """Kinds that a language model would expect in views and scans besides what they show."""
    requests, label = make_requests(views, scans, tour, seed)
    found = ask_all(requests, connect, replies, options)
    places: list[int | str] = [*(view.frame for view, _ in views), *scans]
    kinds = {
        place: tuple(dict.fromkeys(_plain(option) for option in answer.value.options))
        for place, answer in zip(places, found.answers, strict=True)
        if answer.value is not None
    }
    return Proposed(kinds, f"{options.model} ({label})", found.open)


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
