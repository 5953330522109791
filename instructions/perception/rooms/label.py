"""The room that each frame was taken in: by the things of the place where the camera stands, in view or behind it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from instructions.perception.frames.tags import Tag
from instructions.perception.rooms.bayes import UNKNOWN, Sighting, weigh_rooms
from instructions.perception.rooms.priors import room_priors, word_of, word_of_tag
from instructions.perception.rooms.site import Site
from instructions.records import FrameRoom, RoomSpan, SceneObject
from recon.geometry import Array
from recon.records import Scene, SceneModel

AHEAD_M = 1.5
"""What a frame looks at is about so far away: the middle of a small room from its door."""
_TABLES = {"table", "dining table"}
_SETS = (("table with chairs", ("chair",), 3), ("several desks", ("desk",), 2))
"""Words of the table of rooms for several things together: word, what is counted, and how many make one."""
_RIGHT_TAG = 0.5
"""Trust in a tag of a picture, times its probability: the network was made for pictures of one thing."""
_REACH_M = 2.0
"""On an open floor things count by their distance, as a normal distribution of this width: a kitchen, a table with its
chairs and a corner with a sofa are each 3 to 4 m across."""
_LEAST_PROBABILITY = 0.7
"""A room less sure than this is unknown: a wrong name is worse than none."""
_SMOOTH_S, _SMOOTH_FRAMES = 1.5, 4
"""On an open floor the probabilities of so long before and after are averaged, and of so many frames, as some tours are
played fast; doors bound that."""
_WITNESSES = 2
"""On an open floor, whose form says nothing, one thing is no room."""
_KINDS = (*(prior.name for prior in room_priors()), UNKNOWN)


@dataclass(frozen=True)
class LabelledRooms:
    """Frames and things with their rooms; what is in no known room is left out."""

    rooms: tuple[FrameRoom, ...]
    of_thing: Mapping[str, str]


def label_rooms_by_things(
    scene: Scene,
    objects: Sequence[SceneObject],
    sites: Mapping[str, Site],
    tags: Mapping[int, Sequence[Tag]],
) -> LabelledRooms:
    """Label the frames of every model.

    Args:
        scene: Upright.
        objects: Those without a category speak for nothing, but get their room too.
        sites: Where frames and things stand, by name of the model; models without one stay unknown, and
            so do those without a floor, which has no places.
        tags: What a tagger says of some frames.

    Returns:
        Rooms of frames in time order, and rooms of things.
    """
    rooms: dict[int, FrameRoom] = {}
    of_thing: dict[str, str] = {}
    for model in scene.models:
        if model.name in sites and model.floor_z is not None:
            mine = [thing for thing in objects if thing.model == model.name]
            judge = _Judge(model, mine, sites[model.name], tags)
            rooms |= {room.frame: room for room in _label_frames(judge, model, scene)}
            of_thing |= {thing.id: room for thing in mine if (room := judge.room_of_thing(thing)) is not None}
    ordered = tuple(rooms[frame] for frame in sorted(rooms))
    return LabelledRooms(ordered, of_thing)


class _Judge:
    """Weighs the rooms of one model's places."""

    def __init__(
        self,
        model: SceneModel,
        things: Sequence[SceneObject],
        site: Site,
        tags: Mapping[int, Sequence[Tag]],
    ):
        self.site = site
        self._metre = model.nominal_metre
        self._things: dict[int, list[tuple[str, Array, float]]] = defaultdict(list)
        """By place: word, spot, and the probability that the thing is one."""
        for thing in things:
            word = thing.likely_category
            if word is None or thing.id not in site.of_thing:
                continue
            sure = dict(thing.categories).get(word, 1.0)
            about = (word_of(word), np.array(thing.obb.center[:2]), sure)
            self._things[site.of_thing[thing.id]].append(about)
        self._tags: dict[int, list[tuple[str, Array, float]]] = defaultdict(list)
        for frame, place in site.ahead_of_frame.items():
            ahead = model.world_from_cam[frame].rotation[:2, 2]
            spot = model.world_from_cam[frame].center[:2] + ahead * AHEAD_M * self._metre
            for tag in tags.get(frame, ()):
                self._tags[place].append((word_of_tag(tag.text), spot, _RIGHT_TAG * tag.score))
        self._whole: dict[int, dict[str, float]] = {}

    def weigh(self, place: int, spot: Array) -> dict[str, float]:
        """Probabilities of the rooms at a spot (2,): those of its place, or of what is near on an open floor."""
        form = self.site.places[place]
        if not form.is_one_room:
            return weigh_rooms(*self._seen(place, spot), {}, witnesses=_WITNESSES)
        if place not in self._whole:
            self._whole[place] = weigh_rooms(*self._seen(place, None), form.forms)
        return self._whole[place]

    def room_of_thing(self, thing: SceneObject) -> str | None:
        place = self.site.of_thing.get(thing.id)
        if place is None:
            return None
        weights = self.weigh(place, np.array(thing.obb.center[:2]))
        best = max(weights, key=lambda name: weights[name])
        return best if best != UNKNOWN and weights[best] >= _LEAST_PROBABILITY else None

    def _seen(self, place: int, spot: Array | None) -> tuple[dict[str, Sighting], float]:
        """What speaks for each word in the place, or near a spot in it, and how many things do."""
        weights: dict[str, list[float]] = defaultdict(list)
        for word, at, sure in self._things[place]:
            weights[word].append(sure * self._nearness(spot, at))
        seen = {word: Sighting(max(1, round(sum(found))), max(found)) for word, found in weights.items()}
        for word, parts, count in _SETS:
            near = sorted((weight for part in parts for weight in weights.get(part, ())), reverse=True)
            if len(near) >= count and (word != "table with chairs" or _TABLES & weights.keys()):
                table = max((max(weights[name]) for name in _TABLES & weights.keys()), default=1.0)
                seen[word] = Sighting(count, min(near[count - 1], table))
        for word, at, trust in self._tags[place]:  # frames show the same: the best one counts, not their number
            weight = trust * self._nearness(spot, at)
            if word not in seen or weight > seen[word].weight:
                seen[word] = Sighting(1, weight)
        return seen, sum(weight for found in weights.values() for weight in found)

    def _nearness(self, spot: Array | None, at: Array) -> float:
        if spot is None:
            return 1.0
        apart = float(np.linalg.norm(at - spot)) / (_REACH_M * self._metre)
        return float(np.exp(-(apart**2) / 2.0))


