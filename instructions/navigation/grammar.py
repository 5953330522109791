"""Events to words: a small grammar with two voices, `Walk past the ...` and `The camera walks past a ...`.

A text says where it starts, what happens in order, and where it ends.

Every clause knows the events it tells, so that the claims travel with the text and nothing has to be parsed back.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from instructions.asking.quantities import say_count
from instructions.claims.walk_bars import is_slight
from instructions.navigation.moves.legs import Event
from instructions.records import Claim
from instructions.wording.english import pluralize, with_article

Kind = Literal["description", "instruction"]

_THIRD_PERSON = {
    "bear": "bears",
    "continue": "continues",
    "end": "ends",
    "enter": "enters",
    "go": "goes",
    "head": "heads",
    "keep": "keeps",
    "look": "looks",
    "make": "makes",
    "move": "moves",
    "sidestep": "sidesteps",
    "stop": "stops",
    "turn": "turns",
    "walk": "walks",
}
MAX_CLAUSES_PER_SENTENCE = 4


@dataclass(frozen=True)
class Text:
    """A text with the claims it makes, in the order of the words."""

    text: str
    claims: tuple[Claim, ...]


@dataclass
class _Voice:
    """Says things in one kind of text and remembers what was named and which verbs were used last."""

    kind: Kind
    names: Mapping[str, str]
    one_of_many: Collection[str]
    plural: Collection[str]
    rng: random.Random
    named: list[str] = field(default_factory=list)
    """Things in the order of the words."""
    last_choice: str = ""
    last_named: str = ""
    """What `it` means."""
    last_side: str | None = None
    """Side that was told of it."""

    def pick(self, choices: Sequence[str]) -> str:
        """A seeded choice that does not repeat the one before."""
        fresh = [choice for choice in choices if choice != self.last_choice] or list(choices)
        self.last_choice = self.rng.choice(fresh)
        return self.last_choice

    def verb(self, clause: str) -> str:
        """A clause that starts with a bare verb, in the person of this voice."""
        if self.kind == "instruction":
            return clause
        verb, _, rest = clause.partition(" ")
        return f"{_THIRD_PERSON[verb]} {rest}".rstrip()

    def noun(self, thing: str) -> str:
        """An object with its article: indefinite at first in a description, and where others are called so too.

        A second one of the same name is another one.
        """
        name = self.names[thing]
        is_new = thing not in self.named
        self.named.append(thing)
        is_plural = thing in self.plural
        if thing == self.last_named:
            return "them" if is_plural else "it"
        self.last_named, self.last_side = thing, None
        is_open = self.kind == "description" or thing in self.one_of_many
        if is_new and any(self.names[one] == name for one in self.named[:-1]):
            return f"other {name}" if is_plural else f"another {name}"
        if is_new and is_open:
            return f"some {name}" if is_plural else with_article(name)
        return f"the {name}"

    def several(self, thing: str) -> str:
        """Those of one kind that stand together, of which an object is one: `the doors`."""
        self.named.append(thing)
        self.last_named = ""
        return f"{'some' if self.kind == 'description' else 'the'} {pluralize(self.names[thing])}"

    def place(self, event: Event) -> str:
        """Where one is, by what is there: `facing the sofa in the distance`, `with a table on the left`."""
        if event.kind == "room":
            return f"in the {event.room}"
        noun = self.noun(event.object or "")
        if event.kind == "side":
            self.last_side = event.side
            return f"with {noun} {self.on(event.side)}"
        far = " in the distance" if event.range is not None else ""
        return f"in front of {noun}" if event.kind == "stop_at" else f"facing {noun}{far}"

    def on(self, side: str | None) -> str:
        """`on your left` or `on the left`."""
        return f"on {'your' if self.kind == 'instruction' else 'the'} {side}"


def compose(
    events: Sequence[Event],
    names: Mapping[str, str],
    kind: Kind,
    rng: random.Random,
    one_of_many: Collection[str] = (),
    plural: Collection[str] = (),
) -> Text:
    """Tell events in plain English.

    Args:
        events: In order, as `find_events` gives them: the start first, passes and approaches after their walk, what a
            turn leads to after it, the end last.
        names: What each object is called, without article.
        kind: Voice of the text.
        rng: Chooses among wordings.
        one_of_many: Objects whose name fits others too.
        plural: Objects that are several, and named so.

    Returns:
        A few sentences. Without events, an empty text.
    """
    voice = _Voice(kind, names, one_of_many, plural, rng)
    claims: list[Claim] = []
    start = [event for event in events if event.part == "start"]
    opening = [voice.place(event) for event in start]
    claims += [_claim(event, words) for event, words in zip(start, opening, strict=True)]
    clauses: list[str] = []
    queue = [event for event in events if event.part != "start"]
    while queue:
        event = queue.pop(0)
        members, named = [event], len(voice.named)
        if event.kind in ("walk", "pass", "approach") or event.part == "leg":  # without a walk: it was dropped as false
            while queue and (queue[0].kind in ("pass", "approach") or queue[0].part == "leg"):
                members.append(queue.pop(0))
            if clauses and members == [event] and _goes_on(events, event):
                continue
            clause = _leg(voice, members, claims, is_first=not clauses)
        else:
            while queue and event.kind in ("turn", "look") and queue[0].part == "turn":
                members.append(queue.pop(0))
            while queue and event.part == "end":
                members.append(queue.pop(0))
            clause = _single(voice, members, claims, events)
        clauses.append(clause)
        if len(voice.named) == named:
            voice.last_named = ""  # nobody knows any more what `it` would be
    if not clauses:
        return Text("", ())
    if kind == "instruction" and events[-1].part != "end":
        clauses.append("stop")
    return Text(_sentences(voice, opening, clauses), tuple(claims))


def _leg(voice: _Voice, members: Sequence[Event], claims: list[Claim], is_first: bool) -> str:
    """One stretch of walking with what it passes and what it leads to."""
    walk = members[0] if members[0].kind == "walk" else None
    passes = [event for event in members if event.kind == "pass"]
    approaches = [event for event in members if event.kind == "approach"]
    if passes:
        head = voice.pick(["walk past", "go past", "walk forward past", "continue past"][: 3 if is_first else 4])
    elif approaches:
        head = voice.pick(["walk towards", "head towards", "move towards", "go towards"])
    else:
        head = voice.pick(_walk_words(walk, is_first))
    if walk is not None:
        words = voice.verb(head.removesuffix(" past").removesuffix(" towards"))
        claims.append(_claim(walk, words))
    clause = voice.verb(head)
    if passes:
        clause = f"{clause} {_phrase_passes(voice, passes, claims)}"
    for event in approaches:
        noun = voice.several(event.object or "") if event.is_many else voice.noun(event.object or "")
        claims.append(_claim(event, f"towards {noun}"))
        clause = f"{clause} towards {noun}" if passes else f"{clause} {noun}"
    for event in (member for member in members if member.part == "leg"):
        leads = _extent(event) if event.kind == "length" else f"until {_lead(voice, event)}"
        claims.append(_claim(event, leads))
        clause = f"{clause} {leads}"
    return clause


def _extent(length: Event) -> str:
    """How far a walk goes: `for a few steps`, `for about four meters`."""
    return "for a few steps" if length.length_m is None else f"for about {say_count(int(length.length_m))} meters"


def _goes_on(events: Sequence[Event], walk: Event) -> bool:
    """Whether a walk goes on as the one before it did, with only a rest between them: nothing new to tell.

    Beyond what that one led to it is new, unless it is a bend that is told next.
    """
    number = events.index(walk)
    before, following = events[max(number - 1, 0)], events[min(number + 1, len(events) - 1)]
    is_bend = following.kind == "turn" and following.first_frame == walk.first_frame
    if not is_bend and (before.kind == "approach" or before.part == "leg"):
        return False
    moves = [event for event in events if event.kind in ("walk", "turn", "look", "enter")]
    at = moves.index(walk) if walk in moves else 0
    return at > 0 and moves[at - 1].kind == "walk" and moves[at - 1].angle_deg == walk.angle_deg


def _lead(voice: _Voice, place: Event) -> str:
    """Where a walk leads: `the sofa is on your left`, `you are in front of the sofa`."""
    if place.kind == "side":
        noun = voice.noun(place.object or "")
        is_plural = place.object in voice.plural
        return f"{'they' if noun == 'them' else noun} {'are' if is_plural else 'is'} {voice.on(place.side)}"
    return f"{'you are' if voice.kind == 'instruction' else 'it is'} {voice.place(place)}"


def _walk_words(walk: Event | None, is_first: bool) -> list[str]:
    angle = walk.angle_deg if walk is not None and walk.angle_deg is not None else 0.0
    if abs(angle) == 180.0:
        return ["move backwards", "walk backwards"]
    if angle != 0.0:
        return [f"sidestep to the {'left' if angle > 0 else 'right'}"]
    return ["walk forward", "move forward", "go forward"] + ([] if is_first else ["continue forward"])


def _phrase_passes(voice: _Voice, passes: Sequence[Event], claims: list[Claim]) -> str:
    """`the A on your left and the B on your right`, `the A and the B on your left`, `the chairs on your left`."""
    groups: list[list[Event]] = []
    for event in passes:
        told = (event.side, voice.names[event.object or ""])
        alike = next((one for one in groups if (one[0].side, voice.names[one[0].object or ""]) == told), None)
        if alike is not None:
            alike.append(event)
        else:
            groups.append([event])
    parts: list[str] = []
    for number, group in enumerate(groups):
        first = group[0]
        noun = voice.noun(first.object or "")
        if len(group) > 1 and first.object not in voice.plural:
            noun, voice.last_named = f"the {pluralize(voice.names[first.object or ''])}", ""
        shared = number + 1 < len(groups) and groups[number + 1][0].side == first.side
        shared |= len(groups) == 1 and noun in ("it", "them") and voice.last_side == first.side
        claims += [_claim(event, f"past {noun} {voice.on(event.side)}") for event in group]
        parts.append(noun if shared else f"{noun} {voice.on(first.side)}")
    return _join_parts(parts)


def _single(voice: _Voice, members: Sequence[Event], claims: list[Claim], events: Sequence[Event]) -> str:
    """A turn or a look with what it leads to, a room that is entered, or the end."""
    event = members[0]
    if event.kind in ("turn", "look"):
        choices = _turn_words(event, events) if event.kind == "turn" else [_look_words(event)]
        plain = [
            choice for choice in choices if not choice.startswith("make") or len(members) == 1
        ]  # no turn is made until
        words = voice.pick(plain or choices)
        clause = voice.verb(words)
        claims.append(_claim(event, clause))
        for target in members[1:]:
            if target.kind == "side":
                leads = f"until {_lead(voice, target)}"
                claims.append(_claim(target, leads))
                clause = f"{clause} {leads}"
                continue
            noun = voice.noun(target.object or "")
            until = "until you face" if voice.kind == "instruction" else "until it faces"
            leads = f"{until} {noun}" if event.kind == "turn" else f"towards {noun}"
            claims.append(_claim(target, leads))
            clause = f"{clause}, {leads}" if event.kind == "look" and " to " in clause else f"{clause} {leads}"
        return clause
    if event.kind != "enter":
        return _stop(voice, members, claims, events)
    clause = voice.verb(f"enter the {event.room}")
    claims.append(_claim(event, clause))
    return clause


def _stop(voice: _Voice, members: Sequence[Event], claims: list[Claim], events: Sequence[Event]) -> str:
    """The end, by what is there: `stop in front of the sofa, with the door on your left`."""
    places: list[str] = []
    for event in members:
        led = next((one for one in events if one.kind == "approach" and one.object == event.object), None)
        is_it = event.kind == "stop_at" and led is not None
        it = "them" if event.object in voice.plural else "it"
        if led is not None and led.is_many:
            it = "one of them"
        places.append(f"in front of {it}" if is_it else voice.place(event))
    words = [voice.verb(f"{'stop' if voice.kind == 'instruction' else 'end'} {places[0]}"), *places[1:]]
    claims += [_claim(event, told) for event, told in zip(members, words, strict=True)]
    return ", ".join(words)


def _turn_words(turn: Event, events: Sequence[Event]) -> list[str]:
    angle = turn.angle_deg or 0.0
    moves = [event for event in events if event.part is None]
    before = moves[max(moves.index(turn) - 1, 0)]
    if before is not turn and before.kind == "turn" and turn.side is not None and before.side == turn.side:
        return [f"keep turning {turn.side}"]
    if turn.side is None:
        return ["turn around", "make a half turn"]
    if abs(angle) >= 330.0:
        return [f"make a full turn to the {turn.side}"]
    if abs(angle) >= 210.0:
        return [f"keep turning {turn.side} for about three quarters of a circle"]
    if abs(angle) == 180.0:
        return [f"turn around to the {turn.side}"]
    if is_slight(angle):
        if any(event.kind == "walk" and event.first_frame == turn.first_frame for event in events):
            return [f"bear {turn.side}", f"bear to the {turn.side}"]  # a bend of the walk just told
        return [f"turn slightly {turn.side}", f"turn a little to the {turn.side}"]
    if abs(angle) <= 120.0:
        return [f"turn {turn.side}", f"make a {turn.side} turn"]
    return [f"turn sharply {turn.side}", f"make a sharp {turn.side} turn"]


def _look_words(look: Event) -> str:
    """The view turns and the feet go on: a little, to the side, or all the way back."""
    angle = abs(look.angle_deg or 0.0)
    if angle < 45.0:
        return f"look slightly {look.side}"
    return f"look {look.side}" if angle <= 120.0 else f"look far round to the {look.side}"


def _claim(event: Event, words: str) -> Claim:
    return Claim(
        event.kind, words, event.object, event.side, event.angle_deg, event.first_frame, event.last_frame, event.range,
        event.room, event.length_m,
    )  # fmt: skip


def _sentences(voice: _Voice, opening: Sequence[str], clauses: list[str]) -> str:
    """The start, and clauses as one sentence, or as two of similar length if one would be too long."""
    count = len(clauses)
    split = count if count <= MAX_CLAUSES_PER_SENTENCE else (count + 1) // 2
    begins = ", ".join(opening)
    if voice.kind == "instruction":
        starts, sentences = ("", "then "), [f"start {begins}"] if opening else []
    else:
        starts, sentences = (f"{begins}, the camera " if opening else "the camera ", "it then "), []
    for start, part in zip(starts, (clauses[:split], clauses[split:]), strict=True):
        if part:
            sentences.append(start + _join_parts(part, separate=True))
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)


def _join_parts(parts: Sequence[str], separate: bool = False) -> str:
    """`a`, `a and b`, `a, b, and c`; `separate` puts a comma before `and` where a part has an `and` of its own."""
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        comma = "," if separate and any(" and " in part for part in parts) else ""
        return f"{parts[0]}{comma} and {parts[1]}"
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"
