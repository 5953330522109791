"""One talk for view, views and cloud: turns that hold wherever one stands, about things that all three show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.records import CloudBox, Evidence, TalkBox
from instructions.dialogues.relations import pair_of
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Said, Talk, say_order
from instructions.dialogues.templates import Noun

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
    things: CloudThings, views: Sequence[TalkView], walks: Sequence[tuple[TalkView, ...]], options: DialogueOptions,
    draw: Draw,
) -> Iterator[SameTalk]:  # fmt: skip
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
        chosen: list[Said] = []
        for topic in sorted(by_topic):
            fresh = (one for one in by_topic[topic] if one.evidence[0].name not in told)
            chosen += sorted(fresh, key=lambda _: draw.uniform())[:_MOST_OF_TOPIC]
        chosen = chosen[: options.most_turns]
        if len(chosen) < LEAST_TURNS:
            continue
        made += 1
        told |= {said.evidence[0].name for said in chosen}
        talk = Talk()
        for said in chosen:
            talk.put(said, draw)
        names = {thing.id for said in chosen for thing in said.things}
        walk = next((one for one in walks if view in one and _is_clear(one, names, alone)), ())
        boxes = (replace(one.talk_box, view=part.frame) for part in walk for one in part.told if one.id in names)
        yield SameTalk(talk, view, walk, tuple(boxes))


def _is_called(one: TalkThing, alone: dict[str, CloudBox]) -> bool:
    """Whether picture and cloud call it the same, and it alone."""
    return one.id in alone and one.phrase == f"the {alone[one.id].name}"


def _is_clear(walk: Sequence[TalkView], names: set[str], alone: dict[str, CloudBox]) -> bool:
    """Whether in every picture each name means at most the thing meant."""
    kinds = {alone[name].name for name in names}
    return all(one.id in names for part in walk for one in part.told if one.kind in kinds)


def _tell_pairs(things: CloudThings, shown: Sequence[tuple[CloudBox, TalkThing]]) -> Iterator[Said]:
    """What holds of two things that picture and cloud call the same."""
    things_by_id = {box.object: one for box, one in shown}
    for number, (box, a) in enumerate(shown):
        for relation in things.relations(box.object):
            other = things_by_id.get(relation.b)
            if other is not None:
                topic = "on" if relation.predicate == "on" else "where_by"
                slots: dict[str, str | Noun] = {"P": a.noun, "Q": other.noun}
                yield Said(topic, "relation", slots, (relation.evidence("m"),), (a, other))
        for box_b, b in shown[number + 1 :]:
            both = (box.object, box_b.object)
            taller = pair_of(things.known[box.object], things.known[box_b.object]).is_taller
            if taller.state is not None:
                words = f"taller by {taller.value:.2f} m"
                evidence = Evidence(f"{both[0]} height {both[1]}", words, both, taller.value, "m", taller.sigma,
                                    taller.margin)  # fmt: skip
                yield replace(say_order("larger", evidence, *((a, b) if taller.state else (b, a))), things=(a, b))
            apart = things.measure_apart(box, box_b)
            if apart is not None and things.are_together(*both):
                away, sigma = apart
                words = f"{away:.2f} m between middles"
                evidence = Evidence(f"distance {both[0]} {both[1]}", words, both, away, "m", sigma)
                slots = {"P": a.noun, "Q": b.noun, "metres": say_metres(away)}
                yield Said("apart", "reason", slots, (evidence,), (a, b))
