"""What becomes of a written row: every filter in its order, then kept or rejected with its reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from instructions.claims.stated import KnownPlace, NumberedThing, PlaceClaims, StatedClaim
from instructions.claims.view_claims import State, Verdict, ViewBars, ViewClaim, find_false
from instructions.claims.view_judge import judge
from instructions.describing.lines import name_thing
from instructions.regions.dedup import SentenceEncoder, find_meant_repeat, find_repeat
from instructions.regions.measured.fact_gates import has_sure_name
from instructions.regions.options import RegionOptions
from instructions.regions.records import MentionedRegion, Mode, Parts, Qar
from instructions.regions.rules import MENTION, find_echo, find_id_fault, find_mentions, find_stutter, find_text_fault
from instructions.view import View

Earlier = tuple[str, frozenset[int]]
"""A text of the view, with the numbers of the regions that it is about."""


def note(text: str) -> Earlier:
    """A text that names regions by number."""
    return text, frozenset(int(number) for number in MENTION.findall(text))


def judge_row(
    row: Qar,
    view: View,
    claims: Sequence[StatedClaim],
    reasons: Sequence[StatedClaim],
    earlier: Sequence[Earlier],
    options: RegionOptions = RegionOptions(),
    encoder: SentenceEncoder | None = None,
) -> Qar:
    """The row with its mentions and verdicts, rejected by the first filter that it fails.

    Args:
        row: As written.
        view: With its numbered things.
        claims: Of the answer.
        reasons: Of the rationale.
        earlier: Probes and kept rows of the view before it.
        options: Bars.
        encoder: Finds repeats in other words too, among texts about the same things.
    """
    parts = row.parts
    mentioned = find_mentions(parts) if row.mode == "id" else _find_named(row.text, view)
    things = [(number, view.find_thing(view.numbers[number])) for number in mentioned if number in view.numbers]
    verdicts = judge_claims((*claims, *reasons), view, row.mode, options.bars)
    known = know_view(view, row.mode, options.bars)
    row = replace(
        row,
        mentioned=tuple(number for number, _ in things),
        regions=tuple(
            MentionedRegion(number, thing.id if view.has_pose else None, thing.box)
            for number, thing in things
            if thing is not None
        ),
        verdicts=verdicts,
        of_answer=len(known.find_claims(claims)),
        checked_share=sum(verdict.state != "unknown" for verdict in verdicts) / len(verdicts) if verdicts else None,
    )
    names = tuple(thing.category or thing.alias for _, thing in things if thing is not None)
    fault = find_id_fault(parts, row.mode, len(view.numbers))
    fault = fault or find_text_fault(parts, names=names) or find_stutter(parts) or find_echo(parts)
    if fault is not None:
        return row.reject(fault.code, fault.words)
    texts = [text for text, _ in earlier]
    repeat = find_repeat(row.text, texts, options.repeat_cosine)
    if repeat is None and encoder is not None:
        alike = [place for place, (_, about) in enumerate(earlier) if about == frozenset(row.mentioned)]
        repeat = find_meant_repeat(row.text, texts, alike, options.repeat_cosine, encoder)
    if repeat is not None:
        return row.reject("repeat", f"cosine {repeat[1]:.2f} to {texts[repeat[0]][:80]!r}")
    false = find_false(verdicts)
    return row if false is None else row.reject("false_claim", f"{false.claim.words!r}: {false.reason}")


def judge_claims(
    claims: Sequence[StatedClaim], view: View, mode: Mode, bars: ViewBars = ViewBars()
) -> tuple[Verdict, ...]:
    """Verdicts on claims about a view, without those of no thing."""
    return tuple(judge(claim, view, bars) for claim in know_view(view, mode, bars).find_claims(claims))


@lru_cache(maxsize=4)  # a view is asked about many times in a row
def know_view(view: View, mode: Mode, bars: ViewBars) -> PlaceClaims:
    """The claims that texts about a view may state of its numbered things."""
    marks = {number: f"[{number}]" for number in view.numbers}
    phrases = marks if mode == "id" else find_phrases(view)
    things = [NumberedThing(name, _find_kind(view, name), phrases.get(number)) for number, name in view.numbers.items()]
    known = {one.category for one in (*view.things, *view.others) if one.category}
    rooms = {one.room for one in (view, *view.things) if one.room}
    judged = partial(_judge, view, bars)
    return PlaceClaims(KnownPlace(things, frozenset(known | view.looked_for), judged, frozenset(rooms)))


@lru_cache(maxsize=4)
def find_phrases(view: View) -> Mapping[int, str]:
    """By number, words without article that mean one thing of a view alone, and that a row may say."""
    out: dict[int, str] = {}
    for number, name in view.numbers.items():
        thing = view.find_thing(name)
        if thing is None or not (thing.category is None or has_sure_name(view, thing)):
            continue
        phrase = name_thing(view, thing)
        if phrase is not None and find_text_fault(Parts(phrase, phrase, phrase)) is None:
            out[number] = phrase
    return out


def _judge(view: View, bars: ViewBars, claim: ViewClaim) -> tuple[State, str]:
    found = judge(claim, view, bars)
    return found.state, found.reason


def _find_kind(view: View, name: str) -> str:
    thing = view.find_thing(name)
    return name if thing is None else thing.category or thing.alias


def _find_named(text: str, view: View) -> tuple[int, ...]:
    """Numbers of the things that a text names by words that mean them alone, in order of first mention."""
    numbers = {phrase.lower(): number for number, phrase in find_phrases(view).items()}
    either = "|".join(re.escape(phrase) for phrase in sorted(numbers, key=len, reverse=True))
    told = re.findall(rf"\b(?:the|an?|this|that) ({either})\b", text.lower()) if numbers else []
    return tuple(dict.fromkeys(numbers[phrase] for phrase in told))
