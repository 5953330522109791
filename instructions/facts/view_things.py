"""One view with everything known of what it shows: where things are in the picture, and in the room where poses are.

The ground of texts about single views: who writes them and who checks them both start here. Lengths are in the model's
unit. Pictures without poses have views too; their things have boxes and no bodies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

import numpy as np

from instructions.facts.bodies import Body
from instructions.facts.out_of_picture import lies_outside
from instructions.facts.overlap import box_iou
from instructions.facts.pairs import Pair, Solid, Standpoint
from instructions.facts.viewer import Viewer
from instructions.facts.views import find_standpoint, know_things
from instructions.records import Box, Detection, FrameRoom, MaskRle, Observation, RoomSpan, SceneObject, Support
from recon.geometry import Pose
from recon.records import ScaleStatus, Scene, SceneModel

_SAME_IOU = 0.5
"""A detection this alike in place is the same thing."""


@dataclass(frozen=True, eq=False)
class ViewThing:
    """A thing in a view."""

    id: str
    """Of the object, the same in all views; of a detection that is no object `d` and its place in the frame."""
    category: str | None
    alias: str
    """How texts name it, without article."""
    color: str | None
    box_xyxy: Box
    """In the picture; an empty box for a thing that is not in view."""
    visible_fraction: float
    score: float
    depth: float | None = None
    """Median along the optical axis."""
    body: Body | None = None
    sigma: float = 0.0
    """Standard deviation of a face of the body."""
    frames: int = 1
    """How many frames saw it."""
    room: str | None = None
    room_probability: float = 0.0
    """That it stands there: mean over the frames of that room that saw it."""
    support: Support | None = None
    rests_on: str | None = None
    mask: MaskRle | None = None
    label: str | None = None
    """What the detector called it in this very frame."""
    maybe: tuple[str, ...] = ()
    """Other words that detectors gave it: it may be one of them."""
    kind_share: float = 1.0
    """Share of the evidence of all frames that speaks for its category."""
    caption: str | None = None
    source: str = "given"
    is_exact: bool = False
    """Of a known world: its size is known however few frames saw it."""


@dataclass(frozen=True, eq=False)
class ViewFacts:
    """A picture and what is known of it."""

    tour: str
    model: str
    frame: int
    size: tuple[int, int]
    """Width and height in pixels."""
    things: tuple[ViewThing, ...]
    """In view, in the order of their ids."""
    standpoint: Standpoint | None = None
    """From where it was seen; None for a picture without a pose."""
    scale_status: ScaleStatus = "relative"
    scale_sigma: float = 0.0
    metre: float = 1.0
    """One (nominal) metre in the model's unit."""
    floor_z: float | None = None
    elsewhere: tuple[ViewThing, ...] = ()
    """Things of the tour that this view certainly does not show."""
    uncertain: tuple[ViewThing, ...] = ()
    """Things of the tour that nobody observed here, though the picture may show them."""
    expected: frozenset[str] = frozenset()
    """Of these, ids of those whose middle falls into the picture: a wall may hide them, or nobody looked well."""
    room: str | None = None
    room_probability: float = 0.0
    loose: tuple[tuple[str, float, Box], ...] = ()
    """Detections of the frame that are no thing, or call one something else: label, score and box."""
    looked_for: frozenset[str] = frozenset()
    """Kinds of things that would have been found if they were there."""
    numbers: Mapping[int, str] = field(default_factory=dict)
    """Ids of things by the number that texts call them `[n]` by; empty where nothing is numbered."""

    @property
    def viewer(self) -> Viewer | None:
        """Who looks; None for a picture without a pose."""
        return self.standpoint.viewer if self.standpoint is not None else None

    def pair(self, a: ViewThing, b: ViewThing) -> Pair | None:
        """Two things as relations see them; None where nobody knows where one is in the room."""
        if a.body is None or b.body is None or self.standpoint is None:
            return None
        key = (a.id, b.id)
        if key not in self._pairs:
            self._pairs[key] = Pair(cast(Solid, a), cast(Solid, b), self.metre, self.scale_status != "relative")
        return self._pairs[key]

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], Pair]:
        return {}

    def find_thing(self, name: str) -> ViewThing | None:
        """The thing of an id, in view or not."""
        return self._by_id.get(name)

    @cached_property
    def _by_id(self) -> Mapping[str, ViewThing]:
        """Of things that stand in two lists the one in view."""
        return {one.id: one for one in reversed((*self.things, *self.uncertain, *self.elsewhere))}

    def number_things(self, ids: Sequence[str]) -> ViewFacts:
        """The same view with things numbered from 0 in this order."""
        return replace(self, numbers=dict(enumerate(ids)))

    def find_disputes(self, thing: ViewThing) -> tuple[str, ...]:
        """What else this very frame calls a thing, with at least its score."""
        words = [thing.label] if thing.label is not None and thing.label != thing.category else []
        words += [
            label
            for label, score, box in self.loose
            if label != thing.category and score >= thing.score and box_iou(box, thing.box_xyxy) >= _SAME_IOU
        ]
        return tuple(dict.fromkeys(words)) if thing.category is not None else ()

    @property
    def region_count(self) -> int:
        """How many things are numbered."""
        return len(self.numbers)


