"""One talk for view, views and cloud: turns that hold wherever one stands, about things that all three show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.records import CloudBox, Evidence, TalkBox
from instructions.dialogues.relations import pair_of
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Said, Talk
from instructions.dialogues.templates import Noun
from instructions.facts.between import distance

_APART_M = 1.5
"""Two things nearer to each other have no distance that a person would ask for."""
_ROUNDED = 0.15
"""Share of a distance that its error may be to tell it as people round it."""
_MOST_OF_TOPIC = 2
MOST_TALKS = 3
"""Of a model: each is said three times."""


@dataclass(frozen=True, eq=False)
class SameTalk:
    """A talk, and the media that show all it names."""

    talk: Talk
    view: TalkView
    walk: tuple[TalkView, ...]
    """The pictures of a walk that has the view; none where it is in no walk, or where a picture makes a name
    ambiguous."""
    walk_boxes: tuple[TalkBox, ...]


def write_same_talks(
    things: CloudThings,
    views: Sequence[TalkView],
    walks: Sequence[tuple[TalkView, ...]],
    options: DialogueOptions,
    draw: Draw,
) -> Iterator[SameTalk]:
    """A talk of 3 turns or more for each view whose things the cloud shows under the same names.

    Args:
        things: Of the cloud.
        views: Of the same model.
        walks: Stretches of these views.
        options: How many turns.
        draw: Of facts and wordings.
    """
    alone = {box.object: box for box in things.alone}
    told: set[str] = set()
    made = 0
    for view in views:
        if made == MOST_TALKS:
            return
        shown = {one.id: one for one in view.named if _is_called(one, alone)}
        by_topic: dict[str, list[Said]] = {}
        for said in _tell_pairs(things, [(alone[name], shown[name]) for name in sorted(shown)]):
            by_topic.setdefault(said.topic, []).append(said)
        chosen = [
            said
            for topic in sorted(by_topic)
            for said in sorted(
                (one for one in by_topic[topic] if one.evidence[0].name not in told), key=lambda _: draw.uniform()
            )[:_MOST_OF_TOPIC]
        ][: options.most_turns]
        if len(chosen) < LEAST_TURNS:
            continue
        made += 1
        told |= {said.evidence[0].name for said in chosen}
        talk = Talk()
        for said in chosen:
            talk.put(said, draw)
        names = {thing.id for said in chosen for thing in said.things}
        walk = next((one for one in walks if view in one and _is_clear(one, names, alone)), ())
        boxes = [
            TalkBox(one.id, one.name, one.box, part.frame) for part in walk for one in part.told if one.id in names
        ]
        yield SameTalk(talk, view, walk, tuple(boxes))


def _is_called(one: TalkThing, alone: dict[str, CloudBox]) -> bool:
    """Whether picture and cloud call it the same, and it alone."""
    return one.id in alone and one.phrase == f"the {alone[one.id].name}"


def _is_clear(walk: Sequence[TalkView], names: set[str], alone: dict[str, CloudBox]) -> bool:
    """Whether in every picture each name means at most the thing meant."""
    kinds = {alone[name].name for name in names}
    return all(one.id in names for part in walk for one in part.told if one.kind in kinds)


def _tell_pairs(things: CloudThings, shown: Sequence[tuple[CloudBox, TalkThing]]) -> Iterator[Said]:
    for number, (box, a) in enumerate(shown):
        one = things.known[box.object]
        p = Noun(f"the {box.name}")
        for relation in things.relations(box.object):
            other = next((pair for pair in shown if pair[0].object == relation.b), None)
            if other is None:
                continue
            words = f"{relation.a} {relation.predicate} {relation.b}"
            evidence = (Evidence(words, words, (relation.a, relation.b), relation.value, "m", 0.0, relation.margin),)
            slots: dict[str, str | Noun] = {"P": p, "Q": Noun(f"the {other[0].name}")}
            yield Said("on" if relation.predicate == "on" else "where_by", "relation", slots, evidence, (a, other[1]))
        for box_b, b in shown[number + 1 :]:
            two = things.known[box_b.object]
            q = Noun(f"the {box_b.name}")
            taller = pair_of(one, two).is_taller
            if taller.state is not None:
                n, f = (p, q) if taller.state else (q, p)
                words = f"{box.object} height {box_b.object}"
                evidence = Evidence(words, f"taller by {taller.value:.2f} m", (box.object, box_b.object), taller.value,
                                    "m", taller.sigma, taller.margin)  # fmt: skip
                yield Said("larger", "relation", {"P": p, "Q": q, "N": n, "F": f}, (evidence,), (a, b))
            away = distance(one.body, two.body)
            sigma = one.sigma + two.sigma + things.cloud.scale_sigma * away
            if away >= _APART_M and sigma <= _ROUNDED * away and things.are_together(box.object, box_b.object):
                words = f"distance {box.object} {box_b.object}"
                evidence = Evidence(
                    words, f"{away:.2f} m between middles", (box.object, box_b.object), away, "m", sigma
                )
                slots = {"P": p, "Q": q, "metres": say_metres(away)}
                yield Said("apart", "reason", slots, (evidence,), (a, b))
