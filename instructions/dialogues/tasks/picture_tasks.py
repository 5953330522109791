"""Tasks of a view with their truths: what the run measured, and only where it is sure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import hypot

import numpy as np

from instructions.asking.bars import GateOptions
from instructions.asking.draws import Draw
from instructions.asking.gates import hide_size
from instructions.dialogues.records import Evidence, Spot, TaskTruth
from instructions.dialogues.relations import tell_nearer
from instructions.dialogues.rounding import round_length
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.tasks.choices import choose_absent
from instructions.dialogues.tasks.tasks import Draft
from instructions.dialogues.templates import kind_slots
from instructions.facts.overlap import measure_contained_share
from instructions.facts.sizes import height
from instructions.perception.masks import decode_mask
from instructions.wording.english import is_plural, join_list, number_of, pluralize, with_article

MOST_DETECTED = 6
"""Things of one answer: more do not fit a loader's 400 tokens."""
WRONG_OPTIONS = 3


def find_picture_tasks(
    view: TalkView,
    room: str | None,
    tour_kinds: Collection[str],
    draw: Draw,
    proved: Sequence[str] = (),
    proposer: str = "",
) -> list[Draft]:
    """Every task that may be asked about a view.

    Args:
        view: What may be told.
        room: Where it is sure.
        tour_kinds: Kinds of the tour's things: what is asked for in vain is asked for among these first.
        draw: Of the kinds that are asked for in vain.
        proved: Wrong options of a language model, proved wrong (`prove_absent`); they come before ours.
        proposer: Who proposed them.
    """
    absent = choose_absent(view, tour_kinds, draw)
    out = [
        *_classify(view, room),
        *_count_and_detect(view),
        *_ground_and_locate(view),
        *_ask_lengths(view),
        *_ask_presence(view, absent),
        *_choose(view, list(dict.fromkeys([*proved, *absent])), dict.fromkeys(proved, proposer)),
    ]
    return out


def _classify(view: TalkView, room: str | None) -> Iterator[Draft]:
    if room is not None:
        evidence = (Evidence(f"room {room}", f"the frame shows {with_article(room)}"),)
        truth = TaskTruth(label=room)
        yield Draft("classify_view", room, truth, evidence, dict(kind_slots(room)), names_class=room)
    for one in view.told:
        others = [other for other in view.told if other.id != one.id]
        if one.kind is None or any(_share_covered(one, other) > 0.3 for other in others):
            continue
        if measure_filled(one) < view.gates.fills:
            continue
        evidence = (_seen(one),)
        truth = TaskTruth(label=one.kind, objects=(one.talk_box,))
        yield Draft(
            "classify_thing", one.id, truth, evidence, dict(kind_slots(one.kind)), asked_spot=one.box,
            boxes=(one.talk_box,), names_class=one.kind,
        )  # fmt: skip


def measure_filled(one: TalkThing) -> float:
    """Share of a thing's box in the picture that is the thing: by its mask, else as far as it is seen at all."""
    if one.mask is None:
        return one.visible_fraction
    x0, y0, x1, y1 = one.box
    return float(decode_mask(one.mask).sum()) / max((x1 - x0) * (y1 - y0), 1e-9)


def _share_covered(one: TalkThing, other: TalkThing) -> float:
    """Share of a thing's box that another one's covers."""
    x0, y0, x1, y1 = one.box
    a, b, c, d = other.box
    shared = max(min(x1, c) - max(x0, a), 0.0) * max(min(y1, d) - max(y0, b), 0.0)
    return shared / max((x1 - x0) * (y1 - y0), 1e-9)


def _count_and_detect(view: TalkView) -> Iterator[Draft]:
    sure: dict[str, tuple[TalkThing, ...]] = {}
    for kind in dict.fromkeys(one.kind for one in view.told if one.kind is not None):
        counted = view.count(kind)
        if not counted:
            continue
        boxes = tuple(one.talk_box for one in counted)
        sure[kind] = counted
        evidence = (
            Evidence(
                f"count {kind}", number_of(len(counted), kind), tuple(one.id for one in counted), len(counted), "things"
            ),
        )
        slots = dict(kind_slots(kind, len(counted)))
        truth = TaskTruth(label=kind, number=len(counted), objects=boxes)
        yield Draft("count", kind, truth, evidence, slots, boxes=boxes, names_class=kind)
    for kinds in _groups(list(sure)):
        found = [one for kind in kinds for one in sure[kind]]
        if len(found) > MOST_DETECTED:
            continue
        boxes = tuple(one.talk_box for one in found)
        names = join_list([pluralize(kind) for kind in kinds])
        evidence = tuple(_seen(one) for one in found)
        yield Draft(
            "detect",
            names,
            TaskTruth(label=names, objects=boxes),
            evidence,
            {"kinds": names},
            boxes=boxes,
            names_class=kinds[0],
        )


def _groups(kinds: Sequence[str]) -> list[tuple[str, ...]]:
    """All kinds together, and each by itself where there are several."""
    if len(kinds) < 2:
        return [(kind,) for kind in kinds]
    return [tuple(kinds[:3]), *((kind,) for kind in kinds)]