def find_views(
    scene: Scene,
    objects: Sequence[SceneObject],
    observations: Sequence[Observation],
    detections: Sequence[Detection] = (),
    *,
    rooms: Sequence[RoomSpan] = (),
    frame_rooms: Sequence[FrameRoom] = (),
    looked_for: frozenset[str] | None = None,
    exact: bool = False,
    frames: frozenset[int] | None = None,
) -> Iterator[ViewFacts]:
    """The views of a tour that show things, model by model in time order.

    Args:
        scene: Models with poses.
        objects: Things of all models.
        observations: Of all frames.
        detections: Of all frames, joined or not.
        rooms: Stays in rooms.
        frame_rooms: Rooms with probabilities, frame by frame.
        looked_for: Kinds that a detector would have found; by default all kinds that it found anywhere on this tour.
        exact: The boxes are given, not measured: their errors are 0.
        frames: Only these; all by default.
    """
    if looked_for is None:
        looked_for = frozenset({one.category for one in objects if one.category} | {one.label for one in detections})
    sure = {one.frame: one for one in frame_rooms}
    found: dict[int, list[Detection]] = defaultdict(list)
    for one in detections:
        found[one.frame].append(one)
    for model in scene.models:
        known = _know(model, objects, observations, exact=exact)
        if not exact:
            known = _rate_rooms(known, observations, model, rooms, sure)
        seen: dict[int, list[Observation]] = defaultdict(list)
        for one in observations:
            if one.object in known:
                seen[one.frame].append(one)
        for frame, pose in model.world_from_cam.items():
            if frame not in seen or (frames is not None and frame not in frames):
                continue
            room, told = _room_of(frame, rooms, sure)
            things = tuple(
                _place(known[one.object], one) for one in sorted(seen[frame], key=lambda one: _order(one.object))
            )
            here = {thing.id for thing in things}
            others = [thing for name, thing in known.items() if name not in here]
            outside = [one.body is not None and lies_outside(model, pose, cast(Solid, one)) for one in others]
            yield ViewFacts(
                tour=scene.id,
                model=model.name,
                frame=frame,
                size=(model.camera.width, model.camera.height),
                things=things,
                standpoint=find_standpoint(model, frame),
                scale_status=model.scale.status,
                scale_sigma=model.scale.sigma,
                metre=model.nominal_metre,
                floor_z=model.floor_z,
                elsewhere=tuple(thing for thing, out in zip(others, outside, strict=True) if out),
                uncertain=tuple(thing for thing, out in zip(others, outside, strict=True) if not out),
                expected=_find_inside(model, pose, others),
                room=room,
                room_probability=told,
                loose=_find_weak_scale(found.get(frame, ()), things),
                looked_for=looked_for,
            )


