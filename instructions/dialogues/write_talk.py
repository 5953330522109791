"""Talks, descriptions and background by a language model: asked with what is known, then filtered and measured."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from instructions.claims.entailment import Sameness, ask_if_told, explain_difference
from instructions.claims.stated import KnownPlace, PlaceClaims, StatedClaim
from instructions.dialogues.budget import estimate_tokens
from instructions.dialogues.filters import REASONS, find_form_fault, is_repeat
from instructions.dialogues.knowledge import Background
from instructions.dialogues.pilot import name_stratum, passes
from instructions.dialogues.records import About, Context, Dialogue, Evidence, TalkKind, Turn
from instructions.dialogues.support import find_unsupported
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.prompts import Prompt, load
from instructions.language.quoting import clean, name
from instructions.language.requests import Answer, Request
from instructions.language.runner import ask_all

LEAST_TURNS, LEAST_WORDS, MOST_WORDS = 2, 40, 260
MOST_CLAIMS = 12
"""Claims of one turn or sentence: more is a list."""
LIKELY_ITEMS = 4
"""Turns or sentences of a reply that are read a second time, for estimates."""
_LEANS = re.compile(r"\b(it|its|they|them|their|that|those|one|ones|there)\b", re.I)


class _Round(BaseModel):
    model_config = ConfigDict(extra="forbid")
    question: Annotated[str, Field(min_length=3, max_length=400)]
    answer: Annotated[str, Field(min_length=1, max_length=800)]
    about: About
    claims: Annotated[list[StatedClaim], Field(max_length=MOST_CLAIMS)]


class Talk(BaseModel):
    """A talk as the model gives it."""

    model_config = ConfigDict(extra="forbid")
    turns: Annotated[list[_Round], Field(min_length=2, max_length=10)]


class _Sentence(BaseModel):
    model_config = ConfigDict(extra="forbid")
    text: Annotated[str, Field(min_length=3, max_length=600)]
    claims: Annotated[list[StatedClaim], Field(max_length=MOST_CLAIMS)]


class Description(BaseModel):
    """A description as the model gives it."""

    model_config = ConfigDict(extra="forbid")
    sentences: Annotated[list[_Sentence], Field(min_length=1, max_length=40)]


@dataclass(frozen=True, eq=False)
class Asked:
    """One request, and the row that its reply becomes."""

    row: Dialogue
    """Without turns, accepted so far."""
    request: Request[BaseModel]
    stratum: str
    claims: PlaceClaims
    """What may be claimed of its place."""
    background: Background | None = None
    known: str = ""
    """What the prompt held, as text: the ground of support."""
    question: str = ""
    """Of a description."""


def make_request(
    kind: TalkKind,
    context: Context,
    row: Dialogue,
    called: Sequence[str],
    background: Background | None,
    seed: int,
    picture: str | None = None,
) -> tuple[Request[BaseModel], Prompt, str]:
    """The request for a row, its prompt, and what it tells the model.

    Args:
        kind: `daily`, `description` or `factual`.
        context: Of the view or cloud.
        row: Whose id the request carries.
        called: What to call each thing of the context.
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
            f"{name(word)} {number}: {', '.join(name(word) for word in one.attributes)}, {list(one.box)}"
            for number, (one, word) in enumerate(zip(context.things, called, strict=True))
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
    place: KnownPlace,
    row: Dialogue,
    *,
    background: Background | None = None,
    question: str = "",
    picture: str | None = None,
) -> Asked:
    """A row and its request."""
    words = " ".join(background.sentences).lower() if background is not None else ""
    claims = PlaceClaims(place, frozenset(re.findall(r"[a-z]+(?:'[a-z]+)?|\d+", words)))
    called = [one.phrase or one.kind for one in place.things]
    request, prompt, told = make_request(kind, context, row, called, background, row.seed, picture)
    row = replace(row, prompt=prompt.label)
    stratum = name_stratum(kind, row.medium, prompt.label)
    return Asked(row, request, stratum, claims, background, told, question)


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
    second = ask_all([request for _, _, items in judged for request in _ask_again(items)], connect, replies, options)
    verdicts = iter(second.answers)
    rows: list[Dialogue] = []
    earlier: dict[str, list[str]] = {}
    for one, answer, items in judged:
        read = [replace(item, fault=item.fault or _find_other_meaning(item, verdicts)) for item in items]
        place = f"{one.row.views} {one.row.cloud}"
        row = keep_what_holds(one, read, earlier.setdefault(place, []), most_tokens)
        pilot: Literal["passed", "skipped"] = "passed" if passes(one.stratum, bounds) else "skipped"
        rows.append(
            replace(row, writer=f"llm {answer.served_by or options.model}", reply=answer.reply_key, pilot=pilot)
        )
        if row.accepted:
            earlier[place] += [f"{turn.question} {turn.answer}" for turn in row.turns]
    return Written(tuple(rows), answers.open + second.open, shut)


@dataclass(frozen=True)
class Item:
    """One turn, or one sentence of a description, of a reply."""

    turn: Turn
    claims: tuple[StatedClaim, ...]
    fault: tuple[str, str] | None
    """The code and the reason why it cannot stay."""
    again: Request[Sameness] | None
    """The request for a second reading, of what has no fault."""


