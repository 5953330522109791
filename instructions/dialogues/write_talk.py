"""Talks, descriptions and background by a language model: asked with what is known, then filtered and measured."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from instructions.dialogues.budget import estimate_tokens
from instructions.dialogues.cloud_tasks import CloudThings
from instructions.dialogues.filters import REASONS, find_form_fault, is_repeat, needs_viewpoint
from instructions.dialogues.knowledge import Background
from instructions.dialogues.pilot import name_stratum, passes
from instructions.dialogues.records import About, Context, Dialogue, Evidence, TalkKind, Turn
from instructions.dialogues.support import find_unsupported
from instructions.dialogues.turn_truth import check_cloud_turn, check_view_description, check_view_turn
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.prompts import Prompt, load
from instructions.language.quoting import clean, name
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from instructions.truth.views import has_false
from instructions.view import View

LEAST_TURNS, LEAST_WORDS, MOST_WORDS = 2, 40, 260
_LEANS = re.compile(r"\b(it|its|they|them|their|that|those|one|ones|there)\b", re.I)


class _Round(BaseModel):
    model_config = ConfigDict(extra="forbid")
    question: Annotated[str, Field(min_length=3, max_length=400)]
    answer: Annotated[str, Field(min_length=1, max_length=800)]
    about: About


class Talk(BaseModel):
    """A talk as the model gives it."""

    model_config = ConfigDict(extra="forbid")
    turns: Annotated[list[_Round], Field(min_length=2, max_length=10)]


class Description(BaseModel):
    """A description as the model gives it."""

    model_config = ConfigDict(extra="forbid")
    text: Annotated[str, Field(min_length=40, max_length=4000)]


@dataclass(frozen=True, eq=False)
class Asked:
    """One request, and the row that its reply becomes."""

    row: Dialogue
    """Without turns, accepted so far."""
    request: Request[BaseModel]
    stratum: str
    background: Background | None = None
    view: View | None = None
    scene: CloudThings | None = None
    known: str = ""
    """What the prompt held, as text: the ground of support."""
    question: str = ""
    """Of a description."""


def make_request(
    kind: TalkKind,
    context: Context,
    row: Dialogue,
    background: Background | None,
    seed: int,
    picture: str | None = None,
) -> tuple[Request[BaseModel], Prompt, str]:
    """The request for a row, its prompt, and what it tells the model.

    Args:
        kind: `daily`, `description` or `factual`.
        context: Of the view or cloud.
        row: Whose id the request carries.
        background: For `factual`: category and text.
        seed: Handed to the server.
        picture: Digest of the view's picture, for a model that sees: its prompt is another version, with a pilot of
            its own.
    """
    prompt = load("instructions.dialogues", kind, *(["sight"] if picture else []))
    known: dict[str, object] = {
        "medium": context.medium,
        "captions": [clean(one.text, 600) for one in context.captions],
        "things": [
            f"{name(one.name)} {number}: {', '.join(name(word) for word in one.attributes)}, {list(one.box)}"
            for number, one in enumerate(context.things)
        ],
        "relations": [_tell_relation(context, one.a, one.predicate, one.b) for one in context.relations],
    }
    if context.room is not None:
        known["room"] = name(context.room.text)
    if background is not None:
        known |= {"category": name(background.category), "text": clean(" ".join(background.sentences), 4000)}
    told = json.dumps(known, ensure_ascii=False)
    schema: type[BaseModel] = Description if kind == "description" else Talk
    messages = (Message("system", prompt.text), Message("user", told, (picture,) if picture else ()))
    return Request(row.id, messages, schema, seed, likely_tokens=300), prompt, told


def _tell_relation(context: Context, a: str, predicate: str, b: str) -> str:
    numbers = {one.id: f"{name(one.name)} {number}" for number, one in enumerate(context.things)}
    return f"{numbers.get(a, '?')} {predicate} {numbers.get(b, '?')}"


def ask(
    kind: TalkKind,
    context: Context,
    row: Dialogue,
    *,
    background: Background | None = None,
    view: View | None = None,
    scene: CloudThings | None = None,
    question: str = "",
    picture: str | None = None,
) -> Asked:
    """A row and its request."""
    request, prompt, told = make_request(kind, context, row, background, row.seed, picture)
    row = replace(row, prompt=prompt.label)
    return Asked(row, request, name_stratum(kind, row.medium, prompt.label), background, view, scene, told, question)


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
    """Ask the model and judge its replies.

    Args:
        asked: Rows with their requests.
        bounds: By stratum, the lower bound of what people accepted of its pilot.
        replies: Folder of kept replies.
        options: Model and budget.
        connect: Makes the model.
        skip_pilot: Ask although nobody has rated a pilot; every row says so.
        most_tokens: Of a row.
        progress: Told the fraction answered.
    """
    open_strata = {one.stratum for one in asked if skip_pilot or passes(one.stratum, bounds)}
    chosen = [one for one in asked if one.stratum in open_strata]
    shut = tuple(sorted({one.stratum for one in asked} - open_strata))
    answers = ask_all([one.request for one in chosen], connect, replies, options, progress=progress)
    rows: list[Dialogue] = []
    earlier: dict[str, list[str]] = {}
    for one, answer in zip(chosen, answers.answers, strict=True):
        if answer.value is None:
            continue
        place = f"{one.row.views} {one.row.cloud}"
        row = judge_reply(one, answer.value, earlier.setdefault(place, []), most_tokens)
        pilot: Literal["passed", "skipped"] = "passed" if passes(one.stratum, bounds) else "skipped"
        rows.append(
            replace(row, writer=f"llm {answer.served_by or options.model}", reply=answer.reply_key, pilot=pilot)
        )
        if row.accepted:
            earlier[place] += [f"{turn.question} {turn.answer}" for turn in row.turns]
    return Written(tuple(rows), answers.open, shut)


def judge_reply(asked: Asked, value: BaseModel, earlier: Sequence[str], most_tokens: int = 400) -> Dialogue:
    """The row of a reply: form first, then support, then truth; a false turn goes with those that lean on it."""
    row = asked.row
    turns = _turns(asked, value)
    row = replace(row, turns=tuple(turns))
    text = "\n".join(f"{turn.question} {turn.answer}" for turn in turns)
    code = find_form_fault(text, "\n".join(turn.answer for turn in turns))
    if code is not None:
        return _reject(row, code, REASONS[code])
    kept: list[Turn] = []
    evidence: list[Evidence] = list(row.evidence)
    faults: list[tuple[str, str]] = []
    leaning = False
    for number, turn in enumerate(turns):
        if leaning and _LEANS.search(f"{turn.question} {turn.answer}"):
            continue  # it leans on a turn that is gone
        fault = find_fault(asked, turn, [*earlier, *(f"{one.question} {one.answer}" for one in kept)])
        leaning = fault is not None
        if fault is not None:
            faults.append(fault)
            continue
        fact = Evidence(f"checked {number}", "no claim of it is false")
        evidence.append(fact)
        kept.append(replace(turn, facts=(fact.name,)))
    least = 1 if row.kind == "description" else LEAST_TURNS
    if len(kept) < least:
        return _reject(row, *(faults[0] if faults else ("too_short", REASONS["too_short"])))
    row = replace(row, turns=tuple(kept), evidence=tuple(evidence))
    if row.kind == "description" and not LEAST_WORDS <= len(kept[0].answer.split()) <= MOST_WORDS:
        return _reject(row, "too_short", f"{len(kept[0].answer.split())} words, need {LEAST_WORDS} to {MOST_WORDS}")
    if estimate_tokens(kept) > most_tokens:
        return _reject(row, "budget", f"{estimate_tokens(kept)} tokens, need at most {most_tokens}")
    return row


def _turns(asked: Asked, value: BaseModel) -> list[Turn]:
    if isinstance(value, Description):
        return [Turn(asked.question, value.text.strip(), "visible")]
    if not isinstance(value, Talk):
        raise AssertionError(f"no reply of ours: {type(value).__name__}")
    return [Turn(clean(one.question, 400), clean(one.answer, 800), one.about) for one in value.turns]


def find_fault(asked: Asked, turn: Turn, earlier: Sequence[str]) -> tuple[str, str] | None:
    """The code and the reason why a turn cannot stay; None if it can."""
    said = f"{turn.question} {turn.answer}"
    if is_repeat(said, earlier):
        return "repeat", REASONS["repeat"]
    if asked.scene is not None and needs_viewpoint(said):
        return "needs_viewpoint", REASONS["needs_viewpoint"]
    if asked.background is not None:
        why = find_unsupported(turn.answer, [asked.known, turn.question])
        if why is not None:
            return "unsupported", f"{turn.answer[:80]!r}: {why}"
    if asked.view is not None:
        if asked.row.kind == "description":
            verdicts, leftover = check_view_description(turn.answer, asked.view), ()
        else:
            verdicts, leftover = check_view_turn(turn, asked.view)
        false = has_false(verdicts)
        if false is not None:
            return "false_claim", f"{false.claim.words!r}: {false.reason}"
        if leftover and asked.background is None:
            return "unread", f"{turn.answer[:80]!r}: {', '.join(leftover)}"
    if asked.scene is not None:
        told, leftover = check_cloud_turn(turn, asked.scene)
        wrong = next((one for one in told if one.state == "false"), None)
        if wrong is not None:
            return "false_claim", f"{wrong.words!r}: {wrong.reason}"
        if leftover and asked.background is None and asked.row.kind != "description":
            return "unread", f"{turn.answer[:80]!r}: {', '.join(leftover)}"
    return None


def _reject(row: Dialogue, code: str, reason: str) -> Dialogue:
    return replace(row, accepted=False, rejected_because=code, rejection=reason)
