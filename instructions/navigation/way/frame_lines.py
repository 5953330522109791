"""Frames in words, with poses and without: what is where, by the sides and ranges of RoomTour3D (`facts.placing`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from instructions.facts.placing import RANGES, SIDES
from instructions.facts.seen import SeenFrame, SeenStretch, find_seen_stretches
from instructions.records import Detection, Observation, Range, SceneObject, Side, SpatialLine
from instructions.wording.english import with_article
from recon.records import Frame, Scene

_SIDE_PHRASES: dict[Side, str] = {
    "left": "To the left of the current spot",
    "middle": "In the middle",
    "right": "To the right of the current spot",
}
_RANGE_PHRASES: dict[Range, str] = {
    "near": "in the near distance",
    "closer": "in closer distance",
    "further": "in a further distance",
}


def describe_frame(
    frame: int, observations: Sequence[Observation], objects: Mapping[str, SceneObject], room: str | None = None
) -> SpatialLine:
    """One structured line: the room if it is known, then the objects by side and range.

    Observations of other frames and of unknown objects are left out.

    Returns:
        `Kitchen. To the left of the current spot: a tall red object in the near distance. In the middle: ...`; sides
        from left to right, objects of a side from near to far.
    """
    seen = [seen for seen in observations if seen.frame == frame and seen.object in objects]
    told: dict[Side, list[str]] = {side: [] for side in SIDES}
    for one in sorted(seen, key=lambda one: (one.depth, one.object)):
        for side in one.sides:
            told[side].append(add_ranges(with_article(objects[one.object].alias), one.ranges))
    line = write_line(room, told)
    return SpatialLine(frame, room, line if seen else f"{line} No object stands out.".lstrip())


def add_ranges(name: str, ranges: Sequence[Range]) -> str:
    """A name and how far the thing is: `a desk in the near distance`."""
    return f"{name} {' and '.join(_RANGE_PHRASES[one] for one in RANGES if one in ranges)}".rstrip()


def write_line(room: str | None, phrases: Mapping[Side, Iterable[str]]) -> str:
    """`Kitchen. To the left of the current spot: a desk in the near distance.` Sides without a phrase are left out."""
    parts = [f"{room[:1].upper()}{room[1:]}."] if room else []
    parts += [f"{_SIDE_PHRASES[side]}: {'; '.join(told)}." for side in SIDES if (told := list(phrases.get(side, ())))]
    return " ".join(parts)


def describe_frames(
    scene: Scene, objects: Sequence[SceneObject], observations: Sequence[Observation], room_of: Mapping[int, str]
) -> list[SpatialLine]:
    """The line of every registered frame, in time order; `room_of` has the room label of some frames."""
    by_id = {thing.id: thing for thing in objects}
    by_frame: dict[int, list[Observation]] = {}
    for observation in observations:
        by_frame.setdefault(observation.frame, []).append(observation)
    registered = sorted({frame for model in scene.models for frame in model.frames})
    return [describe_frame(frame, by_frame.get(frame, []), by_id, room_of.get(frame)) for frame in registered]


def describe_unposed_frames(
    scene: Scene, detections: Sequence[Detection], room_of: Mapping[int, str]
) -> list[SpatialLine]:
    """The line of every frame without a pose in a stretch that can be told: the room, then things by side and range."""
    stretches = _stretches(scene, detections, room_of)
    return [
        SpatialLine(frame.frame, frame.room, _line(frame))
        for stretch in stretches
        for frame in stretch.frames
        if frame.things or frame.room is not None
    ]


def _stretches(scene: Scene, detections: Sequence[Detection], room_of: Mapping[int, str]) -> list[SeenStretch]:
    posed = frozenset(frame for model in scene.models for frame in model.frames)
    frames: Sequence[Frame] = sorted(scene.frames, key=lambda frame: frame.index)
    return find_seen_stretches(frames, detections, room_of, posed)


def _line(frame: SeenFrame) -> str:
    told: dict[Side, dict[str, None]] = {side: {} for side in SIDES}
    for thing in frame.things:
        for side in thing.sides:
            told[side][add_ranges(with_article(thing.label), thing.ranges)] = None
    return write_line(frame.room, told)
