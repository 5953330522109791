"""Pictures without poses as views: things with boxes and without bodies, so that nothing is known of the room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from instructions.facts.overlap import box_iou
from instructions.facts.view_things import ViewFacts, ViewThing
from instructions.records import Box, Detection, FrameRoom
from recon.records import Scene

MOST_READ = 300
_SAME_IOU = 0.7
"""A detection this alike in place is the same thing, by another name or once more."""


def find_picture_views(
    scene: Scene,
    detections: Sequence[Detection],
    *,
    frame_rooms: Sequence[FrameRoom] = (),
    looked_for: frozenset[str] | None = None,
    most: int = MOST_READ,
) -> Iterator[ViewFacts]:
    """The frames of no model that show things, in their order.

    Args:
        scene: Its frames, with or without models.
        detections: Of all frames. Each is a thing of its own; of two in one place the better one, and the other is
            told by `ViewFacts.loose`.
        frame_rooms: Rooms with probabilities, frame by frame.
        looked_for: Kinds that a detector would have found; by default all kinds that were found anywhere.
        most: Detections that are read of a picture, the best.
    """
    looked = frozenset(one.label for one in detections) if looked_for is None else looked_for
    posed = {frame for model in scene.models for frame in model.world_from_cam}
    rooms = {one.frame: one for one in frame_rooms}
    found: dict[int, list[Detection]] = defaultdict(list)
    for one in detections:
        found[one.frame].append(one)
    for frame in scene.frames:
        if frame.index in posed or not found[frame.index]:
            continue
        things, loose = _place(found[frame.index], most)
        room = rooms.get(frame.index)
        yield ViewFacts(
            tour=scene.id,
            model="",
            frame=frame.index,
            size=(frame.width, frame.height),
            things=things,
            room=room.room if room is not None else None,
            room_probability=room.probability if room is not None else 0.0,
            loose=loose,
            looked_for=looked,
        )


def _place(found: Sequence[Detection], most: int) -> tuple[tuple[ViewThing, ...], tuple[tuple[str, float, Box], ...]]:
    """Things by their place in the frame, and what calls one of them something else."""
    order = sorted(range(len(found)), key=lambda place: (-found[place].score, place))[:most]
    kept: list[int] = []
    loose = []
    for place in order:
        one = found[place]
        rival = next((k for k in kept if box_iou(one.box_xyxy, found[k].box_xyxy) >= _SAME_IOU), None)
        if rival is None:
            kept.append(place)
        elif one.label != found[rival].label:
            loose.append((one.label, one.score, one.box_xyxy))
    things = tuple(
        ViewThing(
            id=f"d{place}",
            category=one.label,
            alias=one.label,
            color=None,
            box_xyxy=one.box_xyxy,
            visible_fraction=1.0,
            score=one.score,
            mask=one.mask,
            label=one.label,
            maybe=tuple(word for word, _ in one.also if word != one.label),
            caption=one.caption,
        )
        for place in sorted(kept)
        for one in [found[place]]
    )
    return things, tuple(loose)
