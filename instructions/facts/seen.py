"""What single frames show, apart from any poses: things by side and range, and the room. Only what lasts is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from instructions.records import Detection, Range, Side
from recon.records import Frame

MIN_SCORE = 0.5
"""A box that no segmenter confirms has at most this score (`perception.frames.segments`)."""
MIN_FRAMES = 3
"""A thing that fewer frames of a stretch show may be a slip of the detector: no second view confirms it in space."""
LONGEST_S = 14.0
"""What one or two sentences can hold, as for ways with poses (`navigation.ways`)."""
MIN_VIEWS = 4


@dataclass(frozen=True)
class SeenThing:
    """One box of one frame."""

    label: str
    sides: tuple[Side, ...]
    ranges: tuple[Range, ...]
    """Empty where no depth is known."""


@dataclass(frozen=True)
class SeenFrame:
    """One frame."""

    frame: int
    room: str | None
    things: tuple[SeenThing, ...]


@dataclass(frozen=True)
class SeenStretch:
    """Neighbouring frames of one shot without poses, in time order."""

    frames: tuple[SeenFrame, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Things in the order in which they come into view, each once."""
        return tuple(dict.fromkeys(thing.label for frame in self.frames for thing in frame.things))

    @property
    def rooms(self) -> tuple[str, ...]:
        """Rooms in the order they are in, a stay once; frames of no known room end none."""
        known = [frame.room for frame in self.frames if frame.room is not None]
        return tuple(room for room, _ in groupby(known))


def find_seen_stretches(
    frames: Sequence[Frame], detections: Sequence[Detection], room_of: Mapping[int, str], posed: frozenset[int]
) -> list[SeenStretch]:
    """Stretches of frames without a pose.

    Args:
        frames: All frames of the tour, in time order.
        detections: Of all frames.
        room_of: Room by frame, as far as known.
        posed: Frames with a pose.

    Returns:
        Stretches in time order, cut into even parts of at most `LONGEST_S`; shorter ones than `MIN_VIEWS` frames are
        left out. A thing that fewer than `MIN_FRAMES` frames of a part show is not in it.
    """
    by_frame: dict[int, list[Detection]] = {}
    for detection in detections:
        if detection.score > MIN_SCORE:
            by_frame.setdefault(detection.frame, []).append(detection)
    found: list[SeenStretch] = []
    for (is_posed, _), group in groupby(frames, key=lambda frame: (frame.index in posed, frame.shot)):
        if is_posed:
            continue
        for part in _cut(list(group)):
            if len(part) >= MIN_VIEWS:
                found.append(_stretch(part, by_frame, room_of))
    return found


def _cut(frames: list[Frame]) -> list[list[Frame]]:
    seconds = frames[-1].time_s - frames[0].time_s
    parts = max(1, -int(-seconds // LONGEST_S))
    size = -(-len(frames) // parts)
    return [frames[at : at + size] for at in range(0, len(frames), size)]


def _stretch(
    frames: Sequence[Frame], by_frame: Mapping[int, Sequence[Detection]], room_of: Mapping[int, str]
) -> SeenStretch:
    counts = Counter(label for frame in frames for label in {one.label for one in by_frame.get(frame.index, ())})
    out = []
    for frame in frames:
        lasting = [one for one in by_frame.get(frame.index, ()) if counts[one.label] >= MIN_FRAMES]
        things = tuple(SeenThing(one.label, one.sides, one.ranges) for one in lasting)
        out.append(SeenFrame(frame.index, room_of.get(frame.index), things))
    return SeenStretch(tuple(out))
