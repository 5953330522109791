"""Rooms of frames whose place tells none: two things that belong together, one of which names the room."""

from __future__ import annotations

from instructions.perception.frames.tags import Tag
from instructions.perception.rooms.pictures import label_rooms_by_pictures
from instructions.records import Detection
from recon.records import Frame


def frames_at(*times_s: float) -> list[Frame]:
    return [Frame(number, time_s, f"{number}.jpg", 640, 480, 1.0, 0) for number, time_s in enumerate(times_s, 1)]


def shown(frame: int, label: str, score: float = 0.7) -> Detection:
    return Detection(frame, label, score, (0, 0, 9, 9), (), (), None)


def rooms(frames: list[Frame], *detections: Detection, known: tuple[int, ...] = (), **tags: float) -> dict[int, str]:
    said = {1: [Tag(word.replace("_", " "), score, "tags") for word, score in tags.items()]} if tags else {}
    return {one.frame: one.room for one in label_rooms_by_pictures(frames, detections, said, known)}


def test_two_things_of_a_room_name_it_and_one_does_not():
    frames = frames_at(0.0)
    assert rooms(frames, shown(1, "oven"), shown(1, "refrigerator")) == {1: "kitchen"}
    assert rooms(frames, shown(1, "refrigerator")) == {}
    assert rooms(frames, shown(1, "oven", 0.1), shown(1, "refrigerator", 0.1)) == {}


def test_a_sure_tag_is_a_witness_beside_a_thing():
    assert rooms(frames_at(0.0), shown(1, "toilet"), shower_curtain=0.97) == {1: "bathroom"}


def test_pictures_count_that_are_near_in_time_and_in_the_same_shot():
    both = (shown(1, "oven"), shown(2, "refrigerator"))
    assert rooms(frames_at(0.0, 0.4), *both) == {1: "kitchen", 2: "kitchen"}
    assert rooms(frames_at(0.0, 0.7), *both) == {}


def test_a_known_room_is_left_alone():
    assert rooms(frames_at(0.0), shown(1, "oven"), shown(1, "refrigerator"), known=(1,)) == {}
