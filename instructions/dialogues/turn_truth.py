"""Is a turn of a talk true? Its statements are measured one by one, and what cannot be read is told.

Two readers share the work: `turn_meaning` reads what question and answer say together, `instructions.truth.views` what
stands in a text as it is (gaps, sizes, neighbours, kinds). Where both read a family of words, the first one is heard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from instructions.dialogues.cloud_tasks import CloudThings
from instructions.dialogues.english import NUMBER_WORDS
from instructions.dialogues.records import Turn
from instructions.dialogues.rounding import find_interval_m
from instructions.dialogues.scene_text import SceneVerdict, check_scene_text
from instructions.dialogues.turn_meaning import Reading, read_turn
from instructions.dialogues.turn_statements import Statement
from instructions.facts.view_things import ViewFacts
from instructions.truth.view_claims import State, Verdict, ViewBars, ViewClaim, ViewClaimKind
from instructions.truth.view_measures import judge
from instructions.truth.views import check_view_answer, check_view_text, read_view

_FAMILY = {
    "side": "side", "left of": "side", "right of": "side", "nearer": "near", "farther": "near", "in front of": "near",
    "behind": "near", "taller": "tall", "shorter": "tall", "on": "on", "under": "on", "above": "on", "below": "on",
    "count": "count", "visible": "visible", "colour": "colour", "room": "room", "distance": "distance",
}  # fmt: skip
_LENGTHS = ("gap", "height", "width", "length")
"""Claims in metres that no distance from the camera is."""
_TURNED: dict[State, State] = {"true": "false", "false": "true", "unknown": "unknown"}
_BOUND = re.compile(r"\b(?:more|fewer|less) than (?:\d+|" + "|".join(NUMBER_WORDS[1:]) + r")\b ?", re.I)
_TWO = re.compile(r"\b(?:of )?(?:(?:the|these|those) two|the pair(?: of)?)\b", re.I)
_AGREES = re.compile(r"(?:yes|yeah|yep|indeed|exactly|correct|right|certainly)\b", re.I)
_SUPPOSES = re.compile(r"(?:^|[.,:] )(?:if|suppose|imagine|say|were)\b|\bif\b", re.I)


def check_view_turn(turn: Turn, view: ViewFacts) -> tuple[tuple[Verdict, ...], tuple[str, ...]]:
    """Verdicts on what a turn about a view says, and families of words that nobody could read.

    Args:
        turn: Question and answer.
        view: What is known of the view.
    """
    reading = read_turn(turn.question, turn.answer, _kinds(view))
    told = [_judge(one, view) for one in reading.statements]
    families = {one.family for one in reading.statements}
    # `Are there more than two chairs?` `No, just two.` denies no count.
    question, answer = _BOUND.sub("", _TWO.sub("", turn.question)), _TWO.sub("", turn.answer)
    own = check_view_text(answer, view) if _SUPPOSES.search(question) else check_view_answer(question, answer, view)
    own = [one for one in own if _FAMILY.get(one.claim.kind) not in families]
    if any(one.denied and one.family == "visible" for one in reading.statements):
        said = set(check_view_answer("", answer, view))
        own = [one for one in own if one in said]  # a question about what is not there presupposes nothing
    return (*told, *own), _find_unread(reading, own)


def check_view_description(text: str, view: ViewFacts) -> tuple[Verdict, ...]:
    """Verdicts on a description, sentence by sentence; what cannot be read is let be."""
    kinds = _kinds(view)
    told = [
        _judge(one, view)
        for sentence in re.split(r"(?<=[.!?])\s+", text)
        for one in read_turn("", sentence, kinds).statements
        if one.family in ("colour", "room")
    ]
    return (*told, *check_view_text(text, view))


def _kinds(view: ViewFacts) -> list[str]:
    things = (*view.things, *view.elsewhere, *view.uncertain)
    return sorted({one.category for one in things if one.category} | view.looked_for)


def _judge(statement: Statement, view: ViewFacts) -> Verdict:
    """One statement against what is measured."""
    reader = read_view(view)
    ids = [next(iter(reader.find_things(f"the {kind}")), ()) for kind in statement.things]
    kind = cast(ViewClaimKind, statement.relation or statement.family)
    subject, other = (*ids, (), ())[:2]
    value = statement.value
    if not subject and kind in ("visible", "count"):
        kind, value = "visible", statement.things[0]  # nothing has that name: it is invented, or nobody looked for it
    claim = ViewClaim(kind, statement.text, subject, other, value, statement.denied)
    found = judge(claim, view, ViewBars())
    is_shown = any(view.find_thing(one) in view.things for one in subject)
    if statement.family == "visible" and statement.denied and found.state == "unknown" and is_shown:
        return replace(found, state="false", reason="denied: this frame shows some of it")
    if kind == "distance" and found.state == "false" and _is_rounded(found):
        return replace(found, state="true")
    return found


def _is_rounded(found: Verdict) -> bool:
    """Whether a told length is the measured one as people round it."""
    low, high = find_interval_m(found.claim.value_number)
    return found.measured is not None and low <= found.measured <= high


def _find_unread(reading: Reading, own: Sequence[Verdict]) -> tuple[str, ...]:
    """Families of content words that neither reader accounts for."""
    read = {"distance" if one.claim.kind in _LENGTHS else _FAMILY.get(one.claim.kind) for one in own}
    return tuple(one for one in reading.leftover if one not in read)


def check_cloud_turn(turn: Turn, things: CloudThings) -> tuple[SceneVerdict, ...]:
    """Verdicts on what a turn about a cloud says."""
    reading = read_turn(turn.question, turn.answer, list(things.of_kind))
    told: list[SceneVerdict] = []
    denied: list[tuple[str, Statement]] = []
    for one in reading.statements:
        for verdict in check_scene_text(one.text, things):
            told.append(replace(verdict, state=_TURNED[verdict.state]) if one.denied else verdict)
            denied += [(verdict.reason, one)] if one.denied else []
    is_denial = re.match(r"no\b", turn.answer, re.I)
    if not told:
        return check_scene_text(turn.answer if is_denial else f"{turn.question} {turn.answer}", things)
    # What has been read of a question is not its plain text: `Are there two chairs?` `There are three.`
    takes_over = _AGREES.match(turn.answer) and not _SUPPOSES.search(turn.question)
    said = f"{turn.question} {turn.answer}" if takes_over else turn.answer
    plain = check_scene_text(_BOUND.sub("", said), things)
    return tuple(dict.fromkeys((*told, *(one for one in plain if not any(_repeats(one, *no) for no in denied)))))


def _repeats(verdict: SceneVerdict, reason: str, denied: Statement) -> bool:
    """Whether a verdict on a plain text is on the same measure of the same things as a denied statement."""
    is_count = denied.family == "count"  # whose reason names the kind
    return verdict.reason == reason and (is_count or all(one in verdict.words.lower() for one in denied.things))
