"""Talks, descriptions and background by a language model: asked with what is known, then filtered and measured."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from instructions.claims.entailment import ask_if_told
from instructions.claims.stated import KnownPlace, PlaceClaims
from instructions.dialogues.records import Context, Dialogue
from instructions.dialogues.talks.knowledge import Background
from instructions.dialogues.talks.pilot import name_stratum, passes
from instructions.dialogues.talks.talk_replies import (
    Asked,
    Description,
    Talk,
    check_reply,
    judge_again,
    keep_what_holds,
)
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import clean, name
from instructions.language.requests import Request
from instructions.language.runner import ask_all

LIKELY_ITEMS = 4
"""Turns or sentences of a reply that are read a second time, for estimates."""


def ask(
    context: Context, place: KnownPlace, row: Dialogue, *, background: Background | None = None, question: str = "",
    picture: str | None = None,
) -> Asked:  # fmt: skip
    """A row and its request.

    Args:
        context: Of the view or cloud.
        place: The same, as claims are about it.
        row: Without turns; its kind is `daily`, `description` or `factual`.
        background: For `factual`: category and text.
        question: Of a description.
        picture: Digest of the view's picture, for a model that sees: its prompt is another version, with a pilot of
            its own.
    """
    prompt = load("instructions.dialogues", row.kind, *(["sight"] if picture else []))
    told = _tell(context, [thing.phrase or thing.kind for thing in place.things], background)
    schema: type[BaseModel] = Description if row.kind == "description" else Talk
    messages = (Message("system", prompt.text), Message("user", told, (picture,) if picture else ()))
    request = Request(row.id, messages, schema, row.seed, likely_tokens=300)
    words = " ".join(background.sentences).lower() if background is not None else ""
    claims = PlaceClaims(place, frozenset(re.findall(r"[a-z]+(?:'[a-z]+)?|\d+", words)))
    stratum = name_stratum(row.kind, row.medium, prompt.label)
    return Asked(replace(row, prompt=prompt.label), request, stratum, claims, background, told, question)


def _tell(context: Context, called: Sequence[str], background: Background | None) -> str:
    """A context as a prompt has it, with what to call each of its things."""
    numbers = {one.id: f"{name(one.name)} {number}" for number, one in enumerate(context.things)}
    known: dict[str, object] = {
        "medium": context.medium,
        "captions": [clean(caption.text, 600) for caption in context.captions],
        "things": [
            f"{name(word)} {number}: {', '.join(name(word) for word in one.attributes)}, {list(one.box)}"
            for number, (one, word) in enumerate(zip(context.things, called, strict=True))
        ],
        "relations": [
            f"{numbers.get(relation.a, '?')} {relation.predicate} {numbers.get(relation.b, '?')}"
            for relation in context.relations
        ],
    }
    if context.room is not None:
        known["room"] = name(context.room.text)
    if background is not None:
        known |= {"category": name(background.category), "text": clean(" ".join(background.sentences), 4000)}
    return json.dumps(known, ensure_ascii=False)


@dataclass(frozen=True)
class Written:
    """What the model wrote."""

    rows: tuple[Dialogue, ...]
    open: OpenQuestions
    without_pilot: tuple[str, ...]
    """Strata that were not asked, because nobody accepted enough of a pilot."""


def write_talks(
    asked: Sequence[Asked],
    bounds: Mapping[str, float],
    *,
    replies: Path,
    options: LanguageOptions,
    connect: Callable[[], TextModel],
    skip_pilot: bool = False,
    most_tokens: int = 400,
    progress: Callable[[float], None] | None = None,
) -> Written:
    """Ask the model, judge the claims of its replies, and have what holds read a second time.

    Args:
        asked: Rows with their requests.
        bounds: By stratum, the lower bound of what people accepted of its pilot.
        replies: Folder of kept replies.
        options: Model and budget.
        connect: Makes the model.
        skip_pilot: Ask although nobody has rated a pilot; every row says so.
        most_tokens: Of a row.
        progress: Told the fraction answered.

    Returns:
        A row per reply whose every turn that may hold was read a second time; the others are counted as open.
    """
    open_strata = {one.stratum for one in asked if skip_pilot or passes(one.stratum, bounds)}
    chosen = [one for one in asked if one.stratum in open_strata]
    shut = tuple(sorted({one.stratum for one in asked} - open_strata))
    answers = ask_all([one.request for one in chosen], connect, replies, options, progress=progress)
    judged = [
        (one, answer, check_reply(one, answer.value))
        for one, answer in zip(chosen, answers.answers, strict=True)
        if answer.value is not None
    ]
    again = [item.again for _, _, items in judged for item in items if item.again is not None]
    second = ask_all(again, connect, replies, options)
    verdicts = iter(second.answers)
    rows: list[Dialogue] = []
    earlier: dict[str, list[str]] = {}
    for one, answer, items in judged:
        read = judge_again(items, [next(verdicts) for item in items if item.again is not None])
        if read is None:
            continue
        place = f"{one.row.views} {one.row.cloud}"
        row = keep_what_holds(one, read, earlier.setdefault(place, []), most_tokens)
        pilot: Literal["passed", "skipped"] = "passed" if passes(one.stratum, bounds) else "skipped"
        writer = f"llm {answer.served_by or options.model}"
        rows.append(replace(row, writer=writer, reply=answer.reply_key, pilot=pilot))
        if row.accepted:
            earlier[place] += [f"{turn.question} {turn.answer}" for turn in row.turns]
    return Written(tuple(rows), answers.open + second.open, shut)


def list_requests(asked: Sequence[Asked]) -> list[Request[BaseModel]]:
    """What a model would be asked: for rows, and for second readings, as many as a reply mostly has items."""
    out: list[Request[BaseModel]] = []
    for one in asked:
        again = ask_if_told(one.row.id, [one.known[:400]], {"answer": one.known[:200]}, one.request.seed)
        out += [one.request, *([replace(again, after=one.request)] * LIKELY_ITEMS)]
    return out
