"""Frames and things get the room of the place that they stand in."""

from dataclasses import replace

from instructions.perception.rooms.label import LabelledRooms, find_spans, label_rooms_by_things
from instructions.perception.rooms.site import PlaceForm, Site
from instructions.records import Obb, RoomSpan, SceneObject
from tests.support.trajectories.made_walks import Walker, points_of, scene_of

SCENE = scene_of([points_of(Walker().walk(12.0), 3.0)], "metric")
MODEL = SCENE.models[0]
FRAMES = MODEL.frames
HALF = len(FRAMES) // 2
ROOM = PlaceForm(15.0, 3.5, 0.9, 1)
OPEN = PlaceForm(80.0, 6.0, 0.9, 0)
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def thing(number, category, x=0.0, y=0.0):
    name = f"{MODEL.name}_{number}"
    box = Obb((x, y, 0.5), (0.3, 0.3, 0.5), UNIT)
    return SceneObject(name, MODEL.name, category, category or "red thing", None, None, box, (), (1,), False, "test")


def site(things, forms=(ROOM, ROOM), of_frame=None, place_of=None):
    """Without more said, the first half of the walk and the things before x = 6 m are in the first place."""
    stands = of_frame or {frame: int(row >= HALF) for row, frame in enumerate(FRAMES)}
    of_thing = {one.id: int(one.obb.center[0] >= 6.0) if place_of is None else place_of for one in things}
    return {MODEL.name: Site(tuple(forms), stands, stands, of_thing)}


def label(things, sites, tags=None, scene=SCENE):
    return label_rooms_by_things(scene, things, sites, tags or {})


def spans_of(found: LabelledRooms) -> tuple[RoomSpan, ...]:
    return find_spans(SCENE, {room.frame: room for room in found.rooms})


def test_the_room_is_where_the_camera_stands_and_changes_at_the_door():
    things = [thing(0, "bed"), thing(1, "nightstand"), thing(2, "oven", 9.0), thing(3, "refrigerator", 9.0)]
    found = label(things, site(things))
    assert [room.room for room in found.rooms] == ["bedroom"] * HALF + ["kitchen"] * (len(FRAMES) - HALF)
    first, second = spans_of(found)
    assert (first.id, first.room, first.first_frame, first.changed_from) == ("s0", "bedroom", FRAMES[0], None)
    assert (second.room, second.first_frame, second.changed_from) == ("kitchen", FRAMES[HALF], "bedroom")
    assert found.of_thing == {things[0].id: "bedroom", things[1].id: "bedroom"} | {
        one.id: "kitchen" for one in things[2:]
    }


def test_an_unknown_place_names_nothing_and_no_change_into_it():
    things = [thing(0, "bed"), thing(1, "nightstand"), thing(2, "picture", 9.0), thing(3, None, 9.0)]
    found = label(things, site(things))
    assert len(found.rooms) == HALF
    assert [span.room for span in spans_of(found)] == ["bedroom"]
    assert set(found.of_thing) == {things[0].id, things[1].id}


def test_on_an_open_floor_what_is_near_decides():
    things = [
        *(thing(number, word, 0.5) for number, word in enumerate(("oven", "refrigerator", "sink", "cabinet"))),
        *(thing(number, word, 11.5) for number, word in enumerate(("sofa", "armchair", "coffee table"), 4)),
    ]
    here = site(things, forms=(OPEN,), of_frame=dict.fromkeys(FRAMES, 0), place_of=0)
    found = label(things, here)
    rooms = {room.frame: room.room for room in found.rooms}
    assert rooms[FRAMES[0]] == "kitchen"
    assert rooms[FRAMES[-1]] == "living room"
    assert FRAMES[HALF] not in rooms, "between them it is neither"
    assert [span.changed_from for span in spans_of(found)] == [None, None], "nobody knows where one ends"
    assert label(things[:1], here).rooms == (), "one thing is no room"
    fast = replace(SCENE, frames=tuple(replace(frame, time_s=frame.time_s / 10.0) for frame in SCENE.frames))
    assert {room.frame: room.room for room in label(things, here, scene=fast).rooms}.keys() == rooms.keys()


def test_a_room_whose_doorway_was_not_seen_may_be_several():
    """A flat whose bathroom door nobody saw was one kitchen."""
    things = [thing(number, word, 0.5) for number, word in enumerate(("oven", "refrigerator", "sink", "cabinet"))]
    for doorways, last in ((1, "kitchen"), (0, None)):
        form = PlaceForm(15.0, 3.5, 0.9, doorways)
        here = site(things, forms=(form,), of_frame=dict.fromkeys(FRAMES, 0), place_of=0)
        rooms = {room.frame: room.room for room in label(things, here).rooms}
        assert (rooms[FRAMES[0]], rooms.get(FRAMES[-1])) == ("kitchen", last)


def test_models_and_frames_that_stand_nowhere_stay_unknown():
    things = [thing(0, "bed"), thing(1, "nightstand")]
    assert label(things, {}) == LabelledRooms((), {})
    some = {frame: 0 for frame in FRAMES[4:]}
    assert [room.frame for room in label(things, site(things, of_frame=some)).rooms] == list(FRAMES[4:])
