"""A tour with everything that perception knows of it, and its views: what every kind of data is made from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np

from instructions.errors import InstructionError
from instructions.facts.overlap import box_iou
from instructions.facts.things import Thing, know_things, may_point_at
from instructions.facts.viewer import find_standpoint
from instructions.records import Box, Detection, FrameRoom, Obb, Observation, RoomSpan, SceneObject
from instructions.view import SeenThing, View
from instructions.wording.english import head_noun
from recon.geometry import Camera
from recon.records import Frame, Scale, Scene, SceneModel, Tracks

_STRAY_SCORE, _STRAYS = 0.35, 3
"""So sure a detection, and so many of them, that are no known thing."""
_NEARBY_S = 0.7
"""Frames this near in time show about the same."""
_SAME_IOU = 0.5
"""A detection this alike in place is the same thing."""
_SAME_IN_PICTURE = 0.7
"""The same of two detections of one picture, of which no other picture tells more."""
MOST_READ = 300
"""Detections read per picture without a pose, best first."""


@dataclass(frozen=True, eq=False)
class Tour:
    """What a tour is known to be, from the run."""

    scene: Scene
    objects: Sequence[SceneObject] = ()
    """Things of all models."""
    observations: Sequence[Observation] = ()
    """Which frames see them."""
    detections: Sequence[Detection] = ()
    """Of all frames, joined into things or not."""
    rooms: Sequence[RoomSpan] = ()
    """Stays in rooms."""
    frame_rooms: Sequence[FrameRoom] = ()
    """Rooms with probabilities, frame by frame."""
    looked_for: frozenset[str] | None = None
    """Kinds that a detector would have found; None for all kinds that it found anywhere on this tour."""
    exact: bool = False
    """A known world: boxes have no error, names are right, and the observations name all that a frame shows."""
    seed: int = 0
    """Of every random choice."""

    @property
    def id(self) -> str:
        """Name of the tour."""
        return self.scene.id

    @cached_property
    def known_kinds(self) -> frozenset[str]:
        """Kinds that a detector would have found if they were there."""
        if self.looked_for is not None:
            return self.looked_for
        return frozenset({one.category for one in self.objects if one.category}) | {
            detection.label for detection in self.detections
        }

    @cached_property
    def time_s(self) -> Mapping[int, float]:
        """By frame."""
        return {frame.index: frame.time_s for frame in self.scene.frames}

    @cached_property
    def _room_of(self) -> Mapping[int, FrameRoom]:
        return {room.frame: room for room in self.frame_rooms}

    def find_room(self, frame: int) -> tuple[str | None, float]:
        """Room of a frame and how sure it is: of the frame itself, else of the stay that it lies in."""
        if frame in self._room_of:
            return self._room_of[frame].room, self._room_of[frame].probability
        span = next((room for room in self.rooms if room.first_frame <= frame <= room.last_frame), None)
        return (span.room, span.probability) if span is not None else (None, 0.0)

    def find_model(self, name: str, of: str) -> SceneModel:
        """The model of a name; an InstructionError says of what the tour has no such model."""
        known = {model.name: model for model in self.scene.models}
        if name not in known:
            raise InstructionError(
                f"{of}: model {name} is not in scene {self.id}, which has {sorted(known)}; run both stages on one scene"
            )
        return known[name]

    def objects_of(self, model: SceneModel) -> list[SceneObject]:
        """Things of a model as perception wrote them."""
        return [thing for thing in self.objects if thing.model == model.name]

    def know(self, model: SceneModel) -> Mapping[str, Thing]:
        """The things of a model by id."""
        return self._known[model.name][0]

    def find_faults(self, model: SceneModel) -> Mapping[str, str]:
        """Things of a model that were left out, with the reason, by id."""
        return self._known[model.name][1]

    @cached_property
    def _known(self) -> Mapping[str, tuple[Mapping[str, Thing], Mapping[str, str]]]:
        out = {}
        for model in self.scene.models:
            things, faults = know_things(model, self.objects, self.observations, exact=self.exact)
            out[model.name] = (self._rate_rooms(model, things), faults)
        return out

    def _rate_rooms(self, model: SceneModel, things: Mapping[str, Thing]) -> Mapping[str, Thing]:
        """The things with how sure their rooms are: what the frames of that room that saw them say on the average."""
        if self.exact:
            return {name: replace(one, room_probability=float(one.room is not None)) for name, one in things.items()}
        found: dict[str, list[float]] = defaultdict(list)
        of_frame = {frame: self.find_room(frame) for frame in model.world_from_cam}
        for one in self.observations:
            room, sure = of_frame.get(one.frame, (None, 0.0))
            if one.object in things and room is not None and things[one.object].room == room:
                found[one.object].append(sure)
        return {
            name: replace(one, room_probability=float(np.mean(found[name]))) if name in found else one
            for name, one in things.items()
        }

    @cached_property
    def _seen_in(self) -> Mapping[int, Sequence[Observation]]:
        out: dict[int, list[Observation]] = defaultdict(list)
        for observation in self.observations:
            out[observation.frame].append(observation)
        return out

    @cached_property
    def _found_in(self) -> Mapping[int, Sequence[Detection]]:
        out: dict[int, list[Detection]] = defaultdict(list)
        for detection in self.detections:
            out[detection.frame].append(detection)
        return out

    def views(self, model: SceneModel) -> Sequence[View]:
        """The frames of a model that have a pose and show things, in time order."""
        return self._views[model.name]

    @cached_property
    def _views(self) -> Mapping[str, Sequence[View]]:
        return {model.name: tuple(self._find_views(model)) for model in self.scene.models}

    def _find_views(self, model: SceneModel) -> Iterator[View]:
        known = self.know(model)
        for frame, pose in model.world_from_cam.items():
            seen = {one.object: one for one in self._seen_in.get(frame, ()) if one.object in known}
            if not seen:
                continue
            # Of what is mostly behind the camera the picture shows an end that nobody can tell the place of.
            ahead = [
                SeenThing.of(known[name], one)
                for name, one in seen.items()
                if pose.depths(known[name].body.center[None])[0] > 0
            ]
            things = tuple(one for one in ahead if may_point_at(one.thing, one.seen))
            shown = {one.id for one in things}
            room, probability = self.find_room(frame)
            yield View(
                frame,
                model,
                things=things,
                pointed=tuple(one for one in ahead if one.point is not None),
                others=tuple(one for name, one in known.items() if name not in shown),
                detections=tuple(self._found_in.get(frame, ())),
                tour=self.id,
                room=room,
                room_probability=probability,
                looked_for=self.known_kinds,
                nearby_kinds=self._nearby_kinds.get(frame, {}),
                strays=frozenset() if self.exact else frozenset(map(head_noun, self.stray_kinds)),
                is_exact=self.exact,
            )

    @cached_property
    def _nearby_kinds(self) -> Mapping[int, Mapping[str, int]]:
        """By frame and kind: the most boxes of it in one frame that is near in time."""
        counts = {frame: Counter(one.label for one in found) for frame, found in self._found_in.items()}
        order = sorted((time_s, frame) for frame, time_s in self.time_s.items())
        times = [time_s for time_s, _ in order]
        out: dict[int, Counter[str]] = {}
        for time_s, frame in order:
            out[frame] = Counter()
            for _, other in order[bisect_left(times, time_s - _NEARBY_S) : bisect_right(times, time_s + _NEARBY_S)]:
                out[frame] |= counts.get(other, Counter())
        return out

    @cached_property
    def stray_kinds(self) -> frozenset[str]:
        """Kinds of which several detections are no known thing that may be one: the model may not hold all of them."""
        words_of = {one.id: (one.category, *(word for word, _ in one.categories)) for one in self.objects}
        joined: dict[tuple[int, str], list[Box]] = defaultdict(list)
        for one in self.observations:
            for kind in {head_noun(word) for word in words_of.get(one.object, ()) if word}:
                joined[one.frame, kind].append(one.box_xyxy)
        strays = Counter(
            detection.label
            for detection in self.detections
            if detection.score >= _STRAY_SCORE
            and all(
                box_iou(detection.box_xyxy, box) < _SAME_IOU
                for box in joined.get((detection.frame, head_noun(detection.label)), ())
            )
        )
        return frozenset(label for label, count in strays.items() if count >= _STRAYS)

    def cover(
        self,
        shown: Mapping[int, Mapping[str, float]],
        *,
        most: int,
        apart_m: float,
        apart_deg: float,
        apart_s: float = inf,
    ) -> list[int]:
        """Frames that together show the things of a tour, each thing often and seldom the same sight.

        The gain of a frame is the sum over its things of the share that it sees, divided by one plus how often the
        thing was chosen, times one plus the rank of its sharpness (0 to 1).

        Args:
            shown: By frame with a pose: of each thing, the share that is seen.
            most: Frames; 0 for all.
            apart_m: A frame within this of a chosen one of its model, in (nominal) meters ...
            apart_deg: ... and within this turn ...
            apart_s: ... and within these seconds is skipped.

        Returns:
            In time order.
        """
        if most == 0:
            return sorted(shown)
        order = sorted(self.scene.frames, key=lambda frame: (frame.sharpness, frame.index))
        sharp = {frame.index: place / max(len(order) - 1, 1) for place, frame in enumerate(order)}
        model_of = {frame: model for model in self.scene.models for frame in model.world_from_cam}
        at = {frame: find_standpoint(model_of[frame], frame) for frame in shown}
        counts: Counter[str] = Counter()

        def gain(frame: int) -> float:
            seen = sum(share / (1 + counts[name]) for name, share in shown[frame].items())
            return seen * (1.0 + sharp.get(frame, 0.0))

        def is_same_sight(one: int, other: int) -> bool:
            if (
                model_of[one] is not model_of[other]
                or abs(self.time_s.get(one, 0.0) - self.time_s.get(other, 0.0)) > apart_s
            ):
                return False
            return at[one].is_near(at[other], apart_m * model_of[one].nominal_metre, apart_deg)

        chosen: list[int] = []
        left: Sequence[int] = sorted(shown)
        while left and len(chosen) < most:
            best = max(left, key=gain)
            chosen.append(best)
            counts.update(shown[best].keys())
            left = [frame for frame in left if frame != best and not is_same_sight(frame, best)]
        return sorted(chosen)

    def pictures(self, most: int = MOST_READ) -> Iterator[View]:
        """The frames of no model that show things, in their order, by their best detections. Each detection is a thing
        of its own; of two in one place the better one, and the other stays a detection.
        """
        posed = {frame for model in self.scene.models for frame in model.world_from_cam}
        for frame in self.scene.frames:
            found = self._found_in.get(frame.index, ())
            if frame.index in posed or not found:
                continue
            order = sorted(range(len(found)), key=lambda place: (-found[place].score, place))[:most]
            kept: list[int] = []
            for place in order:
                box = found[place].box_xyxy
                if all(box_iou(box, found[other].box_xyxy) < _SAME_IN_PICTURE for other in kept):
                    kept.append(place)
            room = self._room_of.get(frame.index)
            yield View(
                frame.index,
                _model_of_picture(frame),
                things=tuple(_make_thing(frame.index, place, found[place]) for place in sorted(kept)),
                detections=tuple(found[place] for place in order),
                tour=self.id,
                room=room.room if room is not None else None,
                room_probability=room.probability if room is not None else 0.0,
                looked_for=self.known_kinds,
            )


_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_NO_BOX = Obb((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), _AXES)


def _model_of_picture(frame: Frame) -> SceneModel:
    """A model without poses and points; its camera tells only how large the picture is."""
    none = np.zeros((0, 3))
    tracks = Tracks(
        none, none.astype(np.uint8), none[:, 0], none[:, 0].astype(np.int64), none[:, 0].astype(np.int64), none[:, :2]
    )
    focal = float(max(frame.width, frame.height))
    camera = Camera("SIMPLE_PINHOLE", frame.width, frame.height, (focal, frame.width / 2, frame.height / 2))
    return SceneModel("", camera, {}, tracks, Scale("relative", 1.0, 0.0, "none"), None, "none", 0.0)


def _make_thing(frame: int, place: int, one: Detection) -> SeenThing:
    """A detection of a single picture as a thing without a place in a room."""
    name = f"d{place}"
    thing = SceneObject(
        name, "", one.label, one.label, None, None, _NO_BOX, (), (frame,), ambiguous=False, source="given",
        captions=(one.caption,) if one.caption else (),
        categories=tuple((word, score) for word, score in one.also if word != one.label),
    )  # fmt: skip
    seen = Observation(
        frame, name, one.box_xyxy, 1.0, one.score, np.inf, one.sides, one.ranges, label=one.label, mask=one.mask
    )
    return SeenThing(thing, None, 0.0, 1, seen=seen)
