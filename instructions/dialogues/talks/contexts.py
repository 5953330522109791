"""What is known of a view or cloud, as a writer is given it: captions, things with boxes, relations, room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.records import Context, ContextThing
from instructions.dialogues.relations import find_view_relations
from instructions.dialogues.talk_view import TalkView
from instructions.dialogues.talks.describe import describe_view
from instructions.dialogues.tasks.annotations import Annotation, AskedPair
from instructions.records import SceneObject, SourcedText
from instructions.rows import row_id

CAPTIONS = 5
CLOUD_CAPTIONS = 10
"""Lines of a cloud that a prompt holds: a whole scene does not fit."""


def make_view_context(
    tour: str, view: TalkView, room: str | None, seed: int, told: Sequence[SourcedText] = ()
) -> Context:
    """The context of a view: what was told of it, then descriptions by the grammar, in different words."""
    frame = view.frame
    captions = sorted(told, key=lambda one: Draw(seed, tour, "told", frame, one.text).uniform())[:CAPTIONS]
    for number in range(CAPTIONS - len(captions)):
        talk = describe_view(view, room, Draw(seed, tour, "caption", frame, number), least_words=1)
        if talk is not None and all(talk.turns[0].answer != caption.text for caption in captions):
            captions.append(SourcedText(talk.turns[0].answer.replace("\n\n", " "), "grammar over measured facts"))
    things = [
        _tell(one.thing, one.name, np.divide(one.box, view.size * 2).tolist(), (one.thing.color, one.thing.size_word))
        for one in view.told
    ]
    sourced = SourcedText(room, "room labels") if room else None
    return Context(
        row_id(tour, "view", frame), tour, "view", frame, None, tuple(captions), tuple(things),
        find_view_relations(view, view.told), sourced,
    )  # fmt: skip


def _tell(thing: SceneObject, name: str, box: Sequence[float], attributes: Sequence[str | None]) -> ContextThing:
    words, sides = tuple(word for word in attributes if word), tuple(round(value, 2) for value in box)
    return ContextThing(thing.id, name, words, sides, thing.source)


def tell_annotations(annotations: Sequence[Annotation], statements: Mapping[AskedPair, str]) -> list[SourcedText]:
    """Captions, attributes and stated pairs of annotations, as lines of a context."""
    out = []
    for annotation in annotations:
        lines = [*annotation.captions]
        lines += [f"It is {', '.join(annotation.attributes)}."] if annotation.attributes else []
        lines += [statements[pair] for pair in annotation.pairs if pair in statements]
        out += [SourcedText(text, annotation.source) for text in lines]
    return out


def make_cloud_context(tour: str, things: CloudThings, seed: int, told: Sequence[SourcedText] = ()) -> Context:
    """The context of a cloud: ten lines by lot, and the boxes and relations of what they name.

    Half of the lines at most are what was told of it; these name no boxes.
    """
    cloud, known = things.cloud, things.known
    draw = Draw(seed, tour, "cloud caption", cloud.name)
    said = draw.shuffle(told)[: CLOUD_CAPTIONS // 2]
    boxes = [box for box in cloud.boxes if box.object in known]
    chosen = draw.shuffle(boxes)[: CLOUD_CAPTIONS - len(said)]
    lines = [
        SourcedText(f"There is a {box.name} of about {max(box.lengths):.1f} m.", "measured boxes") for box in chosen
    ]
    told_things = [
        _tell((thing := known[box.object].thing), box.name, (*box.center, *box.lengths), (thing.color,))
        for box in chosen
    ]
    named = {box.object for box in chosen}
    relations = [relation for name in sorted(named) for relation in things.relations(name) if relation.b in named]
    sourced = SourcedText(things.room, "room labels") if things.room else None
    return Context(
        row_id(tour, "cloud", cloud.name), tour, "cloud", None, cloud.name, (*said, *lines), tuple(told_things),
        tuple(dict.fromkeys(relations)), sourced,
    )  # fmt: skip
