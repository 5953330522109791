"""A description and a talk about a whole cloud: how many of each kind, what stands on and next to what, how high."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.cloud_kinds import (
    describe_relations,
    list_absent,
    say_kinds,
    talk_of_kinds,
)
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.records import CloudBox, Evidence, Relation, Turn
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.talks.describe import LEAST_WORDS, MOST_WORDS
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Talk
from instructions.dialogues.talks.placed_talk import ask_from_places
from instructions.dialogues.templates import load_pool
from instructions.facts.between import distance
from instructions.facts.sizes import height
from instructions.wording.english import capital, is_plural, join_list, number_of, pluralize, with_article

_MOST_RELATIONS = 3
_MOST_PLACED = 3
_MOST_KINDS = 20
"""That a description lists: more would not fit its words."""


def describe_cloud(things: CloudThings, draw: Draw) -> Talk | None:
    """A description of 40 to 260 words as a talk of one turn; None where too little is known."""
    talk = Talk()
    lines = [
        f"This scan shows {with_article(things.rooms[0])}."
        if len(things.rooms) == 1
        else "This is a scan of an interior."
    ]
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
            than = f"{'are' if is_plural(high.name) else 'is'} taller than the {lower.name}"
            lines.append(f"The {high.name} {than} and about {say_metres(tall)} high.")
            _note(talk, f"taller {high.object} {lower.object}", lines[-1], [high.object, lower.object], tall)
    missing = list_absent(things, draw)
    if missing:
        lines.append(f"It shows {join_list([f'no {kind}' for kind in missing])}.")
        talk.evidence += [Evidence(f"no {kind}", f"{kind} was looked for and is in no frame") for kind in missing]
    text = " ".join(lines)
    if not LEAST_WORDS <= len(text.split()) <= MOST_WORDS:
        return None
    pool = load_pool("description")
    asked = int(draw.uniform() * len(pool.questions))
    talk.turns.append(Turn(pool.questions[asked], text, "visible", tuple(one.name for one in talk.evidence)))
    talk.templates.append(f"description/questions/{asked}/grammar")
    return talk


def talk_about_cloud(things: CloudThings, most_turns: int, draw: Draw) -> Talk | None:
    """A talk of 3 turns or more about a scene; left and right only from a stated place: a cloud has none of its own."""
    talk = Talk()
    placed = list(islice(ask_from_places(things, draw), _MOST_PLACED))
    free = sorted([*_turns(things), *talk_of_kinds(things, draw)], key=lambda _: draw.uniform())
    for turn, evidence in [*free[: most_turns - len(placed)], *placed]:
        talk.turns.append(turn)
        talk.evidence.append(evidence)
        talk.templates.append("cloud grammar")
    return talk if len(talk.turns) >= LEAST_TURNS else None


def _turns(things: CloudThings) -> Iterator[tuple[Turn, Evidence]]:
    for name, boxes in things.of_kind.items():
        if name not in things.unsure_kinds and not is_plural(name):
            evidence = Evidence(
                f"count {name}",
                number_of(len(boxes), name),
                tuple(box.object for box in boxes),
                float(len(boxes)),
                "things",
            )
            be = "is" if len(boxes) == 1 and not is_plural(name) else "are"
            yield (
                Turn(
                    f"How many {pluralize(name)} does the scan show?",
                    f"There {be} {number_of(len(boxes), name)}.",
                    "count",
                    (evidence.name,),
                ),
                evidence,
            )
    for box, relation in _relations(things):
        other = _name(things, relation.b)
        words = f"{relation.a} {relation.predicate} {relation.b}"
        evidence = Evidence(words, words, (relation.a, relation.b), relation.value, "m", 0.0, relation.margin)
        verb = "are" if is_plural(box.name) else "is"
        question = f"Where {verb} the {box.name}?"
        yield (
            Turn(question, capital(f"the {box.name} {verb} {relation.predicate} the {other}."), "relation", (words,)),
            evidence,
        )
    for one, other, away in _far_pairs(things):
        words = f"distance {one.object} {other.object}"
        evidence = Evidence(words, f"{away:.2f} m", (one.object, other.object), away, "m")
        question = f"If I walked straight from the {one.name} to the {other.name}, how far is it between their middles?"
        yield Turn(question, f"About {say_metres(away)}.", "reason", (words,)), evidence


def _relations(things: CloudThings) -> list[tuple[CloudBox, Relation]]:
    """Between things that are there only once, each pair once."""
    alone = {box.object: box for box in things.alone}
    out, pairs = [], set()
    for box in things.alone:
        for relation in things.relations(box.object):
            pair = frozenset((relation.a, relation.b))
            if relation.b in alone and pair not in pairs:
                pairs.add(pair)
                out.append((box, relation))
    return out


def _far_pairs(things: CloudThings) -> list[tuple[CloudBox, CloudBox, float]]:
    """Neighbours in the alphabet of names, far enough apart for a distance to mean something."""
    out = []
    for one, other in zip(things.alone, things.alone[1:], strict=False):
        a, b = things.known[one.object], things.known[other.object]
        away = distance(a.body, b.body)
        if away >= 1.5 and (a.sigma + b.sigma) + things.cloud.scale_sigma * away <= 0.15 * away:
            out.append((one, other, away))
    return out


def _name(things: CloudThings, name: str) -> str:
    return next(box.name for box in things.cloud.boxes if box.object == name)


def _note(talk: Talk, name: str, words: str, objects: Sequence[str], value: float) -> None:
    talk.evidence.append(Evidence(name, words, tuple(objects), value))
