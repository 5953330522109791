"""A description and a talk about a whole cloud: how many of each kind, what stands on and next to what, how high."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.cloud_kinds import describe_relations, list_absent, say_kinds, talk_of_kinds
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.records import CloudBox, Evidence, Relation, Turn, count_things
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Talk
from instructions.dialogues.talks.placed_talk import ask_from_places
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
    free = sorted([*_turns(things), *talk_of_kinds(things, draw)], key=lambda _: draw.uniform())
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
