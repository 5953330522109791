"""Is a turn of a talk true? Its statements are measured one by one, and what cannot be read is told.

Two readers share the work: `turn_meaning` reads what question and answer say together, `instructions.truth.views` what
stands in a text as it is (gaps, sizes, neighbours, kinds). Where both read a family of words, the first one is heard.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import cast

from instructions.dialogues.cloud_tasks import CloudThings
from instructions.dialogues.placed_talk import measure_side
from instructions.dialogues.records import Turn
from instructions.dialogues.rounding import find_interval_m
from instructions.dialogues.scene_names import find_unclear
from instructions.dialogues.scene_text import SceneVerdict, check_scene_text
from instructions.dialogues.turn_marks import mark_text
from instructions.dialogues.turn_meaning import Reading, read_turn
from instructions.dialogues.turn_plain import plainly
from instructions.dialogues.turn_statements import Statement
from instructions.facts.verdict import SIGMAS
from instructions.truth.names import NameReader
from instructions.truth.unread import find_unread_in_talk
from instructions.truth.view_claims import State, Verdict, ViewBars, ViewClaim, ViewClaimKind
from instructions.truth.view_measures import judge
from instructions.truth.views import check_view_answer, check_view_text, find_unread, read_view
from instructions.view import View
from instructions.wording.english import NUMBER_WORDS

_FAMILY = {
    "side": "side", "left of": "side", "right of": "side", "nearer": "near", "farther": "near", "in front of": "near",
    "behind": "near", "taller": "tall", "shorter": "tall", "on": "on", "under": "on", "above": "on", "below": "on",
    "count": "count", "visible": "visible", "colour": "colour", "room": "room", "distance": "distance",
}  # fmt: skip
_LENGTHS = ("gap", "height", "width", "length")
"""Claims in metres that no distance from the camera is."""
_TURNED: dict[State, State] = {"true": "false", "false": "true", "unknown": "unknown"}
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_MOST_COUNT, _MOST_METRES = 60, 60
"""Numbers that are tried against a bound."""
_BOUND = re.compile(r"\b(?:more|fewer|less) than (?:\d+|" + "|".join(NUMBER_WORDS[1:]) + r")\b ?", re.I)
_FROM_PLACE = re.compile(
    r"\b(?:stand|sit)\w*\b[^@?.;]*@([^\s,.;:?]+)[^@]*?\b(?:fac(?:e|ing)|look\w*)\b[^@]*@([^\s,.;:?]+)[^@]*@([^\s,.;:?]+)[^@]*$"
)
_RISES = re.compile(r"\b(?:rises?|towers?|reach(?:es)?) (?:above|over)\b", re.I)
_NO_SUCH = re.compile(r"(?:^|\b(?:that|is|are|see|have|has|and|so) )no (?!doubt\b)[a-z]", re.I)
"""A question that names what may not be there."""
_ORDER = re.compile(r"\bfrom (?:the )?(?:left|right) to (?:the )?(?:left|right)\b", re.I)
_TWO = re.compile(r"\b(?:of )?(?:(?:the|these|those) two|the pair(?: of)?)\b", re.I)
_AGREES = re.compile(r"(?:yes|yeah|yep|indeed|exactly|correct|right|certainly)\b", re.I)
_SUPPOSES = re.compile(r"(?:^|[.,:] )(?:if|suppose|imagine|say|were)\b|\bif\b", re.I)


def check_view_turn(turn: Turn, view: View) -> tuple[tuple[Verdict, ...], tuple[str, ...]]:
    """Verdicts on what a turn about a view says, and what nobody could read: families of words, else a single word.

    Args:
        turn: Question and answer.
        view: What is known of the view.
    """
    unread = find_unread((turn.question, turn.answer), view)
    turn = _say_plainly(turn)
    reading = read_turn(turn.question, turn.answer, _kinds(view))
    told = [_judge(one, view) for one in reading.statements]
    families = {one.family for one in reading.statements}
    # `Are there more than two chairs?` `No, just two.` denies no count.
    question, answer = _BOUND.sub("", _TWO.sub("", turn.question)), _TWO.sub("", turn.answer)
    question = _ORDER.sub("", _RISES.sub("is taller than", question))
    own = check_view_text(answer, view) if _SUPPOSES.search(question) else check_view_answer(question, answer, view)
    own = [one for one in own if _FAMILY.get(one.claim.kind) not in families]
    is_denied = any(one.denied and one.family == "visible" for one in reading.statements)
    if is_denied or _NO_SUCH.search(question):
        said = set(check_view_answer("", answer, view))
        own = [one for one in own if one in said]  # a question about what is not there presupposes nothing
    return (*told, *own), _find_left_over(reading, own) or _name_unread(unread)


def _name_unread(word: str | None) -> tuple[str, ...]:
    return () if word is None else (f"the word {word!r}",)


def _say_plainly(turn: Turn) -> Turn:
    question, answer = plainly(turn.question, turn.answer)
    return replace(turn, question=question, answer=answer)


def check_view_description(text: str, view: View) -> tuple[Verdict, ...]:
    """Verdicts on a description, sentence by sentence; what cannot be read is let be."""
    kinds = _kinds(view)
    told = [
        _judge(one, view)
        for sentence in re.split(r"(?<=[.!?])\s+", text)
        for one in read_turn("", sentence, kinds).statements
        if one.family in ("colour", "room")
    ]
    return (*told, *check_view_text(text, view))


def _kinds(view: View) -> list[str]:
    things = (*view.things, *view.others)
    return sorted({one.category for one in things if one.category} | view.looked_for)


def _judge(statement: Statement, view: View) -> Verdict:
    """One statement against what is measured."""
    reader = read_view(view)
    ids = [next(iter(reader.find_things(f"the {kind}")), ()) for kind in statement.things]
    if statement.relation == "floor":
        return _judge_floor(statement, view, ids[0])
    if statement.bound:
        return _judge_bound(statement, view, ids[0])
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


_ON_FLOOR_M, _OFF_FLOOR_M = 0.10, 0.25
"""(Nominal) metres above the floor up to which a thing stands on it, and from which it does not."""


def _judge_floor(statement: Statement, view: View, subject: tuple[str, ...]) -> Verdict:
    """That a thing stands on the floor itself: false of what is seen to rest on another, and of what hangs."""
    things = [thing for name in subject if (thing := view.find_thing(name)) is not None]
    claim = ViewClaim("on", statement.text, subject, denied=statement.denied)
    state: State = "unknown"
    reason = "nothing is known of what it stands on"
    floor_z = view.model.floor_z
    lifts = [(one.body.bottom - floor_z) / view.metre for one in things] if floor_z is not None else []
    if things and all(one.rests_on is not None for one in things):
        state, reason = "false", "it rests on something else"
    elif lifts:
        slack = SIGMAS * max(one.sigma for one in things) / view.metre
        reason = f"its bottom {min(lifts):+.2f} m over the floor"
        state = "true" if min(lifts) <= _ON_FLOOR_M else "false" if min(lifts) > _OFF_FLOOR_M + slack else "unknown"
    return Verdict(claim, _TURNED[state] if statement.denied else state, reason)


def _judge_bound(statement: Statement, view: View, subject: tuple[str, ...]) -> Verdict:
    """A number of which only a bound is told: true if every number that may be so keeps to it, false if none does."""
    kind = cast(ViewClaimKind, statement.family)
    claim = ViewClaim(kind, statement.text, subject, (), statement.value, statement.denied)
    if not subject:
        return judge(ViewClaim("visible", statement.text, (), (), statement.things[0]), view, ViewBars())
    limit = float(statement.value or 0.0)
    tried = range(_MOST_COUNT) if kind == "count" else [step / 4 for step in range(1, 4 * _MOST_METRES)]
    bare = replace(claim, denied=False)
    may = [float(one) for one in tried if judge(replace(bare, value=float(one)), view, ViewBars()).state != "false"]
    keeps = [_COMPARE[statement.bound](one, limit) for one in may]
    state: State = "unknown" if not keeps or any(keeps) != all(keeps) else "true" if all(keeps) else "false"
    reason = f"may be {min(may):g} to {max(may):g}" if may else "nothing is known of that number"
    return Verdict(claim, _TURNED[state] if statement.denied else state, reason)


def _is_rounded(found: Verdict) -> bool:
    """Whether a told length is the measured one as people round it."""
    low, high = find_interval_m(found.claim.value_number)
    return found.measured is not None and low <= found.measured <= high


def _find_left_over(reading: Reading, own: Sequence[Verdict]) -> tuple[str, ...]:
    """Families of content words that neither reader accounts for."""
    read = {"distance" if one.claim.kind in _LENGTHS else _FAMILY.get(one.claim.kind, "other") for one in own}
    left = tuple(one for one in reading.leftover if one not in read)
    return left or _find_unanswered(reading, read)


def _find_unanswered(reading: Reading, read: AbstractSet[str]) -> tuple[str, ...]:
    """What the question asks for, if nothing that was read answers it."""
    told = {one.family for one in reading.statements} | (set(read) - {"visible"})  # which a question presupposes
    is_denied = any(one.denied and one.family == "visible" for one in reading.statements)
    if not reading.asked or reading.asked & told or is_denied:
        return ()
    return ("asked " + " or ".join(sorted(reading.asked - {"other"})),)


@dataclass(frozen=True)
class _Kind:
    """A kind of thing as `NameReader` wants it."""

    id: str
    alias: str


def check_cloud_turn(turn: Turn, things: CloudThings) -> tuple[tuple[SceneVerdict, ...], tuple[str, ...]]:
    """Verdicts on what a turn about a cloud says, and what nobody could read: families asked for, else one word."""
    said = f"{turn.question} {turn.answer}"
    unread = find_unread_in_talk(said, NameReader([_Kind(one, one) for one in things.of_kind], ()).read(said))
    turn = _say_plainly(turn)
    reading = read_turn(turn.question, turn.answer, list(things.of_kind))
    placed = _check_from_place(turn, things)
    if placed is not None:
        return (placed,), ()
    unclear = find_unclear(f"{turn.question} {turn.answer}", things)
    if unclear:
        return (), tuple(f"which is meant by {phrase!r}" for phrase in unclear)
    verdicts = _check_cloud(turn, reading, things)
    return verdicts, _find_unanswered(reading, {"other"} if verdicts else set()) or _name_unread(unread)


def _check_from_place(turn: Turn, things: CloudThings) -> SceneVerdict | None:
    """`Stand at the sofa and face the door: where is the bed?`; None for a turn without place, facing and side."""
    found = _FROM_PLACE.search(mark_text(turn.question, list(things.of_kind)).text)
    told = set(re.findall(r"\b(left|right|behind)\b", turn.answer.lower()))
    if found is None or len(told) != 1 or re.search(r"\b(?:not|neither|nor|never)\b|n't\b", turn.answer.lower()):
        return None
    named = {one.name: one for one in things.alone}
    boxes = [named.get(one.replace("_", " ").rstrip("*")) for one in found.groups()]
    place, facing, thing = boxes
    if place is None or facing is None or thing is None:
        return SceneVerdict(turn.answer, "unknown", "there may be more than one of these things")
    measured = measure_side(things, place, facing, thing)
    if measured is None:
        return SceneVerdict(turn.answer, "unknown", "too near to the edge of a side")
    words, bearing, _ = measured
    state: State = "true" if told.pop() in words else "false"
    return SceneVerdict(turn.answer, state, f"{bearing:.0f} degrees to the right of ahead")


def _check_cloud(turn: Turn, reading: Reading, things: CloudThings) -> tuple[SceneVerdict, ...]:
    told: list[SceneVerdict] = []
    denied: list[tuple[str, Statement]] = []
    for one in reading.statements:
        if one.bound and one.family == "count":
            told.append(_bound_in_cloud(one, things))
            continue
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


def _bound_in_cloud(statement: Statement, things: CloudThings) -> SceneVerdict:
    kind, limit = statement.things[0], float(statement.value or 0.0)
    known = len(things.of_kind.get(kind, ()))
    keeps = _COMPARE[statement.bound](known, limit)
    if kind in things.unsure_kinds:  # there may be more
        state: State = "true" if keeps and ">" in statement.bound else "unknown"
    else:
        state = "true" if keeps != statement.denied else "false"
    return SceneVerdict(statement.text, state, f"the scene has {known} of {kind}")


def _repeats(verdict: SceneVerdict, reason: str, denied: Statement) -> bool:
    """Whether a verdict on a plain text is on the same measure of the same things as a denied statement."""
    is_count = denied.family == "count"  # whose reason names the kind
    return verdict.reason == reason and (is_count or all(one in verdict.words.lower() for one in denied.things))
