"""A tour as dialogues see it: its chosen views, its clouds, and what is known of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from instructions.dialogues.annotations import Annotation, by_frame
from instructions.dialogues.cloud_kinds import find_absent_kinds
from instructions.dialogues.cloud_tasks import CloudThings
from instructions.dialogues.clouds import MadeCloud
from instructions.dialogues.options import CloudOptions, DialogueOptions
from instructions.dialogues.view_things import ViewThings, find_nearby_kinds, find_parts, find_view_things
from instructions.facts.cover import cover_tour
from instructions.facts.least_width import fits_name
from instructions.facts.overlap import box_iou
from instructions.facts.pairs import Pair
from instructions.facts.view_things import ViewFacts, find_views
from instructions.facts.views import Known, know_things, question_views
from instructions.records import Box, Detection, FrameRoom, Observation, SceneObject
from instructions.wording.english import head_noun
from recon.records import Scene, SceneModel

_STRAY_SCORE, _STRAYS = 0.35, 3
"""So sure a detection, and so many of them, that are no known thing."""
_BESIDE_M = 0.05
"""Around a box, where its points may still lie."""


@dataclass(frozen=True, eq=False)
class TourFacts:
    """What a tour is known to be, from the run."""

    scene: Scene
    objects: Sequence[SceneObject]
    observations: Sequence[Observation]
    detections: Sequence[Detection] = ()
    rooms: Sequence[FrameRoom] = ()
    looked_for: frozenset[str] = frozenset()
    """Kinds that the detector knows."""
    annotations: Sequence[Annotation] = ()
    """What people or other programs say of frames and clouds."""
    exact: bool = False
    """A known world: boxes have no error, names are right, and the observations name all that a frame shows."""

    @cached_property
    def labels(self) -> Mapping[int, list[str]]:
        """By frame, what was detected; in a known world what is seen."""
        out: dict[int, list[str]] = {}
        for one in self.detections:
            out.setdefault(one.frame, []).append(one.label)
        return out

    @cached_property
    def room_of(self) -> Mapping[int, FrameRoom]:
        """By frame."""
        return {one.frame: one for one in self.rooms}

    @cached_property
    def tour_kinds(self) -> frozenset[str]:
        """Kinds of the tour's things."""
        return frozenset(one.category for one in self.objects if one.category is not None)

    @cached_property
    def _stray_kinds(self) -> frozenset[str]:
        """Kinds of which several detections are no known thing of that kind: the model may not hold all of them.

        A door that was joined to a curtain behind it is one of these.
        """
        kind_of = {one.id: head_noun(one.category or "") for one in self.objects}
        joined: dict[tuple[int, str], list[Box]] = {}
        for one in self.observations:
            joined.setdefault((one.frame, kind_of.get(one.object, "")), []).append(one.box_xyxy)
        strays = Counter(
            one.label
            for one in self.detections
            if one.score >= _STRAY_SCORE
            and all(box_iou(one.box_xyxy, box) < 0.5 for box in joined.get((one.frame, head_noun(one.label)), ()))
        )
        return frozenset(label for label, count in strays.items() if count >= _STRAYS)

    @cached_property
    def _known(self) -> Mapping[str, Mapping[str, Known]]:
        return {
            model.name: know_things(model, self.objects, self.observations, exact=self.exact)[0]
            for model in self.scene.models
        }

    @cached_property
    def annotations_of(self) -> Mapping[int, Sequence[Annotation]]:
        """By frame."""
        return by_frame(self.annotations)

    def sure_room(self, frame: int, least: float) -> str | None:
        """The type of room of a frame where it is sure, or somebody said so."""
        told = {one.label for one in self.annotations_of.get(frame, ()) if one.label}
        if told:
            return told.pop() if len(told) == 1 else None
        room = self.room_of.get(frame)
        return room.room if room is not None and room.probability >= least else None

    def find_views(self, model: SceneModel, options: DialogueOptions) -> list[ViewThings]:
        """The views of a model that are talked about, in time order."""
        nearby = find_nearby_kinds([(one.index, one.time_s) for one in self.scene.frames], self.labels)
        views = [
            find_view_things(
                view,
                self.looked_for,
                nearby.get(view.frame, {}),
                options.gates,
                self._known[model.name],
                exact=self.exact,
                strays=frozenset() if self.exact else self._stray_kinds,
            )
            for view in question_views(
                model, self._known[model.name], self.observations, self.detections, all_seen=self.exact
            )
        ]
        shown = {
            view.view.frame: {one.id: one.seen.seen.visible_fraction for one in view.things}
            for view in views
            if view.things
        }
        chosen = cover_tour(self.scene, shown, most=options.views, apart_m=options.apart_m, apart_deg=options.apart_deg)
        return [view for view in views if view.view.frame in chosen]

    def find_facts(self, views: Sequence[ViewThings]) -> Mapping[int, ViewFacts]:
        """By frame what is known of views, for the check of texts."""
        found = find_views(
            self.scene,
            self.objects,
            self.observations,
            self.detections,
            frame_rooms=self.rooms,
            looked_for=self.looked_for,
            exact=self.exact,
            frames=frozenset(view.view.frame for view in views),
        )
        return {one.frame: one for one in found}

    def know_cloud(self, made: MadeCloud, options: DialogueOptions) -> CloudThings:
        """The surely named things of a model with its cloud."""
        known, unsure = {}, set()
        everything = self._known[made.cloud.model]
        parts = find_parts([*everything.values()])
        for name, one in everything.items():
            thing = one.thing
            sure = thing.category is not None and (
                self.exact
                or (
                    dict(thing.categories).get(thing.category, 1.0) >= options.gates.min_category
                    and len(thing.frames) >= options.gates.min_views
                    and fits_name(thing.category, thing.obb, 1.0)
                    and name not in parts
                    and not _is_inside_another(one, everything)
                    and _is_shown(made, name, options.clouds)
                )
            )
            if sure:
                known[name] = one
            if not sure or not (self.exact or _is_measured(one, options.clouds)):
                unsure |= {thing.category or "", *(word for word, _ in thing.categories)}
        rooms = sorted({one.room for one in self.rooms if one.probability >= options.gates.room_probability})
        named = {head_noun(word) for word in (*unsure, *self._stray_kinds) if word}
        unsure_kinds = {
            one.thing.category or "" for one in known.values() if head_noun(one.thing.category or "") in named
        }
        found = {one.label for one in self.detections} | {
            word for one in self.objects for word in (one.category or one.alias, *(word for word, _ in one.categories))
        }
        return CloudThings(
            made.cloud, known, frozenset(unsure_kinds), tuple(rooms), options.gates,
            find_absent_kinds(self.looked_for, found, is_detected=not self.exact),
        )  # fmt: skip


def _is_shown(made: MadeCloud, name: str, options: CloudOptions) -> bool:
    """Whether the cloud has points where the thing's box is."""
    box = next((box.obb for box in made.cloud.boxes if box.object == name), None)
    if box is None:
        return False
    inside = (made.xyz_rgb[:, :3] - np.array(box.center)) @ np.array(box.rotation)
    return int((np.abs(inside) <= np.array(box.half_extents) + _BESIDE_M).all(axis=1).sum()) >= options.thing_points


def _is_measured(one: Known, options: CloudOptions) -> bool:
    """Whether a thing's box is known well enough to be a truth, and to tell it from a second one of its kind."""
    return one.sigma <= options.box_sigma * 2 * float(max(one.body.half))


def _is_inside_another(one: Known, everything: Mapping[str, Known]) -> bool:
    """Whether a thing shares most of its place with another one: nobody knows whether they are two."""
    return any(Pair(one, other, 1.0, True).shares_place for other in everything.values() if other is not one)
