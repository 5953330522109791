"""The kinds of description that name rooms, written without a language model."""

from dataclasses import replace
from functools import cache

from instructions.navigation.room_writer import KINDS, write_room_texts
from instructions.records import RoomSpan
from instructions.tour import Tour
from tests.support.worlds.boxworld import World, make_world, true_objects
from tests.support.worlds.made_walks import random_world


@cache
def corridor() -> World:
    return make_world()


MIRRORED = {"left": "right", "right": "left"}


def name_things(world):
    """The boxes as things with categories."""
    objects, observations = true_objects(world)
    words = ("sofa", "bed", "desk", "piano", "oven", "toilet", "sink", "bench", "table", "chair")
    named = zip(objects, words, strict=False)
    return [replace(one, category=word, alias=word, ambiguous=False) for one, word in named], observations


def split(world, *rooms):
    """The walk cut into equal stays."""
    frames = world.trajectory.frames
    cuts = [round(row * len(frames) / len(rooms)) for row in range(len(rooms) + 1)]
    stays = zip(rooms, cuts, cuts[1:], strict=False)
    return [
        RoomSpan(f"s{row}", room, frames[first], frames[last - 1], 0.9, rooms[row - 1] if row else None)
        for row, (room, first, last) in enumerate(stays)
    ]


def write(world, rooms, in_room=None, is_mirrored=False):
    objects, observations = name_things(world)
    objects = [replace(thing, room=in_room) for thing in objects]
    if is_mirrored:  # pictures that say left for right
        observations = [
            replace(one, sides=tuple(MIRRORED.get(side, side) for side in one.sides)) for one in observations
        ]
    return write_room_texts(Tour(world.scene, objects, observations, rooms=rooms), [world.trajectory])


def test_rooms_are_told_in_their_order():
    rows = write(corridor(), split(corridor(), "kitchen", "hallway"))
    told = [row.text for row in rows if row.kind == "rooms"]
    assert told == ["The camera starts in the kitchen and ends in the hallway."]
    (alone,) = [row.text for row in write(corridor(), split(corridor(), "kitchen")) if row.kind == "rooms"]
    assert alone == "The camera stays in the kitchen."
    assert all(row.accepted for row in rows)


def test_without_rooms_there_are_no_texts():
    assert write(corridor(), []) == []
    kitchen, hallway = split(corridor(), "kitchen", "hallway")
    assert write(corridor(), [kitchen]) == [], "nobody knows where the way ends"
    assert write(corridor(), [hallway]) == [], "nor where it begins"


def test_things_are_told_in_their_own_room_only():
    rooms = split(corridor(), "kitchen", "hallway")
    elsewhere = [row for row in write(corridor(), rooms, "bedroom") if row.kind.startswith("room_objects")]
    assert all(row.kind == "room_objects_target" for row in elsewhere)
    (told,) = [row for row in write(corridor(), rooms, "kitchen") if row.kind == "room_objects"]
    before, _, after = told.text.partition("leaves the kitchen")
    assert "visible" in before
    assert "visible" not in after


def test_every_kind_is_written_and_what_is_accepted_was_checked():
    rows = write(corridor(), split(corridor(), "kitchen"), "kitchen")
    assert {row.kind for row in rows if row.accepted} == set(KINDS)
    (target,) = [row for row in rows if row.kind == "room_objects_target"]
    assert target.objects
    assert target.text.split(".")[1].startswith(" It ends ")


def test_what_is_false_is_left_out_and_kept_beside():
    written = dropped = 0
    for seed in range(8):
        world = random_world(seed)
        for row in write(world, split(world, "kitchen", "hallway", "study"), "kitchen", is_mirrored=seed % 4 == 0):
            assert row.accepted == all(check.true for check in row.claims), row.text
            written += row.accepted
            dropped += len(row.dropped)
            told = {check.claim.object for check in row.claims}
            assert not told & {check.claim.object for check in row.dropped if check.claim.object}, row.text
    assert written > 8
    assert dropped > 0
