"""Tasks of a view with their truths: what the run measured, and only where it is sure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import hypot

import numpy as np

from instructions.asking.bars import GateOptions
from instructions.asking.draws import Draw
from instructions.asking.gates import hide_size
from instructions.dialogues.records import Evidence, Spot, TaskTruth, count_things
from instructions.dialogues.relations import tell_nearer
from instructions.dialogues.rounding import round_length
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.tasks.tasks import Draft
from instructions.dialogues.templates import kind_slots
from instructions.facts.overlap import measure_contained_share, measure_inside
from instructions.facts.sizes import height
from instructions.perception.masks import decode_mask
from instructions.wording.english import is_plural, join_list, pluralize, with_article

MOST_DETECTED = 6
"""Things of one answer: more do not fit a loader's 400 tokens."""
WRONG_OPTIONS = 3
_MOST_ABSENT = 6
"""Kinds that are asked for in vain."""


def find_picture_tasks(
    view: TalkView, room: str | None, tour_kinds: Collection[str], draw: Draw, proved: Sequence[str] = (),
    proposer: str = "",
) -> list[Draft]:  # fmt: skip
    """Every task that may be asked about a view.

    Args:
        view: What may be told.
        room: Where it is sure.
        tour_kinds: Kinds of the tour's things: what is asked for in vain is asked for among these first.
        draw: Of the kinds that are asked for in vain.
        proved: Wrong options of a language model, proved wrong (`prove_absent`); they come before ours.
        proposer: Who proposed them.
    """
    keyed = sorted((kind not in tour_kinds, draw.uniform(), kind) for kind in view.absent)
    absent = [kind for _, _, kind in keyed][:_MOST_ABSENT]
    wrong = list(dict.fromkeys([*proved, *absent]))
    return [
        *_classify(view, room), *_count_and_detect(view), *_ground_and_locate(view), *_ask_lengths(view),
        *_ask_presence(view, absent), *_choose_seen(view, wrong, dict.fromkeys(proved, proposer)),
        *_choose_nearest(view),
    ]  # fmt: skip


def _classify(view: TalkView, room: str | None) -> Iterator[Draft]:
    if room is not None:
        evidence = (Evidence(f"room {room}", f"the frame shows {with_article(room)}"),)
        yield Draft("classify_view", room, TaskTruth(label=room), evidence, dict(kind_slots(room)), names_class=room)
    for one in view.told:
        others = [other for other in view.told if other.id != one.id]
        is_hidden = any(measure_inside(one.box, other.box) > 0.3 for other in others)
        if one.kind is not None and not is_hidden and measure_filled(one) >= view.gates.fills:
            slots = dict(kind_slots(one.kind))
            yield _draft("classify_thing", one.id, [one], TaskTruth(label=one.kind), slots, asked_spot=one.box)


def _draft(
    task: str, key: str, things: Sequence[TalkThing], truth: TaskTruth, slots: Mapping[str, str], *,
    evidence: Sequence[Evidence] | None = None, asked_spot: Spot | None = None, told_spot: Spot | None = None,
    wrong: Sequence[str] = (), right: str = "", variant: str = "", names_class: str = "",
) -> Draft:  # fmt: skip
    """A task about some things of the view, which show it unless there is other evidence."""
    boxes = tuple(thing.talk_box for thing in things)
    truth = TaskTruth(truth.label, truth.number, boxes, metres=truth.metres, interval_m=truth.interval_m)
    shown = tuple(thing.sighting for thing in things) if evidence is None else tuple(evidence)
    named = names_class or things[0].name
    return Draft(task, key, truth, shown, slots, asked_spot, told_spot, boxes, tuple(wrong), right, variant, named)


def measure_filled(one: TalkThing) -> float:
    """Share of a thing's box in the picture that is the thing: by its mask, else as far as it is seen at all."""
    if one.mask is None:
        return one.visible_fraction
    x0, y0, x1, y1 = one.box
    return float(decode_mask(one.mask).sum()) / max((x1 - x0) * (y1 - y0), 1e-9)


def _count_and_detect(view: TalkView) -> Iterator[Draft]:
    sure = {kind: counted for kind in view.kinds if (counted := view.count(kind))}
    for kind, counted in sure.items():
        evidence, truth = [count_things(kind, [one.id for one in counted])], TaskTruth(kind, len(counted))
        yield _draft("count", kind, counted, truth, dict(kind_slots(kind, len(counted))), evidence=evidence)
    groups = [(kind,) for kind in sure]
    for kinds in [tuple(sure)[:3], *groups] if len(sure) > 1 else groups:
        found = [one for kind in kinds for one in sure[kind]]
        if len(found) <= MOST_DETECTED:
            names = join_list([pluralize(kind) for kind in kinds])
            yield _draft("detect", names, found, TaskTruth(label=names), {"kinds": names}, names_class=kinds[0])


def _ground_and_locate(view: TalkView) -> Iterator[Draft]:
    for one in view.named:
        slots, truth, point = {"P": one.phrase}, TaskTruth(label=one.name), find_point_on(view, one)
        yield _draft("ground", one.id, [one], truth, slots, told_spot=one.box)
        if point is not None:
            yield _draft("locate", one.id, [one], truth, slots, told_spot=point)


