"""A tour as dialogues see it: its chosen views, its clouds, and what others say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from instructions.dialogues.clouds.cloud_kinds import find_absent_kinds
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.clouds.clouds import MadeCloud
from instructions.dialogues.options import CloudOptions, DialogueOptions
from instructions.dialogues.talk_view import TalkView, find_parts, has_sure_kind, tell_view
from instructions.dialogues.tasks.annotations import Annotation, by_frame
from instructions.facts.pairs import Pair
from instructions.facts.things import Thing
from instructions.tour import Tour
from instructions.wording.english import head_noun
from recon.records import SceneModel

_ONE_ROOM = 0.9
"""Share of a model's frames that must surely show one room for its cloud to be of that room."""
_BESIDE_M = 0.05
"""Around a box, where its points may still lie."""


@dataclass(frozen=True, eq=False)
class TalkTour(Tour):
    """A tour with what people or other programs say of its frames and clouds."""

    annotations: Sequence[Annotation] = ()

    @cached_property
    def tour_kinds(self) -> frozenset[str]:
        """Kinds of the tour's things."""
        return frozenset(one.category for one in self.objects if one.category is not None)

    @cached_property
    def annotations_of(self) -> Mapping[int, Sequence[Annotation]]:
        """By frame."""
        return by_frame(self.annotations)

    def sure_room(self, frame: int, least: float) -> str | None:
        """The type of room of a frame where it is sure, or somebody said so."""
        told = {one.label for one in self.annotations_of.get(frame, ()) if one.label}
        if told:
            return told.pop() if len(told) == 1 else None
        room, probability = self.find_room(frame)
        return room if probability >= least else None

    def find_views(self, model: SceneModel, options: DialogueOptions) -> list[TalkView]:
        """The views of a model that are talked about, in time order."""
        views = [tell_view(view, options.gates) for view in self.views(model)]
        shown = {view.frame: {one.id: one.visible_fraction for one in view.told} for view in views if view.told}
        chosen = self.cover(shown, most=options.views, apart_m=options.apart_m, apart_deg=options.apart_deg)
        return [view for view in views if view.frame in chosen]

    def know_cloud(self, made: MadeCloud, options: DialogueOptions) -> CloudThings:
        """The surely named things of a model with its cloud."""
        model = next(model for model in self.scene.models if model.name == made.cloud.model)
        everything = self.know(model)
        parts = find_parts([*everything.values()])
        known = {
            name: one
            for name, one in everything.items()
            if has_sure_kind(one, 1.0, exact=self.exact)
            and (self.exact or (name not in parts and _is_shown(one, made, everything, options)))
        }
        doubtful = [
            one.thing
            for name, one in everything.items()
            if name not in known or not (self.exact or _is_measured(one, options.clouds))
        ]
        unsure = {word for one in doubtful for word in (one.category, *dict(one.categories))}
        named = {head_noun(word) for word in unsure | {*self.stray_kinds} if word}
        kinds = {one.thing.category or "" for one in known.values()}
        rooms = Counter(
            one.room
            for one in self.frame_rooms
            if one.frame in model.world_from_cam and one.probability >= options.gates.room_probability
        )
        most = max(rooms, key=lambda room: rooms[room], default=None)
        room = most if most is not None and rooms[most] >= _ONE_ROOM * len(model.world_from_cam) else None
        found = {detection.label for detection in self.detections}
        found |= {word for one in self.objects for word in (one.category or one.alias, *dict(one.categories))}
        return CloudThings(
            made.cloud, known, frozenset(kind for kind in kinds if head_noun(kind) in named), tuple(sorted(rooms)),
            find_absent_kinds(self.known_kinds, found, is_detected=not self.exact), room,
        )  # fmt: skip


def _is_shown(one: Thing, made: MadeCloud, everything: Mapping[str, Thing], options: DialogueOptions) -> bool:
    """Whether frames enough saw a thing, the cloud has points where its box is, and no other shares most of its place:
    else nobody knows whether they are two.
    """
    if len(one.thing.frames) < options.gates.min_views:
        return False
    if any(Pair(one, other, 1.0, True).shares_place for other in everything.values() if other is not one):
        return False
    box = next((box.obb for box in made.cloud.boxes if box.object == one.id), None)
    if box is None:
        return False
    inside = (made.xyz_rgb[:, :3] - np.array(box.center)) @ np.array(box.rotation)
    count = int((np.abs(inside) <= np.array(box.half_extents) + _BESIDE_M).all(axis=1).sum())
    return count >= options.clouds.thing_points


def _is_measured(one: Thing, options: CloudOptions) -> bool:
    """Whether a thing's box is known well enough to be a truth, and to tell it from a second one of its kind."""
    return one.sigma <= options.box_sigma * 2 * float(max(one.body.half))
