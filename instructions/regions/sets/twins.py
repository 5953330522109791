"""Twins: a kept row with an answer that is false by one change, in its words and in its claim, with the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from instructions.asking.draws import Draw
from instructions.claims.stated import StatedClaim, restate
from instructions.claims.view_claims import ViewClaimKind
from instructions.describing.lines import say_side
from instructions.facts.placing import SIDES
from instructions.regions.judge import judge_claims
from instructions.regions.options import RegionOptions
from instructions.regions.records import KIND, Pair, Qar
from instructions.regions.rules import MENTION
from instructions.rows import row_id
from instructions.view import View
from instructions.wording.colors import OPTIONS
from instructions.wording.english import with_article

_OPPOSITES: tuple[tuple[ViewClaimKind, ViewClaimKind, str, str, str], ...] = (
    ("left of", "right of", "side", "left", "right"),
    ("right of", "left of", "side", "right", "left"),
    ("nearer", "farther", "nearer", "(?:nearer|closer) to", "farther from"),
    ("nearer", "farther", "nearer", "nearer", "farther"),
    ("farther", "nearer", "nearer", "farther", "nearer"),
    ("taller", "shorter", "taller", "taller", "shorter"),
    ("shorter", "taller", "taller", "shorter", "taller"),
    ("on", "under", "on", "on", "under"),
    ("under", "on", "on", "under", "on"),
)
"""What a claim says, what its twin says, the name of the change, and the words of either."""


def twist_rows(
    view: View, rows: Sequence[Qar], options: RegionOptions = RegionOptions(), *, seed: int = 0
) -> list[Pair]:
    """A twin for every kept row that has one: the first change, in an order drawn by chance, that is measured false."""
    return [pair for row in rows if row.accepted and (pair := _twist(view, row, options, seed)) is not None]


def _twist(view: View, row: Qar, options: RegionOptions, seed: int) -> Pair | None:
    draw = Draw(seed, view.tour, KIND, "twin", row.id)
    numbers = {name: number for number, name in view.numbers.items()}
    changes = [
        (place, *change)
        for place, verdict in enumerate(row.verdicts[: row.of_answer])
        if (claim := restate(verdict.claim, numbers)) is not None
        for change in find_changes(view, row, claim, draw)
        if change[1] != row.answer
    ]
    for place, change, answer, claim in draw.shuffle(changes):
        for false in judge_claims([claim], view, row.mode, options.bars):
            if false.state == "false":
                because = f"{false.claim.words!r}: {false.reason}"
                name = f"{view.tour}_p{row_id(row.id, change, answer)}"
                verdicts = (*row.verdicts[:place], false, *row.verdicts[place + 1 :])
                return Pair(name, row.id, row.view, change, row.question, row.answer, answer, because, verdicts)
    return None


def find_changes(view: View, row: Qar, claim: StatedClaim, draw: Draw) -> Iterator[tuple[str, str, StatedClaim]]:
    """Answers that differ from a row's by one change of one claim: the name of the change, the answer, and its claim.

    Whether they are false is not known here.
    """
    text, value = row.answer, str(claim.value)

    def say(**changes: object) -> StatedClaim:
        return claim.model_copy(update=changes)

    if text in ("Yes.", "No."):
        yield "answer", "No." if text == "Yes." else "Yes.", say(denied=not claim.denied)
    for says, other, name, words, instead in _OPPOSITES:
        if claim.says == says and len(re.findall(rf"\b{words}\b", text)) == 1:
            yield name, re.sub(rf"\b{words}\b", instead, text), say(says=other)
            break
    if claim.says == "side" and not claim.denied:
        side = draw.pick([one for one in SIDES if one != value])
        yield "side", text.replace(say_side(value), say_side(side)), say(value=side)
    if claim.says == "color" and value not in row.question.split():
        color = draw.pick([one for one in OPTIONS if one != value])
        yield "colour", re.sub(rf"\b{re.escape(value)}\b", color, text), say(value=color)
    if claim.says in ("height", "distance"):
        doubled = re.sub(r"(\d+(?:\.\d+)?) (m|cm)\b", lambda found: f"{float(found[1]) * 2:g} {found[2]}", text)
        yield "length", doubled, say(value=2 * float(claim.value or 0.0))
    if claim.says == "kind":
        nouns = {thing.category for thing in view.things}
        invented = sorted(word for word in view.looked_for if word not in nouns)
        if invented:
            noun = draw.pick(invented)
            pattern = rf"\b(?:a |an )?{re.escape(value)}\b"
            yield "kind", re.sub(pattern, with_article(noun), text), say(value=noun)
    yield from _change_numbers(row, claim, draw)


def _change_numbers(row: Qar, claim: StatedClaim, draw: Draw) -> Iterator[tuple[str, str, StatedClaim]]:
    told, asked = (list(dict.fromkeys(map(int, MENTION.findall(text)))) for text in (row.answer, row.question))
    if len(told) == 2 and {claim.thing, claim.other} == {*told}:
        a, b = told
        swapped = MENTION.sub(lambda found: f"[{b if int(found[1]) == a else a}]", row.answer)
        yield "id", swapped, claim.model_copy(update={"thing": claim.other, "other": claim.thing})
    others = [one for one in asked if one not in told]
    if len(told) == 1 and told[0] == claim.thing and others:
        number = draw.pick(others)
        changes = {"thing": number, "other": told[0] if number == claim.other else claim.other}
        yield "id", row.answer.replace(f"[{told[0]}]", f"[{number}]"), claim.model_copy(update=changes)
