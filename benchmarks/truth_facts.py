"""Facts of a way, the texts that tell them in a wording, and lies made from them on purpose."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from truth_wordings import Wording
from truth_worlds import MadeWay

from instructions.records import Claim, Side
from instructions.truth.claims import check_claims
from instructions.truth.stretches import find_in_view, find_passes
from instructions.wording.english import with_article

INVENTED = ("grand piano", "aquarium", "rocking horse", "fireplace", "pool table", "birdcage", "treadmill", "crib")
SIDES: tuple[Side, Side] = ("left", "right")
LEAST_TURN_DEG = 75.0
"""Texts may leave out less."""
OPPOSITE: dict[str | None, Side] = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class Fact:
    """One thing to tell, with the frames it is true for."""

    key: str
    """A key of the wordings."""
    first_frame: int
    last_frame: int
    thing: str | None = None
    name: str | None = None
    side: Side | None = None
    angle_deg: float | None = None
    room: str | None = None


@dataclass(frozen=True)
class Lie:
    """Facts of which at least one is false, by what was done to them."""

    how: str
    facts: tuple[Fact, ...]
    count: tuple[int, str] | None = None


def facts_of(made: MadeWay) -> list[Fact]:
    """Events and room changes in the order of time."""
    names = {thing.id: thing.alias for thing in made.walk.objects}
    facts: list[Fact] = []
    for event in made.plan.events:
        key = {"stop_at": "stop_at", "walk": _walk_key(event.angle_deg)}.get(event.kind, event.kind)
        if event.kind in ("turn", "look"):
            key = _turn_key(event.side, event.angle_deg)
        side = _side_of_walk(event.angle_deg) if key == "aside" else event.side
        facts.append(
            Fact(
                key,
                event.first_frame,
                event.last_frame,
                event.object,
                names.get(event.object or ""),
                side,
                event.angle_deg,
            )
        )
    for (_, before), (room, span) in pairwise(made.geometry.stays):
        frame = made.geometry.walk.frames[span.first]
        leaving = Fact("exit", frame, frame, room=made.geometry.stays[0][0])
        leaving = replace(leaving, room=_room_ending(made, before.last))
        at = next((i for i, fact in enumerate(facts) if _moment(fact) > frame), len(facts))
        facts[at:at] = [leaving, Fact("enter", frame, frame, room=room)]
    return facts


def _room_ending(made: MadeWay, index: int) -> str | None:
    return next(room for room, span in made.geometry.stays if span.last == index)


def _moment(fact: Fact) -> float:
    late = fact.key in ("approach", "stop_at", "see")
    return fact.last_frame if late else 0.5 * (fact.first_frame + fact.last_frame)


def _walk_key(angle_deg: float | None) -> str:
    return "walk" if not angle_deg else "back" if abs(angle_deg) == 180.0 else "aside"


def _side_of_walk(angle_deg: float | None) -> Side:
    return "left" if (angle_deg or 0.0) > 0 else "right"


def _turn_key(side: str | None, angle_deg: float | None) -> str:
    size = abs(angle_deg or 0.0)
    if side is None:
        return "around"
    return "circle" if size >= 210.0 else "slight" if size < 60.0 else "turn"


def tell(facts: Sequence[Fact], wording: Wording, rng: random.Random, counted: tuple[int, str] | None = None) -> str:
    """A text that says these facts; the same generator state gives the same words for other facts."""
    clauses: list[str] = []
    named: set[str] = set()
    queue = list(facts)
    while queue:
        fact = queue.pop(0)
        choice = rng.random()
        if queue and choice < 0.25 and fact.key in wording.ing and queue[0].key in wording.ing:
            clauses.append(_pair(fact, queue.pop(0), wording, rng, named))
        else:
            clauses.append(_main(fact, wording, rng, named))
    text = ""
    for number, clause in enumerate(clauses):
        join = rng.choice(wording.joins) if number else wording.subject
        said = clause
        if number and (
            join.endswith(("it ", "we ")) and clause.startswith(("before", "after", "prior", "just before"))
        ):
            join = ". "
        if number and join.rstrip().endswith(".") and wording.subject:
            said = wording.subject + clause if not clause.startswith(("before", "after", "prior")) else clause
        if not number and clause.startswith(("before", "after", "prior", "just before")):
            join = ""
        if join == " before it " and number:
            said = clause
        text += join + said
    if counted is not None:
        text += f". Along the way {_number(counted[0])} {counted[1]} are visible"
    return _capitalise(text + ".")


def _pair(one: Fact, two: Fact, wording: Wording, rng: random.Random, named: set[str]) -> str:
    """Two facts as one clause whose order of words may be against the order of time."""
    if rng.random() < 0.5:
        pattern = rng.choice(wording.after)
        a, b = _ing(one, wording, rng, named), _main(two, wording, rng, named)
        if "{b2}" in pattern:
            subject = wording.subject
            return pattern.format(a=a, b2=subject + b, b=b)
        return pattern.format(a=a, b=b)
    pattern = rng.choice(wording.before)
    a, b = _main(one, wording, rng, named), _ing(two, wording, rng, named)
    return pattern.format(a=wording.subject + a, b=b)


def _main(fact: Fact, wording: Wording, rng: random.Random, named: set[str]) -> str:
    return _fill(rng.choice(wording.main[fact.key]), fact, wording, named)


def _ing(fact: Fact, wording: Wording, rng: random.Random, named: set[str]) -> str:
    return _fill(rng.choice(wording.ing[fact.key]), fact, wording, named)


def _fill(form: str, fact: Fact, wording: Wording, named: set[str]) -> str:
    thing = ""
    if fact.name is not None:
        is_new = wording.kind == "description" and fact.name not in named
        thing = with_article(fact.name) if is_new else f"the {fact.name}"
        named.add(fact.name)
    return form.format(o=thing, s=fact.side or "", r=f"the {fact.room}")


def _capitalise(text: str) -> str:
    out = [sentence[:1].upper() + sentence[1:] for sentence in text.split(". ")]
    return ". ".join(out)


def _number(count: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)


def counts_of(made: MadeWay) -> list[tuple[int, str]]:
    """Kinds of things of which two or more are in view on the way."""
    seen = [thing for thing in made.walk.objects if find_in_view(made.geometry, thing.id)]
    kinds: dict[str, int] = {}
    for thing in seen:
        if thing.category is not None:
            kinds[thing.category] = kinds.get(thing.category, 0) + 1
    heads = [kind.split()[-1] for kind in kinds]
    return [
        (count, f"{kind}s")
        for kind, count in kinds.items()
        if 2 <= count <= 9 and not kind.endswith("s") and heads.count(kind.split()[-1]) == 1
    ]


def lies_of(made: MadeWay, facts: Sequence[Fact], rng: random.Random) -> Iterator[Lie]:
    """Every kind of lie that can be made from the facts, one change each."""
    for number, fact in enumerate(facts):
        if fact.side in OPPOSITE:
            flipped = replace(fact, side=OPPOSITE[fact.side], angle_deg=-(fact.angle_deg or 0.0) or None)
            yield Lie("left and right", _with(facts, number, flipped))
        if fact.thing is not None:
            yield Lie("invented thing", _with(facts, number, replace(fact, name=rng.choice(INVENTED))))
            for other in _elsewhere(made, fact):
                yield Lie("thing of another place", _with(facts, number, replace(fact, name=other)))
        if fact.key == "walk":
            yield Lie("sideways for forward", _with(facts, number, replace(fact, key="aside", side=rng.choice(SIDES))))
            yield Lie("backwards for forward", _with(facts, number, replace(fact, key="back")))
        if fact.key in ("turn", "around") and abs(fact.angle_deg or 0.0) >= LEAST_TURN_DEG:
            yield Lie("turn left out", (*facts[:number], *facts[number + 1 :]))
        if fact.key in ("approach", "leave"):
            other_key = "leave" if fact.key == "approach" else "approach"
            if _is_false(made, replace(fact, key=other_key)):
                yield Lie("towards and away", _with(facts, number, replace(fact, key=other_key)))
    things = [number for number, fact in enumerate(facts) if fact.thing is not None]
    for i, j in pairwise(things):
        a, b = facts[i], facts[j]
        if a.thing == b.thing:
            continue
        swapped = _with(
            _with(facts, i, replace(a, thing=b.thing, name=b.name)), j, replace(b, thing=a.thing, name=a.name)
        )
        if _is_false(made, swapped[i]) or _is_false(made, swapped[j]) or _is_clearly_late(made, swapped[i], swapped[j]):
            yield Lie("order of things", swapped)
    rooms = [number for number, fact in enumerate(facts) if fact.key == "enter"]
    for number in rooms:
        before, after = facts[number - 1], facts[number]
        swapped = _with(
            _with(facts, number - 1, replace(before, room=after.room)), number, replace(after, room=before.room)
        )
        yield Lie("order of rooms", swapped)
    for count, kind in counts_of(made):
        yield Lie("count", tuple(facts), (count + rng.choice([-1, 1]), kind))


def _with(facts: Sequence[Fact], number: int, fact: Fact) -> tuple[Fact, ...]:
    return (*facts[:number], fact, *facts[number + 1 :])


def _elsewhere(made: MadeWay, fact: Fact) -> list[str]:
    """One thing of the scene that this way never sees, and whose name fits nothing it sees."""
    seen = {thing.alias for thing in made.walk.objects if find_in_view(made.geometry, thing.id)}
    heads = {alias.split()[-1] for alias in seen}
    others = [
        thing.alias for thing in made.walk.objects if thing.alias not in seen and thing.alias.split()[-1] not in heads
    ]
    return sorted(set(others))[:1]


def _claim(fact: Fact) -> Claim:
    kind = {"see": "see", "stop_at": "stop_at"}.get(fact.key, fact.key)
    return Claim(kind, "", fact.thing, fact.side, fact.angle_deg, fact.first_frame, fact.last_frame)  # type: ignore[arg-type]


def _is_false(made: MadeWay, fact: Fact) -> bool:
    """By the frames and the object that the fact names: the check of claims, which reads no text."""
    walk = made.walk
    return not check_claims(walk.scene, walk.trajectory, walk.objects, [_claim(fact)])[0].true


def _is_clearly_late(made: MadeWay, one: Fact, two: Fact) -> bool:
    """Two passes told in an order that is wrong by more than two seconds."""
    if one.key != "pass" or two.key != "pass":
        return False
    moments = []
    for fact in (one, two):
        spans = [span for span, _ in find_passes(made.geometry, fact.thing or "")]
        moments.append([float(made.geometry.walk.time_s[span.first]) for span in spans])
    return bool(moments[0] and moments[1]) and min(moments[0]) > max(moments[1]) + 2.0
