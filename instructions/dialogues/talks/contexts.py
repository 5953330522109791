"""What is known of a view or cloud, as a writer is given it: captions, things with boxes, relations, room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.records import Context, ContextThing, Relation, SourcedText
from instructions.dialogues.relations import find_view_relations
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.talks.describe import describe_view
from instructions.dialogues.tasks.annotations import Annotation, AskedPair
from instructions.rows import row_id

CAPTIONS = 5
CLOUD_CAPTIONS = 10
"""Lines of a cloud that a prompt holds: a whole scene does not fit."""


def make_view_context(
    tour: str, view: TalkView, room: str | None, seed: int, told: Sequence[SourcedText] = ()
) -> Context:
    """The context of a view: what was told of it, then descriptions by the grammar, in different words."""
    captions = sorted(told, key=lambda one: Draw(seed, tour, "told", view.frame, one.text).uniform())[:CAPTIONS]
    for number in range(CAPTIONS - len(captions)):
        talk = describe_view(view, room, Draw(seed, tour, "caption", view.frame, number))
        if talk is not None and all(talk.turns[0].answer != one.text for one in captions):
            captions.append(SourcedText(talk.turns[0].answer.replace("\n\n", " "), "grammar over measured facts"))
    width, height = view.size
    things = tuple(
        ContextThing(
            one.id,
            one.name,
            _attributes(one),
            tuple(round(value / side, 2) for value, side in zip(one.box, (width, height) * 2, strict=True)),
            one.thing.source,
        )
        for one in view.told
    )
    relations = find_view_relations(view, view.told)
    sourced = SourcedText(room, "room labels") if room else None
    frame = view.frame
    return Context(row_id(tour, "view", frame), tour, "view", frame, None, tuple(captions), things, relations, sourced)


def tell_annotations(annotations: Sequence[Annotation], statements: Mapping[AskedPair, str]) -> list[SourcedText]:
    """Captions, attributes and stated pairs of annotations, as lines of a context."""
    out = []
    for one in annotations:
        lines = [*one.captions, *([f"It is {', '.join(one.attributes)}."] if one.attributes else [])]
        lines += [statements[pair] for pair in one.pairs if pair in statements]
        out += [SourcedText(text, one.source) for text in lines]
    return out


def _attributes(one: TalkThing) -> tuple[str, ...]:
    thing = one.thing
    return tuple(word for word in (thing.color, thing.size_word) if word)


def make_cloud_context(tour: str, things: CloudThings, seed: int, told: Sequence[SourcedText] = ()) -> Context:
    """The context of a cloud: ten lines by lot, and the boxes and relations of what they name.

    Half of the lines at most are what was told of it; these name no boxes.
    """
    cloud = things.cloud
    draw = Draw(seed, tour, "cloud caption", cloud.name)
    lines = [
        (box, f"There is a {box.name} of about {max(box.lengths):.1f} m.")
        for box in cloud.boxes
        if box.object in things.known
    ]
    said = sorted(told, key=lambda _: draw.uniform())[: CLOUD_CAPTIONS // 2]
    chosen = sorted(lines, key=lambda _: draw.uniform())[: CLOUD_CAPTIONS - len(said)]
    named = {box.object for box, _ in chosen}
    relations = [one for name in sorted(named) for one in things.relations(name) if one.b in named]
    return Context(
        row_id(tour, "cloud", cloud.name),
        tour,
        "cloud",
        None,
        cloud.name,
        (*said, *(SourcedText(text, "measured boxes") for _, text in chosen)),
        tuple(
            ContextThing(
                box.object,
                box.name,
                tuple(word for word in (things.known[box.object].thing.color,) if word),
                tuple(round(value, 2) for value in (*box.center, *box.lengths)),
                things.known[box.object].thing.source,
            )
            for box, _ in chosen
        ),
        tuple(_unique(relations)),
        SourcedText(things.rooms[0], "room labels") if len(things.rooms) == 1 else None,
    )


def _unique(relations: Sequence[Relation]) -> list[Relation]:
    return list(dict.fromkeys(relations))
