"""The room of frames whose place tells none: by what the pictures of that moment show, things and tags alike.

Places need a floor that somebody walks on; a kitchen filmed from its door, or a clip without poses, has pictures
only. They are believed where two things that belong to a room are seen together, one of which gives it its name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from instructions.perception.frames.tags import Tag
from instructions.perception.rooms.bayes import UNKNOWN, Sighting, weigh_rooms
from instructions.perception.rooms.priors import word_of, word_of_tag
from instructions.records import Detection, FrameRoom
from recon.records import Frame

_AROUND_S = 0.5
"""Pictures so near in time show the same room ..."""
_MOST_STEPS = 2
"""... if they are no further apart in a tour that is played fast. Within a second 3 of 61 rooms of ten labelled tours
were wrong, within half a second 1 of 52."""
_RIGHT = 0.85
"""Share of detections that are right: by frame, on ten labelled tours. A detection's score counts beside it."""
_RIGHT_TAG = 0.7
"""The same of what a tagger is sure of."""
_WITNESSES = 2
_LEAST_PROBABILITY = 0.9
"""A room less sure than this is unknown."""


def label_rooms_by_pictures(
    frames: Sequence[Frame], detections: Iterable[Detection], tags: Mapping[int, Sequence[Tag]], known: Iterable[int]
) -> list[FrameRoom]:
    """Rooms of frames that have none yet.

    Args:
        frames: Of the tour, in time order.
        detections: Of all frames, with or without a pose.
        tags: What a tagger says of some frames.
        known: Frames whose room is known.
    """
    seen: dict[int, dict[str, float]] = defaultdict(dict)
    for detection in detections:
        word = word_of(detection.label)
        seen[detection.frame][word] = max(
            seen[detection.frame].get(word, 0.0), min(1.0, _RIGHT * detection.score / 0.6)
        )
    for frame, frame_tags in tags.items():
        for tag in frame_tags:
            word = word_of_tag(tag.text)
            seen[frame][word] = max(seen[frame].get(word, 0.0), _RIGHT_TAG * tag.score)
    has_room = set(known)
    rooms = []
    for place, frame in enumerate(frames):
        if frame.index in has_room:
            continue
        near = [
            other
            for other in frames[max(0, place - _MOST_STEPS) : place + _MOST_STEPS + 1]
            if other.shot == frame.shot and abs(other.time_s - frame.time_s) <= _AROUND_S
        ]
        weights: dict[str, float] = defaultdict(float)
        for other in near:
            for word, weight in seen[other.index].items():
                weights[word] = max(weights[word], weight)
        found = weigh_rooms(
            {word: Sighting(1, weight) for word, weight in weights.items()},
            sum(weights.values()),
            {},
            witnesses=_WITNESSES,
        )
        best = max(found, key=lambda name: found[name])
        if best != UNKNOWN and found[best] >= _LEAST_PROBABILITY:
            rooms.append(FrameRoom(frame.index, best, found[best], best))
    return rooms
