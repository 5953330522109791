"""A frame in words: what is where in it, by the sides and ranges of RoomTour3D (`instructions.facts.placing`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from instructions.facts.placing import RANGES, SIDES
from instructions.records import Observation, Range, SceneObject, Side, SpatialLine
from instructions.wording.english import with_article
from recon.records import Scene

SIDE_PHRASES: dict[Side, str] = {
    "left": "to the left of the current spot",
    "middle": "in the middle",
    "right": "to the right of the current spot",
}
RANGE_PHRASES: dict[Range, str] = {
    "near": "in the near distance",
    "closer": "in closer distance",
    "further": "in a further distance",
}


def describe_frame(
    frame: int, observations: Sequence[Observation], objects: Mapping[str, SceneObject], room: str | None = None
) -> SpatialLine:
    """One structured line: the room if it is known, then the objects by side and range.

    Args:
        frame: Frame index.
        observations: Those of other frames and of unknown objects are left out.
        objects: By id.
        room: Room label.

    Returns:
        `Kitchen. To the left of the current spot: a tall red object in the near distance. In the middle: ...`; sides
        from left to right, objects of a side from near to far.
    """
    seen = [seen for seen in observations if seen.frame == frame and seen.object in objects]
    parts = [f"{room[:1].upper()}{room[1:]}."] if room else []
    for side in SIDES:
        here = sorted((one for one in seen if side in one.sides), key=lambda one: (one.depth, one.object))
        phrases = [_add_ranges(objects[one.object], one.ranges) for one in here]
        if phrases:
            phrase = SIDE_PHRASES[side]
            parts.append(f"{phrase[0].upper()}{phrase[1:]}: {'; '.join(phrases)}.")
    if not seen:
        parts.append("No object stands out.")
    return SpatialLine(frame, room, " ".join(parts))


def _add_ranges(thing: SceneObject, ranges: Sequence[Range]) -> str:
    places = " and ".join(RANGE_PHRASES[name] for name in RANGES if name in ranges)
    return f"{with_article(thing.alias)} {places}".rstrip()


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