def _ground_and_locate(view: TalkView) -> Iterator[Draft]:
    for one in view.named:
        slots = {"P": one.phrase or ""}
        evidence, truth = (_seen(one),), TaskTruth(label=one.name, objects=(one.talk_box,))
        yield Draft(
            "ground",
            one.id,
            truth,
            evidence,
            dict(slots),
            told_spot=one.box,
            boxes=(one.talk_box,),
            names_class=one.name,
        )
        point = find_point_on(view, one)
        if point is not None:
            yield Draft(
                "locate",
                one.id,
                truth,
                evidence,
                dict(slots),
                told_spot=point,
                boxes=(one.talk_box,),
                names_class=one.name,
            )


_MOST_ERROR, _LEAST_HEIGHT_M, _LEAST_AWAY_M = 0.10, 0.3, 0.75
"""Of a length, relative, and the least ones that are asked for: what is nearer or lower is told by centimetres."""


def _ask_lengths(view: TalkView) -> Iterator[Draft]:
    """How far away a thing is, to its nearest point, and how high one is that is seen whole; only with a scale."""
    if not view.has_scale:
        return
    scale = view.model.scale
    for one in view.named:
        phrase = one.phrase or ""
        be = "are" if is_plural(phrase) else "is"
        away, high = view.measure_range(one) / view.metre, height(one.body) / view.metre
        is_whole = view.viewer.pitch_deg is not None and hide_size(one, view.size, GateOptions()) is None
        for word, metres, least in (
            ("away", away, _LEAST_AWAY_M),
            ("high", high if is_whole else 0.0, _LEAST_HEIGHT_M),
        ):
            sigma = hypot(one.sigma / view.metre, scale.sigma * metres)
            if metres < least or sigma > _MOST_ERROR * metres:
                continue
            told = round_length(metres, sigma, of_thing=word == "high")
            asked = f"how {'far away' if word == 'away' else word} {phrase} {be}"
            evidence = Evidence(f"{word} {one.id}", f"{metres:.2f} m {word}", (one.id,), metres, "m", sigma)
            truth = TaskTruth(
                label=told.words, objects=(one.talk_box,), metres=round(metres, 3), interval_m=told.interval_m
            )
            yield Draft("length", f"{word} {one.id}", truth, (evidence,), {"Q": asked, "A": told.words},
                        boxes=(one.talk_box,), names_class=one.name)  # fmt: skip


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
    for kind in dict.fromkeys(one.kind for one in view.told if one.kind is not None):
        found = tuple(one for one in view.told if one.kind == kind)
        truth = TaskTruth(label="yes", objects=tuple(one.talk_box for one in found))
        slots = dict(kind_slots(kind))
        yield Draft(
            "presence",
            kind,
            truth,
            tuple(_seen(one) for one in found),
            slots,
            boxes=truth.objects,
            variant="yes",
            names_class=kind,
        )
    for kind in absent:
        evidence = (Evidence(f"absent {kind}", f"looked for {pluralize(kind)} here and found none"),)
        slots = dict(kind_slots(kind))
        yield Draft("presence", kind, TaskTruth(label="no"), evidence, slots, variant="no", names_class=kind)


def _choose(view: TalkView, absent: Sequence[str], proposers: Mapping[str, str]) -> Iterator[Draft]:
    kinds = list(dict.fromkeys(one.kind for one in view.told if one.kind is not None))
    if len(absent) >= WRONG_OPTIONS:
        for kind in kinds:
            found = tuple(one for one in view.told if one.kind == kind)
            evidence = (
                *(_seen(one) for one in found),
                *(_find_none(other, proposers.get(other)) for other in absent[:WRONG_OPTIONS]),
            )
            yield Draft(
                "choice", f"seen {kind}", TaskTruth(label=kind, objects=tuple(one.talk_box for one in found)), evidence,
                {"Q": "Which of these can be seen here?"}, boxes=tuple(one.talk_box for one in found),
                wrong=tuple(with_article(other) for other in absent[:WRONG_OPTIONS]),
                right=with_article(kind), names_class=kind,
            )  # fmt: skip
    order = sorted(view.named, key=lambda one: view.measure_range(one))
    if len(order) >= 3:
        near, others = order[0], order[1:4]
        relations = [tell_nearer(view, near, other) for other in others]
        overlap = any(measure_contained_share(near.box, other.box) > 0.8 for other in others)
        if all(one is not None for one in relations) and not overlap:
            evidence = tuple(
                Evidence(f"nearer {near.id} {other.id}", f"{near.phrase} is nearer", (near.id, other.id),
                         one.value, "model unit", 0.0, one.margin)
                for one, other in zip(relations, others, strict=True) if one is not None
            )  # fmt: skip
            boxes = tuple(one.talk_box for one in (near, *others))
            yield Draft(
                "choice", f"nearest {near.id}", TaskTruth(label=near.name, objects=boxes), evidence,
                {"Q": "Which of these is nearest to us?"}, boxes=boxes, wrong=tuple(one.phrase or "" for one in others),
                right=near.phrase or "", names_class=near.name,
            )  # fmt: skip


def _find_none(kind: str, proposer: str | None) -> Evidence:
    return Evidence(f"absent {kind}", f"found no {kind}" + (f", which {proposer} proposed" if proposer else ""))


def _seen(one: TalkThing) -> Evidence:
    seen = one.seen
    return Evidence(f"visible {one.id}", f"{one.name} is seen", (one.id,), seen.visible_fraction, "share")