def _order(name: str) -> tuple[str, int]:
    head, _, tail = name.rpartition("_")
    return (head, int(tail)) if tail.isdecimal() else (name, 0)


def _know(
    model: SceneModel, objects: Sequence[SceneObject], observations: Sequence[Observation], *, exact: bool
) -> dict[str, ViewThing]:
    """Things of a model, as not in view."""
    return {
        name: ViewThing(
            id=name,
            category=one.thing.category,
            alias=one.thing.alias,
            color=one.thing.color,
            box_xyxy=(0.0, 0.0, 0.0, 0.0),
            visible_fraction=0.0,
            score=one.thing.score if one.thing.score is not None else 1.0,
            body=one.body,
            sigma=one.sigma,
            frames=one.frames,
            room=one.thing.room,
            room_probability=1.0 if exact and one.thing.room is not None else 0.0,
            support=one.thing.support,
            rests_on=one.rests_on,
            maybe=tuple(word for word, _ in one.thing.categories if word != one.thing.category),
            kind_share=dict(one.thing.categories).get(one.thing.category or "", 1.0),
            caption=one.thing.captions[0] if one.thing.captions else None,
            source=one.thing.source,
            is_exact=exact,
        )
        for name, one in know_things(model, objects, observations, exact=exact)[0].items()
    }


def _room_of(frame: int, rooms: Sequence[RoomSpan], sure: Mapping[int, FrameRoom]) -> tuple[str | None, float]:
    """Room of a frame and how sure it is: of the frame itself, else of the stay that it lies in."""
    if frame in sure:
        return sure[frame].room, sure[frame].probability
    span = next((one for one in rooms if one.first_frame <= frame <= one.last_frame), None)
    return (span.room, span.probability) if span is not None else (None, 0.0)


def _rate_rooms(
    known: Mapping[str, ViewThing],
    observations: Sequence[Observation],
    model: SceneModel,
    rooms: Sequence[RoomSpan],
    sure: Mapping[int, FrameRoom],
) -> dict[str, ViewThing]:
    """The things with how sure their rooms are: what the frames of that room that saw them say on the average."""
    found: dict[str, list[float]] = defaultdict(list)
    of_frame = {frame: _room_of(frame, rooms, sure) for frame in model.world_from_cam}
    for one in observations:
        room, told = of_frame.get(one.frame, (None, 0.0))
        if one.object in known and room is not None and known[one.object].room == room:
            found[one.object].append(told)
    return {
        name: replace(thing, room_probability=float(np.mean(found[name]))) if name in found else thing
        for name, thing in known.items()
    }


def _place(thing: ViewThing, seen: Observation) -> ViewThing:
    return replace(
        thing,
        box_xyxy=seen.box_xyxy,
        visible_fraction=seen.visible_fraction,
        score=seen.score,
        depth=seen.depth,
        mask=seen.mask,
        label=seen.label,
    )


def _find_inside(model: SceneModel, pose: Pose, things: Sequence[ViewThing]) -> frozenset[str]:
    """Things whose middle is drawn into the picture."""
    known = [thing for thing in things if thing.body is not None]
    if not known:
        return frozenset()
    local = pose.inverse() @ np.array([thing.body.center for thing in known if thing.body is not None])
    inside = model.camera.is_inside(model.camera.project(local)) & (local[:, 2] > 0)
    return frozenset(thing.id for thing, is_in in zip(known, inside, strict=True) if is_in)


def _find_weak_scale(found: Sequence[Detection], things: Sequence[ViewThing]) -> tuple[tuple[str, float, Box], ...]:
    """Detections that are no observation of a thing: elsewhere, or in the same place under another name."""
    return tuple(
        (one.label, one.score, one.box_xyxy)
        for one in found
        if all(
            box_iou(one.box_xyxy, thing.box_xyxy) < _SAME_IOU or one.label not in (thing.label, thing.category)
            for thing in things
        )
    )
