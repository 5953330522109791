"""What becomes of a language model's reply: turns and sentences whose claims hold, or the reasons why they do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, Field

from instructions.claims.entailment import Sameness, ask_if_told, explain_difference
from instructions.claims.stated import PlaceClaims, StatedClaim
from instructions.dialogues.filters import REASONS, find_form_fault, find_unsupported, is_repeat
from instructions.dialogues.records import About, Dialogue, Evidence, Turn
from instructions.dialogues.talks.conversation import estimate_tokens
from instructions.dialogues.talks.facts_talk import LEAST_WORDS, MOST_WORDS
from instructions.dialogues.talks.knowledge import Background
from instructions.language.quoting import clean
from instructions.language.requests import Answer, Request, StrictModel

LEAST_TURNS = 2
MOST_CLAIMS = 12
"""Claims of one turn or sentence: more is a list."""
_LEANS = re.compile(r"\b(it|its|they|them|their|that|those|one|ones|there)\b", re.I)


class _Round(StrictModel):
    question: Annotated[str, Field(min_length=3, max_length=400)]
    answer: Annotated[str, Field(min_length=1, max_length=800)]
    about: About
    claims: Annotated[list[StatedClaim], Field(max_length=MOST_CLAIMS)]


class Talk(StrictModel):
    """A talk as the model gives it."""

    turns: Annotated[list[_Round], Field(min_length=2, max_length=10)]


class _Sentence(StrictModel):
    text: Annotated[str, Field(min_length=3, max_length=600)]
    claims: Annotated[list[StatedClaim], Field(max_length=MOST_CLAIMS)]


class Description(StrictModel):
    """A description as the model gives it."""

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
    is_sentence = asked.row.kind == "description"
    for number, (turn, claims) in enumerate(_read_items(asked, value)):
        question = "" if is_sentence else turn.question
        fault, again = _find_fault(asked, turn, question, claims), None
        if fault is None:
            said = {"text": turn.answer} if is_sentence else {"question": question, "answer": turn.answer}
            given = [*(claim.words for claim in asked.claims.find_claims(claims)), *ground]
            again = ask_if_told(f"{asked.row.id}/{number}", given, said, asked.request.seed)
        out.append(Item(turn, tuple(claims), fault, again))
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


def judge_again(items: Sequence[Item], answers: Sequence[Answer[Sameness]]) -> list[Item] | None:
    """The items as their second readings leave them; None where one of them was not read again.

    Args:
        items: Of a reply.
        answers: To the requests of those that have one, in their order.
    """
    if any(answer.value is None for answer in answers):
        return None
    found, out = iter(answers), []
    for item in items:
        why = explain_difference(next(found)) if item.again is not None else None
        fault = item.fault if why is None else ("other_meaning", f"{item.turn.answer[:80]!r}: {why}")
        out.append(replace(item, fault=fault))
    return out


def keep_what_holds(asked: Asked, items: Sequence[Item], earlier: Sequence[str], most_tokens: int = 400) -> Dialogue:
    """The row of what holds; a turn that leans on one that does not goes with it."""
    row, is_description = asked.row, asked.row.kind == "description"
    kept: list[Turn] = []
    evidence: list[Evidence] = list(row.evidence)
    faults: list[tuple[str, str]] = []
    said_before, leaning = list(earlier), False
    for number, item in enumerate(items):
        said = item.turn.answer if is_description else f"{item.turn.question} {item.turn.answer}"
        if leaning and _LEANS.search(said):
            continue  # it leans on a turn that is gone
        fault = item.fault or (("repeat", REASONS["repeat"]) if is_repeat(said, said_before) else None)
        leaning = fault is not None
        if fault is not None:
            faults.append(fault)
            continue
        facts = [
            Evidence(f"{number}.{place} {one.words}", one.words, (*one.subject, *one.other))
            for place, one in enumerate(asked.claims.find_claims(item.claims))
        ]
        evidence += facts
        said_before.append(said)
        kept.append(replace(item.turn, facts=tuple(fact.name for fact in facts)))
    whole = [one.turn for one in items]
    if is_description:
        kept, whole = _join(kept), _join(whole)
    code, reason = faults[0] if faults else ("too_short", REASONS["too_short"])
    if len(kept) < (1 if is_description else LEAST_TURNS):
        return _reject(replace(row, turns=tuple(whole)), code, reason)
    row = replace(row, turns=tuple(kept), evidence=tuple(evidence))
    words, tokens = len(kept[0].answer.split()), estimate_tokens(kept)
    if is_description and not LEAST_WORDS <= words <= MOST_WORDS:
        return _reject(row, code, f"{words} words hold, need {LEAST_WORDS} to {MOST_WORDS}: {reason}")
    return _reject(row, "budget", f"{tokens} tokens, need at most {most_tokens}") if tokens > most_tokens else row


def _join(sentences: Sequence[Turn]) -> list[Turn]:
    """Sentences as the one answer of a description."""
    if not sentences:
        return []
    facts = tuple(name for sentence in sentences for name in sentence.facts)
    return [replace(sentences[0], answer=" ".join(sentence.answer for sentence in sentences), facts=facts)]


def _reject(row: Dialogue, code: str, reason: str) -> Dialogue:
    return replace(row, accepted=False, rejected_because=code, rejection=reason)
