"""Descriptions and talks about a whole cloud: kinds, supports, heights, and sides from a stated place and facing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise, permutations
from math import atan2, degrees, hypot

import numpy as np

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.cloud_kinds import describe_relations, list_absent, say_kinds, talk_of_kinds
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.records import CloudBox, Evidence, Relation, Turn, count_things
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Talk
from instructions.dialogues.talks.walk_talk import find_quarter
from instructions.facts.sizes import height
from instructions.wording.english import is_plural, join_list, number_of, pluralize, with_article

_MOST_RELATIONS = 3
_MOST_PLACED = 3
_MOST_KINDS = 20
"""That a description lists: more would not fit its words."""


def describe_cloud(things: CloudThings, draw: Draw) -> Talk | None:
    """A description of 40 to 260 words as a talk of one turn; None where too little is known."""
    talk = Talk()
    lines = [f"This scan shows {with_article(things.room)}." if things.room else "This is a scan of an interior."]
    words, counted = say_kinds(things, _MOST_KINDS)
    if words:
        among = "It holds" if len(counted) == len(things.of_kind) else "Among other things it holds"
        lines.append(f"{among} {words}.")
        talk.evidence += counted
    for sentence, evidence in describe_relations(things, _MOST_RELATIONS):
        lines.append(sentence)
        talk.evidence.append(evidence)
    order = sorted(things.alone, key=lambda box: -height(things.known[box.object].body))
    if order:
        # Of two things only: something taller may stand there of which nobody knows whether it is the only one.
        high, tall = order[0], height(things.known[order[0].object].body)
        lower = next((box for box in order if tall >= 1.2 * height(things.known[box.object].body)), None)
        if lower is not None:
            verb = "are" if is_plural(high.name) else "is"
            lines.append(f"The {high.name} {verb} taller than the {lower.name} and about {say_metres(tall)} high.")
            talk.note(f"taller {high.object} {lower.object}", lines[-1], (high.object, lower.object), tall)
    missing = list_absent(things, draw)
    if missing:
        lines.append(f"It shows {join_list([f'no {kind}' for kind in missing])}.")
        talk.evidence += [things.tell_absent(kind) for kind in missing]
    return talk.describe(" ".join(lines), draw)


def talk_about_cloud(things: CloudThings, most_turns: int, draw: Draw) -> Talk | None:
    """A talk of 3 turns or more about a scene; left and right only from a stated place: a cloud has none of its own."""
    placed = list(islice(ask_from_places(things, draw), _MOST_PLACED))
    free = draw.shuffle([*_turns(things), *talk_of_kinds(things, draw)])
    told = [*free[: most_turns - len(placed)], *placed]
    if len(told) < LEAST_TURNS:
        return None
    return Talk([turn for turn, _ in told], [one for _, one in told], templates=["cloud grammar"] * len(told))


def _turns(things: CloudThings) -> Iterator[tuple[Turn, Evidence]]:
    for name, boxes in things.of_kind.items():
        if name not in things.unsure_kinds and not is_plural(name):
            evidence = count_things(name, [box.object for box in boxes])
            question = f"How many {pluralize(name)} does the scan show?"
            answer = f"There {'is' if len(boxes) == 1 else 'are'} {number_of(len(boxes), name)}."
            yield Turn(question, answer, "count", (evidence.name,)), evidence
    for box, relation in _relations(things):
        evidence = relation.evidence("m")
        verb = "are" if is_plural(box.name) else "is"
        answer = f"The {box.name} {verb} {relation.predicate} the {things.names[relation.b]}."
        yield Turn(f"Where {verb} the {box.name}?", answer, "relation", (evidence.name,)), evidence
    for one, other in pairwise(things.alone):
        apart = things.measure_apart(one, other)
        if apart is not None:
            words, away = f"distance {one.object} {other.object}", apart[0]
            evidence = Evidence(words, f"{away:.2f} m", (one.object, other.object), away, "m")
            walk = f"If I walked straight from the {one.name} to the {other.name}"
            question = f"{walk}, how far is it between their middles?"
            yield Turn(question, f"About {say_metres(away)}.", "reason", (words,)), evidence


def _relations(things: CloudThings) -> Iterator[tuple[CloudBox, Relation]]:
    """Between things that are there only once, each pair once."""
    alone = {box.object for box in things.alone}
    pairs: set[frozenset[str]] = set()
    for box in things.alone:
        for relation in things.relations(box.object):
            pair = frozenset((relation.a, relation.b))
            if relation.b in alone and pair not in pairs:
                pairs.add(pair)
                yield box, relation


_AWAY_M = 1.0
"""Metres on the floor plan between the three middles: what is nearer has no direction that a person would name."""
_STANDS_M = 0.3
"""Above the floor: one stands at what stands there, not at what hangs on a wall."""
_SLACK_DEG = 10.0
"""From the edge of a quarter, besides the errors of the boxes."""
_QUARTERS = {"on your left": -90.0, "on your right": 90.0, "behind you": 180.0}
_ASKED = (
    "Stand at {place} and face {facing}: {is} {thing} on your left, on your right or behind you?",
    "Imagine standing at {place}, looking towards {facing}. On which side {is} {thing}, left, right or behind?",
)


def ask_from_places(things: CloudThings, draw: Draw) -> Iterator[tuple[Turn, Evidence]]:
    """Turns about things that are there only once, sides by turns so that none is the usual answer."""
    found: dict[str, list[tuple[Turn, Evidence]]] = {words: [] for words in _QUARTERS}
    for place, facing, thing in _find_triples(things):
        measured = measure_side(things, place, facing, thing)
        if measured is None:
            continue
        words, bearing, slack = measured
        name = f"from {place.object} to {facing.object}: {thing.object}"
        objects = (place.object, facing.object, thing.object)
        evidence = Evidence(name, f"{bearing:.0f} degrees to the right", objects, bearing, "deg", slack / 2, slack)
        be, it = ("are", "They are") if is_plural(thing.name) else ("is", "It is")
        names = {"place": f"the {place.name}", "facing": f"the {facing.name}", "thing": f"the {thing.name}", "is": be}
        question = draw.pick(_ASKED).format(**names)
        found[words].append((Turn(question, f"{it} {words}.", "place", (name,)), evidence))
    lots = [draw.shuffle(turns) for turns in found.values()]
    while any(lots):
        for lot in draw.shuffle(lots):
            if lot:
                yield lot.pop()


def _find_triples(things: CloudThings) -> Iterator[tuple[CloudBox, CloudBox, CloudBox]]:
    """Where one may stand, and two other things of the same room."""
    for place in things.alone:
        if place.center[2] - place.lengths[2] / 2 <= _STANDS_M:
            around = [one for one in things.alone if one is not place and things.are_together(place.object, one.object)]
            yield from ((place, facing, thing) for facing, thing in permutations(around, 2))


def measure_side(
    things: CloudThings, place: CloudBox, facing: CloudBox, thing: CloudBox
) -> tuple[str, float, float] | None:
    """Where a thing is for who stands at one and faces another: in words, degrees to the right of ahead, and the error
    allowed for; None where that is not sure.
    """
    stand, ahead, there = (np.array(one.center[:2]) for one in (place, facing, thing))
    look, way = ahead - stand, there - stand
    far, away = float(np.hypot(*look)), float(np.hypot(*way))
    if min(far, away) < _AWAY_M or place.center == thing.center:
        return None
    bearing = degrees(atan2(-(look[0] * way[1] - look[1] * way[0]), float(look @ way)))
    # Where one stands is a middle, and people stand beside things: half of a thing's width counts as error.
    errors = [2 * things.known[one.object].sigma + hypot(*one.lengths[:2]) / 4 for one in (place, facing, thing)]
    slack = degrees(atan2(errors[0] + errors[1], far) / 2 + atan2(errors[0] + errors[2], away) / 2) + _SLACK_DEG
    words = find_quarter(bearing, slack, _QUARTERS)
    return None if words is None else (words, bearing, slack)
