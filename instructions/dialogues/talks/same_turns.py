"""Rows of one group: one talk for view, views and cloud, and a question from where its thing is seen and is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.records import NOT_IN_VIEW, CloudBox, Evidence, TalkBox, TaskTruth
from instructions.dialogues.relations import pair_of
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, SIDES, Said, Talk, say_order, side_of
from instructions.dialogues.tasks.tasks import Draft
from instructions.records import Side
from instructions.view import OUTSIDE_DEG

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
    """A talk of 3 turns or more for each view whose things the cloud shows under the same names."""
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
            chosen += draw.shuffle(fresh)[:_MOST_OF_TOPIC]
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
                slots: dict[str, str] = {"P": a.phrase, "Q": other.phrase}
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
                slots = {"P": a.phrase, "Q": b.phrase, "metres": say_metres(away)}
                yield Said("apart", "reason", slots, (evidence,), (a, b))


def ask_unseen(things: CloudThings, views: Sequence[TalkView]) -> Iterator[tuple[TalkView, Draft]]:
    """For each thing that is the only one of its kind in the model a question where it is seen, then where it is not.

    Unseen is only what by its measured place lies outside of the picture, of a kind that was looked for there and in
    the neighbouring frames and not found: neither a missed detection nor a second one can make the pair false.
    """
    for box in things.alone:
        known = things.known[box.object]
        shown: list[tuple[TalkView, TalkThing, Side]] = [
            (view, one, side)
            for view in views
            for one in view.named
            if one.id == box.object and one.phrase == f"the {one.kind}" and (side := side_of(view, one)) is not None
        ]
        hidden = [view for view in views if view.is_absent(box.name) and view.lies_outside(known)]
        if not shown or not hidden:
            continue
        view, one, side = max(shown, key=lambda pair: (pair[1].visible_fraction, -pair[0].frame))
        other = min(hidden, key=lambda part: (abs(part.frame - view.frame), part.frame))
        slots = {"P": f"the {box.name}"}
        group = f"unseen {box.object}"
        evidence = Evidence(f"side {one.id}", f"{box.name} {SIDES[side]}", (one.id,), view.measure_middle(one), "width")
        truth = TaskTruth(label=side, objects=(one.talk_box,))
        yield view, Draft("unseen", box.object, truth, (evidence,), slots | {"side": SIDES[side]},
                          boxes=(one.talk_box,), variant="seen", names_class=box.name, group=group)  # fmt: skip
        away = other.viewer.measure_bearing_deg(known.body.center)
        evidence = Evidence(f"outside {one.id}", f"{box.name} lies outside of the picture", (one.id,), away, "deg", 0.0,
                            OUTSIDE_DEG)  # fmt: skip
        yield other, Draft("unseen", box.object, TaskTruth(label=NOT_IN_VIEW), (evidence,), slots, variant="unseen",
                           names_class=box.name, group=group)  # fmt: skip
