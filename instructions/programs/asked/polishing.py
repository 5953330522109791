"""The way of the camera in the words of a language model, read back before it counts: every turn, side and length."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from instructions.language.model import Message
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Answer, Request
from instructions.programs.records import REJECTIONS, ProgramQuestion
from instructions.rows import row_id
from instructions.truth.reader import read_text

_MOST_CHARS = 6000
_TOLD = re.compile(r"(?:turn (left|right) by (\d+) degrees)?(?: and )?(?:walk (\d+\.\d\d) meters)?")
_AMOUNT = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)[ -]?(°|deg(?:rees?)?\b|met(?:er|re)s?\b|m\b)", re.I)
_NOT_IN_ORDER = re.compile(r"\b(before|until|unless|having|previously|earlier)\b", re.I)
_MOTIONS = ("walk", "turn", "around", "length")
"""What a text about steps may tell, as `instructions.truth` reads it."""
LEAST_AROUND_DEG, MOST_SLIGHT_DEG, LEAST_WIDE_DEG = 135.0, 45.0, 60.0
"""Turns for which one may say `turn around`, `bear` or `sharply`."""


class PolishedSteps(BaseModel):
    """A reply."""

    model_config = ConfigDict(extra="ignore")

    text: str = Field(min_length=1, max_length=_MOST_CHARS)


def find_polishings(rows: Iterable[ProgramQuestion], seed: int) -> list[tuple[ProgramQuestion, Request[PolishedSteps]]]:
    """The rows whose steps a model may put into words, with the requests."""
    prompt = load("instructions.programs", "polish_steps")
    out = []
    for row in rows:
        if row.type != "steps" or not isinstance(row.truth, tuple):
            continue
        told = {"steps": [_tell(*one) for one in read_steps(row.truth)]}
        messages = (Message("system", prompt.text), Message("user", json.dumps(told)))
        likely = 30 * len(row.truth)
        out.append((row, Request(f"programs/{row.id}/steps", messages, PolishedSteps, seed=seed, likely_tokens=likely)))
    return out


def take_polishing(row: ProgramQuestion, answer: Answer[PolishedSteps]) -> list[ProgramQuestion]:
    """The row in the model's words, if they say the same; otherwise the row as it was, and the rejected one."""
    if answer.value is None or not isinstance(row.truth, tuple):
        return [row]
    text = clean(answer.value.text, _MOST_CHARS)
    why = find_difference(text, read_steps(row.truth))
    code = None if why is None else "other_steps"
    made = replace(
        row,
        id=f"{row.id.rpartition('_p')[0]}_p{row_id(row.id, 'steps', text)}",
        answer=text,
        writer=f"llm {answer.served_by or ''}".strip(),
        prompt=load("instructions.programs", "polish_steps").label,
        reply=answer.reply_key,
        template=f"{row.template.partition('/answers')[0]}/answers/llm",
        accepted=code is None,
        rejected_because=code,
        rejection=None if code is None else f"{REJECTIONS[code]}: {why}",
    )
    return [made] if code is None else [row, made]


def read_steps(told: Sequence[str]) -> list[tuple[int, float]]:
    """Steps as rows write them: degrees, left positive, and metres; 0 for what a step has not."""
    out = []
    for one in told:
        found = _TOLD.fullmatch(one)
        side, degrees, metres = found.groups() if found else (None, None, None)
        out.append((int(degrees or 0) * (1 if side == "left" else -1), float(metres or 0.0)))
    return out


def find_difference(text: str, steps: Sequence[tuple[int, float]]) -> str | None:
    """What a text says otherwise than the steps, in words; None if it tells each step in order and nothing else."""
    turns = [turn for turn, _ in steps if turn]
    ways = [way for _, way in steps if way]
    wanted = [
        part
        for turn, way in steps
        for part in ((float(abs(turn)), "deg") if turn else None, (way, "m") if way else None)
        if part
    ]
    amounts = [
        (float(one[1]), "deg" if one[2].lower().startswith(("d", "°")) else "m") for one in _AMOUNT.finditer(text)
    ]
    if amounts != wanted:
        return f"{len(amounts)} amounts are told, {len(wanted)} are asked for, or one is another or elsewhere"
    if _NOT_IN_ORDER.search(text):
        return "a word that tells a step before the one that comes first"
    if re.search(r"\d", _AMOUNT.sub(" ", text)):
        return "a number that is no turn and no distance"
    sides = ["left" if turn > 0 else "right" for turn in turns]
    if re.findall(r"\b(left|right)\b", text.lower()) != sides:
        return "left and right are not those of the turns"
    words = _AMOUNT.sub(
        lambda one: "" if one[2].lower().startswith(("d", "°")) else one[0], text
    )  # sizes by words only
    read = sorted(read_text(words, ()), key=lambda one: one.rank)
    odd = next((one for one in read if one.kind not in _MOTIONS), None)
    if odd is not None:
        return f"`{odd.words}` tells something else than a turn or a walk"
    turned = [one for one in read if one.kind in ("turn", "around")]
    if [one.side for one in turned] != sides or [one.length_m for one in read if one.kind == "length"] != ways:
        return "in the order of time that the text tells, turns or distances are others"
    for one, turn in zip(turned, turns, strict=True):
        size = abs(turn)
        if (one.kind == "around" and size < LEAST_AROUND_DEG) or (one.size == "slight" and size > MOST_SLIGHT_DEG):
            return f"`{one.words}` for {size} degrees"
        if one.size == "wide" and size < LEAST_WIDE_DEG:
            return f"`{one.words}` for {size} degrees"
    return None


def _tell(turn: int, way: float) -> dict[str, str]:
    told = {"turn": f"{abs(turn)} degrees {'left' if turn > 0 else 'right'}"} if turn else {}
    return {**told, "walk": f"{way:.2f} meters"} if way else told
