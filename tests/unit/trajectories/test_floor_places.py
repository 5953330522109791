"""Places and doorways of a house whose walls and door are known."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.trajectories.made_rooms import DOOR, make_house
from tests.support.trajectories.made_walks import Walker, points_of, scene_of
from trajectories.build import build_trajectories
from trajectories.floor_plan import SeenDoor, draw_floor_plans
from trajectories.places import find_places

HOUSE = make_house()
WALKS, _ = build_trajectories(HOUSE.scene)


@pytest.fixture(scope="module")
def places():
    found = find_places(HOUSE.scene.models[0], WALKS)
    assert found is not None
    return found


def test_a_wall_with_a_door_makes_two_places(places):
    left, right = places.at(np.array([[2.0, 0.5], [7.0, 3.0]]))
    assert left >= 0
    assert right >= 0
    assert left != right
    assert [place.number for place in places.places] == [0, 1]
    for place in places.places:
        assert place.area == pytest.approx(15.0, abs=3.0)
        assert place.walled > 0.5
    assert places.at(np.array([[-5.0, 0.0], [50.0, 50.0]])).tolist() == [-1, -1]
    (opening,) = places.openings
    assert opening.position == pytest.approx((4.0, sum(DOOR) / 2), abs=0.1)
    assert opening.width == pytest.approx(DOOR[1] - DOOR[0], abs=0.21), "a cell on each side"
    heading = np.radians(opening.heading_deg)
    into = np.array(opening.position) + 0.8 * np.array([np.cos(heading), np.sin(heading)])
    assert places.at(into[None])[0] == opening.places[1]


def test_a_thing_behind_the_wall_is_in_the_other_place(places):
    left, right = places.at(np.array([[2.0, 0.5], [7.0, 3.0]]))
    camera, at_the_far_wall = np.array([[1.0, 2.0]]), np.array([8.05, 2.0])
    assert places.place_of_thing(camera, at_the_far_wall) == right, "seen through the door"
    assert places.place_of_thing(camera, np.array([4.0, 3.5])) == left, "hangs on the wall between them"
    assert places.place_of_thing(np.array([[50.0, 50.0]]), np.array([51.0, 50.0])) is None


def test_without_metres_the_places_are_the_same(subtests, places):
    for factor in [0.2]:
        with subtests.test(factor=factor):
            house = make_house("relative", factor)
            found = find_places(house.scene.models[0], build_trajectories(house.scene)[0])
            assert found is not None
            assert len(found.places) == 2
            (opening,) = found.openings
            assert np.array(opening.position) / factor == pytest.approx(places.openings[0].position, abs=0.15)


def test_a_walk_without_walls_is_one_place_of_unknown_form():
    scene = scene_of([points_of(Walker().walk(4))], "metric")
    found = find_places(scene.models[0], build_trajectories(scene)[0])
    assert found is not None
    (place,) = found.places
    assert place.walled == 0.0
    assert find_places(scene.models[0], []) is None


def test_a_seen_door_joins_its_opening_or_stands_alone():
    model = HOUSE.scene.models[0].name
    at_opening = SeenDoor("0_7", model, (4.1, 2.4), 0.8, 10.0)
    in_the_wall = SeenDoor("0_8", model, (8.0, 1.0), 0.9, 180.0)
    labels = {point.frame: "kitchen" if point.position[0] < 4 else "bedroom" for point in HOUSE.points}
    found = draw_floor_plans(HOUSE.scene, WALKS, labels, doors=[at_opening, in_the_wall])
    opening, alone = found.doorways
    assert opening.door == "0_7"
    assert opening.heading_deg == pytest.approx(0.0, abs=10.0), "that of the opening, the way the walk goes first"
    assert alone.door == "0_8"
    assert alone.rooms == ("0_r1", None)
    assert alone.crossings == ()
    assert alone.position == (8.0, 1.0)
    assert np.cos(np.radians(alone.heading_deg or 0.0)) == pytest.approx(1.0), "out of the room that is known"
    elsewhere = replace(in_the_wall, model="9")
    assert len(draw_floor_plans(HOUSE.scene, WALKS, labels, doors=[elsewhere]).doorways) == 1