def check_reply(asked: Asked, value: BaseModel) -> list[Item]:
    """The items of a reply, each with what its form, its ground and its claims are at fault, and a second reading."""
    out: list[Item] = []
    ground = [*asked.background.sentences] if asked.background is not None else []
    for number, (turn, claims) in enumerate(_read_items(asked, value)):
        is_sentence = asked.row.kind == "description"
        question = "" if is_sentence else turn.question
        fault = _find_fault(asked, turn, question, claims)
        said = {"text": turn.answer} if is_sentence else {"question": question, "answer": turn.answer}
        given = [*asked.claims.state(claims), *ground]
        again = ask_if_told(f"{asked.row.id}/{number}", given, said, asked.request.seed)
        out.append(Item(turn, tuple(claims), fault, again if fault is None else None))
    return out


def _read_items(asked: Asked, value: BaseModel) -> Iterator[tuple[Turn, Sequence[StatedClaim]]]:
    if isinstance(value, Description):
        for one in value.sentences:
            yield Turn(asked.question, clean(one.text, 600), "visible"), one.claims
    elif isinstance(value, Talk):
        for one in value.turns:
            yield Turn(clean(one.question, 400), clean(one.answer, 800), one.about), one.claims
    else:
        raise AssertionError(f"no reply of ours: {type(value).__name__}")


def _find_fault(asked: Asked, turn: Turn, question: str, claims: Sequence[StatedClaim]) -> tuple[str, str] | None:
    code = find_form_fault(f"{question} {turn.answer}", turn.answer)
    if code is not None:
        return code, REASONS[code]
    if asked.background is not None:
        why = find_unsupported(turn.answer, [asked.known, question])
        if why is not None:
            return "unsupported", f"{turn.answer[:80]!r}: {why}"
    fault = asked.claims.find_fault(turn.answer, claims, question)
    return None if fault is None else (fault.code, fault.words)


def _ask_again(items: Sequence[Item]) -> list[Request[Sameness]]:
    return [one.again for one in items if one.again is not None]


def _find_other_meaning(item: Item, verdicts: Iterator[Answer[Sameness]]) -> tuple[str, str] | None:
    """What the second reading of an item finds; nobody has read what it left open."""
    if item.again is None:
        return None
    verdict = next(verdicts)
    why = explain_difference(verdict) if verdict.value is not None else "no second reading"
    return None if why is None else ("other_meaning", f"{item.turn.answer[:80]!r}: {why}")


def list_requests(asked: Sequence[Asked]) -> list[Request[BaseModel]]:
    """What a model would be asked: for rows, and for second readings, as many as a reply mostly has items."""
    out: list[Request[BaseModel]] = []
    for one in asked:
        again = ask_if_told(one.row.id, [one.known[:400]], {"answer": one.known[:200]}, one.request.seed)
        out += [one.request, *([replace(again, after=one.request)] * LIKELY_ITEMS)]
    return out


def keep_what_holds(asked: Asked, items: Sequence[Item], earlier: Sequence[str], most_tokens: int = 400) -> Dialogue:
    """The row of what holds; a turn that leans on one that does not goes with it."""
    row, is_description = asked.row, asked.row.kind == "description"
    kept: list[Turn] = []
    evidence: list[Evidence] = list(row.evidence)
    faults: list[tuple[str, str]] = []
    leaning = False
    for number, item in enumerate(items):
        turn = item.turn
        said = turn.answer if is_description else f"{turn.question} {turn.answer}"
        if leaning and _LEANS.search(said):
            continue  # it leans on a turn that is gone
        told = [one.answer if is_description else f"{one.question} {one.answer}" for one in kept]
        fault = item.fault
        if fault is None and is_repeat(said, [*earlier, *told]):
            fault = "repeat", REASONS["repeat"]
        leaning = fault is not None
        if fault is not None:
            faults.append(fault)
            continue
        stated = asked.claims.state(item.claims)
        facts = [Evidence(f"{number}.{place} {words}", words) for place, words in enumerate(stated)]
        evidence += facts
        kept.append(replace(turn, facts=tuple(one.name for one in facts)))
    whole = [one.turn for one in items]
    if is_description:
        kept, whole = _join(kept), _join(whole)
    if len(kept) < (1 if is_description else LEAST_TURNS):
        row = replace(row, turns=tuple(whole))
        return _reject(row, *(faults[0] if faults else ("too_short", REASONS["too_short"])))
    row = replace(row, turns=tuple(kept), evidence=tuple(evidence))
    if is_description and not LEAST_WORDS <= len(kept[0].answer.split()) <= MOST_WORDS:
        code, reason = faults[0] if faults else ("too_short", REASONS["too_short"])
        words = len(kept[0].answer.split())
        return _reject(row, code, f"{words} words hold, need {LEAST_WORDS} to {MOST_WORDS}: {reason}")
    if estimate_tokens(kept) > most_tokens:
        return _reject(row, "budget", f"{estimate_tokens(kept)} tokens, need at most {most_tokens}")
    return row


def _join(sentences: Sequence[Turn]) -> list[Turn]:
    """Sentences as the one answer of a description."""
    if not sentences:
        return []
    facts = tuple(name for one in sentences for name in one.facts)
    return [replace(sentences[0], answer=" ".join(one.answer for one in sentences), facts=facts)]


def _reject(row: Dialogue, code: str, reason: str) -> Dialogue:
    return replace(row, accepted=False, rejected_because=code, rejection=reason)
