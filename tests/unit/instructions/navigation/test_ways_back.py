"""The way back tells of things only what it passes: no frame shows what one faces then."""

from instructions.navigation.further import write_further
from instructions.records import RoomSpan
from instructions.tour import Tour
from tests.support.worlds.furnished import furnish
from trajectories.training import reverse_walk


def test_what_was_on_the_right_is_passed_on_the_left():
    found = furnish()
    world, objects, observations = found.world, found.objects, found.observations
    back = reverse_walk(world.trajectory)
    rows = write_further(Tour(world.scene, objects, observations), [], [back])
    assert rows
    assert all(row.accepted for row in rows)
    told = {(check.claim.object, check.claim.side) for row in rows for check in row.claims if check.claim.object}
    out = {"sofa": "left", "lamp": "right", "chair": "right"}  # along x, then along y
    mirrored = {one.id: "right" if out.get(one.category or "") == "left" else "left" for one in objects}
    assert told
    assert told <= set(mirrored.items())
    assert {check.claim.kind for row in rows for check in row.claims} <= {"walk", "turn", "pass", "length"}


def test_rooms_are_told_by_where_one_is():
    found = furnish()
    world, objects, observations = found.world, found.objects, found.observations
    frames = world.trajectory.frames
    middle = len(frames) // 2
    rooms = [
        RoomSpan("s0", "hall", frames[0], frames[middle], 0.9, None),
        RoomSpan("s1", "kitchen", frames[middle + 1], frames[-1], 0.9, "hall"),
    ]
    rows = write_further(Tour(world.scene, objects, observations, rooms=rooms), [], [reverse_walk(world.trajectory)])
    texts = [row.text for row in rows if row.kind == "instruction"]
    assert any(text.startswith("Start in the kitchen") and "enter the hall" in text for text in texts), texts
    assert not any("enter the hall" in text and "stop in the hall" in text for text in texts), texts