def _label_frames(judge: _Judge, model: SceneModel, scene: Scene) -> list[FrameRoom]:
    """Frames of one model whose room is known: place by place, so that only a doorway changes a room of four walls."""
    frames = [scene.frame_by_index[frame] for frame in model.frames]
    times_s = np.array([frame.time_s for frame in frames])
    shots = [frame.shot for frame in frames]
    places = [judge.site.of_frame.get(frame.index, -1) for frame in frames]
    out: list[FrameRoom] = []
    for (place, _), group in groupby(range(len(frames)), key=lambda row: (places[row], shots[row])):
        rows = list(group)
        if place < 0:
            continue
        spots = [model.world_from_cam[frames[row].index].center[:2] for row in rows]
        weights = np.array([[one.get(name, 0.0) for name in _KINDS] for one in (judge.weigh(place, s) for s in spots)])
        for at, row in enumerate(rows):
            around = np.abs(times_s[rows] - times_s[row]) <= _SMOOTH_S
            around &= np.abs(np.arange(len(rows)) - at) <= _SMOOTH_FRAMES
            likely = weights[around].mean(axis=0)
            best = int(np.argmax(likely))
            if _KINDS[best] != UNKNOWN and likely[best] >= _LEAST_PROBABILITY:
                alone = _KINDS[int(np.argmax(weights[at]))]
                out.append(FrameRoom(frames[row].index, _KINDS[best], float(likely[best]), alone))
    return out


def find_spans(scene: Scene, rooms: Mapping[int, FrameRoom]) -> tuple[RoomSpan, ...]:
    """Stays: runs of frames of one model and shot with one room.

    A stay ends where the room is unknown; a change is known where one run follows another at once.
    """
    spans: list[RoomSpan] = []
    for model in scene.models:
        frames = [scene.frame_by_index[frame] for frame in model.frames]
        before: RoomSpan | None = None
        for (room, _), group in groupby(
            frames, key=lambda frame: (rooms[frame.index].room if frame.index in rooms else None, frame.shot)
        ):
            run = list(group)
            if room is None:
                before = None
                continue
            mean = float(np.mean([rooms[frame.index].probability for frame in run]))
            shot = scene.frame_by_index[before.last_frame].shot if before is not None else None
            changed = before.room if before is not None and shot == run[0].shot else None
            before = RoomSpan("", room, run[0].index, run[-1].index, mean, changed)
            spans.append(before)
    spans.sort(key=lambda span: span.first_frame)
    return tuple(replace(span, id=f"s{number}") for number, span in enumerate(spans))
