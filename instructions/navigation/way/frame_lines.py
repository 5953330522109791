"""Frames in words, with poses and without: what is where, by the sides and ranges of RoomTour3D (`facts.placing`).

Frames without poses tell neither how the camera moves nor how near it comes, so nothing of that is said of a stretch
that did not reconstruct: rooms, and things by side. Each text lists what it claims, with the frames that show it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from instructions.facts.placing import RANGES, SIDES
from instructions.facts.seen import SeenFrame, SeenStretch, find_seen_stretches
from instructions.facts.walk import find_runs
from instructions.navigation.records import KIND, Instruction, InstructionKind
from instructions.records import Claim, ClaimCheck, Detection, Observation, Range, SceneObject, Side, SpatialLine
from instructions.rows import row_id
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
    near = sorted(seen, key=lambda one: (one.depth, one.object))
    line = _write_line(room, [(one.sides, objects[one.object].alias, one.ranges) for one in near])
    return SpatialLine(frame, room, line if seen else f"{line} No object stands out.".lstrip())


def _write_line(
    room: str | None, seen: Sequence[tuple[Sequence[Side], str, Sequence[Range]]], *, are_kinds: bool = False
) -> str:
    """`Kitchen. To the left of the current spot: a desk in the near distance.` Sides without a thing are left out.

    Kinds of things are told once on a side, things each.
    """
    parts = [f"{room[:1].upper()}{room[1:]}."] if room else []
    for side in SIDES:
        told = [_say_with_ranges(name, ranges) for sides, name, ranges in seen if side in sides]
        told = list(dict.fromkeys(told)) if are_kinds else told
        parts += [f"{_SIDE_PHRASES[side]}: {'; '.join(told)}."] if told else []
    return " ".join(parts)


def _say_with_ranges(name: str, ranges: Sequence[Range]) -> str:
    return f"{with_article(name)} {' and '.join(_RANGE_PHRASES[one] for one in RANGES if one in ranges)}".rstrip()


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


WRITER = "embedded"
MAX_VIEWS = 15
"""As of ways with poses."""
MAX_THINGS = 4
"""A sentence that lists more is not read."""

_SIDES: dict[Side, str] = {"left": "on the left", "middle": "in the middle", "right": "on the right"}


def describe_unposed_frames(
    scene: Scene, detections: Sequence[Detection], room_of: Mapping[int, str]
) -> list[SpatialLine]:
    """The line of every frame without a pose in a stretch that can be told: the room, then things by side and range."""
    stretches = _stretches(scene, detections, room_of)
    return [
        SpatialLine(seen.frame, seen.room, _line(seen))
        for stretch in stretches
        for seen in stretch.frames
        if seen.things or seen.room is not None
    ]


def describe_unposed_stretches(
    scene: Scene, detections: Sequence[Detection], room_of: Mapping[int, str], perception: str, *, seed: int = 0
) -> list[Instruction]:
    """Describe every stretch without poses by its rooms, and by the things that come into view, side by side.

    Args:
        scene: The tour; frames with a pose in any model are told with their walks.
        detections: Of all frames; empty for perception that knows single frames only by their poses.
        room_of: Room by frame, as far as known.
        perception: What knew the things.
        seed: Part of the rows' ids.

    Returns:
        Rows without model and trajectory: `rooms` where at least two rooms are seen, and `room_objects_spatial` (with
        a room) or `description` (without one) where things are. A stretch that shows neither has none.
    """
    rows: list[Instruction] = []
    for stretch in _stretches(scene, detections, room_of):
        rows += [_row(scene, stretch, kind, text, claims, perception, seed) for kind, text, claims in _texts(stretch)]
    return rows


def _stretches(scene: Scene, detections: Sequence[Detection], room_of: Mapping[int, str]) -> list[SeenStretch]:
    posed = frozenset(frame for model in scene.models for frame in model.frames)
    frames: Sequence[Frame] = sorted(scene.frames, key=lambda frame: frame.index)
    return find_seen_stretches(frames, detections, room_of, posed)


def _line(frame: SeenFrame) -> str:
    return _write_line(frame.room, [(one.sides, one.label, one.ranges) for one in frame.things], are_kinds=True)


@dataclass(frozen=True)
class _Sight:
    """One kind of thing where it is seen longest on one side."""

    label: str
    side: Side
    first: int
    """Place in the stretch."""
    room: str | None


def _texts(stretch: SeenStretch) -> Iterator[tuple[InstructionKind, str, tuple[ClaimCheck, ...]]]:
    """Texts of a stretch with their claims."""
    rooms = stretch.rooms
    if len(rooms) >= 2:
        text = f"The {rooms[0]} comes first, then {', then '.join(f'the {one}' for one in rooms[1:])}."
        yield "rooms", text, tuple(_claim_room(f"the {room}", room, stretch) for room in rooms)
    sights = sorted(_sights(stretch), key=lambda one: one.first)[:MAX_THINGS]
    if not sights:
        return
    sentences: list[str] = []
    claims: list[ClaimCheck] = []
    for room, group in groupby(sights, key=lambda one: one.room):
        here = [(one, f"{with_article(one.label)} {_SIDES[one.side]}") for one in group]
        if room is not None:
            claims.append(_claim_room(f"in the {room}", room, stretch))
        claims += [_claim_side(words, one, stretch) for one, words in here]
        place = f"In the {room} there is" if room is not None else "There is"
        sentences.append(f"{place} {', then '.join(words for _, words in here)}.")
    has_room = any(one.room is not None for one in sights)
    yield "room_objects_spatial" if has_room else "description", " ".join(sentences), tuple(claims)


def _claim_room(words: str, room: str, stretch: SeenStretch) -> ClaimCheck:
    return _claim(Claim("room", words, room=room), [one.frame for one in stretch.frames if one.room == room])


def _claim_side(words: str, sight: _Sight, stretch: SeenStretch) -> ClaimCheck:
    shown = [
        one.frame
        for one in stretch.frames
        if any(thing.label == sight.label and sight.side in thing.sides for thing in one.things)
    ]
    return _claim(Claim("side", words, side=sight.side), shown)


def _claim(claim: Claim, frames: Sequence[int]) -> ClaimCheck:
    """A claim with the frames that show it, of which there are some."""
    found = replace(claim, first_frame=frames[0], last_frame=frames[-1])
    return ClaimCheck(found, True, f"frames {frames[0]} to {frames[-1]} show it")


def _sights(stretch: SeenStretch) -> Iterator[_Sight]:
    """Where each kind of thing is seen in most neighbouring frames on one side, never for less than two frames."""
    for label in stretch.labels:
        runs: list[tuple[int, int, Side]] = []
        for side in SIDES:
            shows = [any(one.label == label and side in one.sides for one in frame.things) for frame in stretch.frames]
            long = [(first, last) for first, last in find_runs(np.array(shows)) if last > first]
            runs.extend((last - first, first, side) for first, last in long)
        if runs:
            _, at, side = max(runs, key=lambda run: run[0])
            yield _Sight(label, side, at, stretch.frames[at].room)


def _row(
    scene: Scene,
    stretch: SeenStretch,
    kind: InstructionKind,
    text: str,
    claims: tuple[ClaimCheck, ...],
    perception: str,
    seed: int,
) -> Instruction:
    views = _views(stretch)
    shown = [seen for seen in stretch.frames if seen.frame in views]
    return Instruction(
        id=row_id(seed, scene.id, KIND, WRITER, "unposed", views[0], views[-1], kind),
        tour=scene.id,
        model="",
        views=views,
        scale_status="relative",
        claims=claims,
        perception=perception,
        writer=WRITER,
        seed=seed,
        accepted=True,
        trajectory="",
        kind=kind,
        text=text,
        objects=(),
        spatial_lines=tuple(_line(seen) for seen in shown),
    )


def _views(stretch: SeenStretch) -> tuple[int, ...]:
    """Even frames of the stretch, its first and last among them."""
    count = min(MAX_VIEWS, len(stretch.frames))
    last = len(stretch.frames) - 1
    return tuple(dict.fromkeys(stretch.frames[round(at * last / (count - 1))].frame for at in range(count)))
