"""Claims of a text about a whole cloud besides counts and pairs: colours, rooms, distances, between and nearest.

Only things whose name fits nothing else of the model are judged, and of several the one that is nearest to another
thing: of one of several nobody knows which is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from instructions.dialogues.cloud_tasks import CloudThings
from instructions.dialogues.scene_names import name_things
from instructions.dialogues.turn_marks import COLORS, ROOMS
from instructions.facts.between import distance
from instructions.facts.facing import lies_between
from instructions.facts.gap import gap
from instructions.facts.things import Thing
from instructions.facts.verdict import is_first
from instructions.wording.colors import base_color, may_be_one_color
from instructions.wording.english import NUMBER_WORDS

State = Literal["true", "false", "unknown"]
Claim = tuple[str, State, str]
"""Words, what is known of them, and the numbers behind it."""
_IS = r"(?:is|are|stands?|lies?|sits?|hangs?|looks?|appears?)"
_DISTANCE_M, _DISTANCE_SHARE = 0.5, 0.20
"""A told distance is right within half a metre or a fifth."""
_LENGTH = (
    rf"(?P<half>half a metre)|(?P<word>{'|'.join(NUMBER_WORDS[1:])}|\d+(?:\.\d+)?)(?P<more> and a half)? "
    r"met(?:re|er)s?"
)


def find_scene_claims(text: str, things: CloudThings) -> Iterator[Claim]:
    """What a text says of single things and of three of them.

    Args:
        text: A question with its answer, or an answer.
        things: Of the cloud.
    """
    alone = name_things(text, things)
    if not alone:
        return
    names = "|".join(re.escape(name) for name in sorted(alone, key=len, reverse=True))
    yield from _colors(text, alone, names)
    yield from _rooms(text, alone, names)
    yield from _distances(text, alone, names)
    yield from _between(text, alone, names)
    yield from _nearest(text, alone, names)


def _colors(text: str, alone: Mapping[str, Thing], names: str) -> Iterator[Claim]:
    shade = "dark |light |bright |pale "
    told = rf"\bthe (?P<a>{names}) {_IS} (?P<no>not )?(?:a |mostly |mainly |{shade})*(?P<c>{COLORS})\b"
    named = rf"\bthe (?:{shade})?(?P<c>{COLORS}) (?P<a>{names})\b(?P<no>)"
    for pattern in (told, named):
        for match in re.finditer(pattern, text, re.I):
            yield _turn(match, *_judge_color(alone[match.group("a").lower()], match.group("c").lower()))


def _judge_color(one: Thing, said: str) -> tuple[State, str]:
    if not one.thing.color:
        return "unknown", "its color is not known"
    if base_color(one.thing.color) == base_color(said):
        return "true", f"it is {one.thing.color}"
    return ("unknown" if may_be_one_color(one.thing.color, said) else "false"), f"it is {one.thing.color}"


def _rooms(text: str, alone: Mapping[str, Thing], names: str) -> Iterator[Claim]:
    pattern = rf"\bthe (?P<a>{names}) {_IS} (?P<no>not )?in (?:the|a|an) (?P<r>{ROOMS})\b"
    for match in re.finditer(pattern, text, re.I):
        room = alone[match.group("a").lower()].thing.room
        if room is None:
            yield _turn(match, "unknown", "its room is not known")
        else:
            is_it = room.replace("_", " ") == match.group("r").lower()
            yield _turn(match, "true" if is_it else "false", f"it is in the {room}")


def _distances(text: str, alone: Mapping[str, Thing], names: str) -> Iterator[Claim]:
    forms = (
        rf"\bthe (?P<a>{names}) {_IS} (?P<no>not )?(?:about |around |roughly |some )?(?:{_LENGTH})(?: away)? from the "
        rf"(?P<b>{names})\b",
        rf"\bfrom the (?P<a>{names}) to the (?P<b>{names})\b[^.;]*?(?P<no>\bnot )?(?:{_LENGTH})",
        rf"\bbetween the (?:middle of the )?(?P<a>{names}) and (?:that of )?the (?P<b>{names})\b[^.;]*?(?P<no>\bnot )?"
        rf"(?:{_LENGTH})",
    )
    for form in forms:
        for match in re.finditer(form, text, re.I):
            a, b = alone[match.group("a").lower()], alone[match.group("b").lower()]
            told, middles, free = _read_length(match), distance(a.body, b.body), gap(a.body, b.body)
            slack = max(_DISTANCE_M, _DISTANCE_SHARE * middles) + 2 * (a.sigma + b.sigma)
            is_right = min(abs(told - middles), abs(told - free)) <= slack
            reason = f"{middles:.2f} m between their middles, {free:.2f} m between them"
            yield _turn(match, "true" if is_right else "false", reason)


def _read_length(match: re.Match[str]) -> float:
    if match.group("half"):
        return 0.5
    word = match.group("word").lower()
    number = float(NUMBER_WORDS.index(word)) if word in NUMBER_WORDS else float(word)
    return number + (0.5 if match.group("more") else 0.0)


def _between(text: str, alone: Mapping[str, Thing], names: str) -> Iterator[Claim]:
    pattern = rf"\bthe (?P<a>{names}) {_IS} (?P<no>not )?between the (?P<b>{names}) and the (?P<c>{names})\b"
    for match in re.finditer(pattern, text, re.I):
        one, left, right = (alone[match.group(key).lower()] for key in "abc")
        if one in (left, right):
            continue
        found = lies_between(one, left, right, 1.0)
        state: State = "unknown" if found.state is None else "true" if found.state else "false"
        yield _turn(match, state, f"{found.value:.2f} m beside the way, need {found.margin:.2f}")


def _nearest(text: str, alone: Mapping[str, Thing], names: str) -> Iterator[Claim]:
    pattern = (
        rf"\bthe (?P<a>{names}) {_IS} (?P<no>not )?(?:the )?(?:nearest|closest)(?: thing| one)? to the (?P<b>{names})\b"
    )
    for match in re.finditer(pattern, text, re.I):
        one, other = alone[match.group("a").lower()], alone[match.group("b").lower()]
        if one is other:
            continue
        away = {rival.id: gap(rival.body, other.body) for rival in alone.values() if rival is not other}
        mine, rest = away.pop(one.id), away
        least = min(rest, key=lambda name: rest[name], default=None)
        state: State = "true"
        if least is not None:
            sigma = max(rival.sigma for rival in alone.values())
            is_sure = is_first(mine, rest[least], sigma, 1.0).state
            state = "unknown" if not is_sure else "true" if mine < rest[least] else "false"
        told = f", the nearest other {rest[least]:.2f} m" if least is not None else ""
        yield _turn(match, state, f"{mine:.2f} m away{told}")


def _turn(match: re.Match[str], state: State, reason: str) -> Claim:
    turned: dict[State, State] = {"true": "false", "false": "true", "unknown": "unknown"}
    return match.group(), turned[state] if match.group("no") else state, reason