_MOST_ERROR, _LEAST_HEIGHT_M, _LEAST_AWAY_M = 0.10, 0.3, 0.75
"""Of a length, relative, and the least ones that are asked for: what is nearer or lower is told by centimetres."""


def _ask_lengths(view: TalkView) -> Iterator[Draft]:
    """How far away a thing is, to its nearest point, and how high one is that is seen whole; only with a scale."""
    for one in view.named if view.has_scale else ():
        phrase = one.phrase
        away, high = view.measure_range(one) / view.metre, height(one.body) / view.metre
        is_whole = view.viewer.pitch_deg is not None and hide_size(one, view.size, GateOptions()) is None
        lengths = [("away", "far away", away, _LEAST_AWAY_M)]
        for word, asked, metres, least in [*lengths, ("high", "high", high, _LEAST_HEIGHT_M)][: 2 if is_whole else 1]:
            sigma = hypot(one.sigma / view.metre, view.model.scale.sigma * metres)
            if metres < least or sigma > _MOST_ERROR * metres:
                continue
            told = round_length(metres, sigma, of_thing=word == "high")
            slots = {"Q": f"how {asked} {phrase} {'are' if is_plural(phrase) else 'is'}", "A": told.words}
            evidence = Evidence(f"{word} {one.id}", f"{metres:.2f} m {word}", (one.id,), metres, "m", sigma)
            truth = TaskTruth(label=told.words, metres=round(metres, 3), interval_m=told.interval_m)
            yield _draft("length", evidence.name, [one], truth, slots, evidence=[evidence])


def find_point_on(view: TalkView, one: TalkThing) -> Spot | None:
    """A point of the picture that lies on a thing: the box's middle, or with a mask the nearest point of it.

    Without a mask nobody knows what lies before the thing: None where the box of another thing covers the middle, or
    the reconstruction puts the thing's middle elsewhere.
    """
    x0, y0, x1, y1 = one.box
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    if one.mask is not None:
        inside = np.argwhere(decode_mask(one.mask))
        if not len(inside):
            return None
        row, column = inside[int(np.argmin(np.linalg.norm(inside[:, ::-1] + 0.5 - middle, axis=1)))]
        return float(column) + 0.5, float(row) + 0.5
    for other in view.things:
        a, b, c, d = other.box
        if other.id != one.id and a <= middle[0] <= c and b <= middle[1] <= d:
            return None
    pixel = view.model.camera.project((view.pose.inverse() @ one.body.center)[None])[0]
    reach = 0.25 * np.array([x1 - x0, y1 - y0])
    is_near = bool((np.abs(pixel - middle) <= reach).all())
    return (float(middle[0]), float(middle[1])) if is_near and one.visible_fraction >= 0.6 else None


def _ask_presence(view: TalkView, absent: Sequence[str]) -> Iterator[Draft]:
    for kind in view.kinds:
        found = [one for one in view.told if one.kind == kind]
        yield _draft("presence", kind, found, TaskTruth(label="yes"), dict(kind_slots(kind)), variant="yes")
    for kind in absent:
        evidence = [Evidence(f"absent {kind}", f"looked for {pluralize(kind)} here and found none")]
        yield _draft("presence", kind, [], TaskTruth(label="no"), dict(kind_slots(kind)), evidence=evidence,
                     variant="no", names_class=kind)  # fmt: skip


def _choose_seen(view: TalkView, absent: Sequence[str], proposers: Mapping[str, str]) -> Iterator[Draft]:
    chosen = absent[:WRONG_OPTIONS]
    for kind in view.kinds if len(absent) >= WRONG_OPTIONS else ():
        found = [one for one in view.told if one.kind == kind]
        evidence = [*(one.sighting for one in found), *(_find_none(other, proposers.get(other)) for other in chosen)]
        yield _draft(
            "choice", f"seen {kind}", found, TaskTruth(label=kind), {"Q": "Which of these can be seen here?"},
            evidence=evidence, wrong=[with_article(other) for other in chosen], right=with_article(kind),
        )  # fmt: skip


def _choose_nearest(view: TalkView) -> Iterator[Draft]:
    order = sorted(view.named, key=lambda one: view.measure_range(one))
    near, others = order[:1], order[1:4]
    relations = [found for one in others if (found := tell_nearer(view, near[0], one)) is not None]
    if len(others) < 2 or len(relations) < len(others):
        return
    (one,) = near
    if not any(measure_contained_share(one.box, other.box) > 0.8 for other in others):
        evidence = [
            Evidence(f"nearer {one.id} {relation.b}", f"{one.phrase} is nearer", (one.id, relation.b), relation.value,
                     "model unit", 0.0, relation.margin)
            for relation in relations
        ]  # fmt: skip
        question, others_named = {"Q": "Which of these is nearest to us?"}, [other.phrase for other in others]
        yield _draft(
            "choice", f"nearest {one.id}", order[:4], TaskTruth(label=one.name), question, evidence=evidence,
            wrong=others_named, right=one.phrase,
        )  # fmt: skip


def _find_none(kind: str, proposer: str | None) -> Evidence:
    return Evidence(f"absent {kind}", f"found no {kind}" + (f", which {proposer} proposed" if proposer else ""))
