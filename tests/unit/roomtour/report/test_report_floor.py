import re
from dataclasses import replace

import numpy as np
import pytest

from roomtour.drawing.map import Floor, draw_floor, draw_rooms
from roomtour.drawing.svg import LabelPlacer
from roomtour.export.core.records import RunData
from roomtour.report.page import draw_maps
from tests.support.runs.made_tour import make_run
from trajectories.records import Area, Doorway, FloorPlan, Room

SQUARE = Area(((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)), (((1.0, 1.0), (1.0, 2.0), (2.0, 2.0), (2.0, 1.0)),))
RIGHT = Area(((4.0, 0.0), (8.0, 0.0), (8.0, 4.0), (4.0, 4.0)))
WALL = Area(((4.0, 0.0), (4.1, 0.0), (4.1, 1.0), (4.0, 1.0)))
FLOOR = Floor(
    FloorPlan("0", "m", "assumed", 0.1, (SQUARE, RIGHT), (WALL,), 31.0),
    (Room("0_r0", "0", "kitchen <b>", (SQUARE,), (1, 2)), Room("0_r1", "0", "hall", (RIGHT,), (3,))),
    (Doorway("0_d0", "0", ("0_r0", "0_r1"), (4.0, 2.0), ((2, 3), (5, 4))),),
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunData:
    return make_run(tmp_path_factory.mktemp("frames"), "relative", pictures=False)


def at(places: np.ndarray) -> np.ndarray:
    return np.asarray(places)[:, :2] * (50.0, -50.0) + (50.0, 250.0)


def test_areas_rooms_and_doorways_are_drawn_and_what_they_say_is_no_markup() -> None:
    svg = draw_floor(FLOOR, at)
    free = re.findall(r'<path d="([^"]+)" class="free"', svg)
    assert [path.count("M") for path in free] == [2, 1]
    assert [path.count("Z") for path in free] == [2, 1]
    assert "M50 250L250 250" in free[0]
    assert svg.count('class="room"') == 2
    assert svg.count('class="wall"') == 1
    svg = draw_rooms(FLOOR, at, LabelPlacer(800, 640))
    assert "kitchen &lt;b&gt;" in svg
    assert "<b>" not in svg
    assert svg.count('class="room-name"') == 2
    assert svg.count('class="door"') == 1
    assert "passed 2" in svg
    labels = LabelPlacer(800, 640)
    labels.reserve((0, 0, 800, 640))
    assert "room-name" not in draw_rooms(FLOOR, at, labels)
    bare = Floor(FLOOR.plan)
    assert "room" not in draw_floor(bare, at)
    assert "text" not in draw_rooms(bare, at, LabelPlacer(800, 640))


def test_the_map_shows_the_floor_of_its_own_model_with_a_switch(run: RunData) -> None:
    model = run.scene.models[0]
    plan = replace(FLOOR.plan, model=model.name)
    rooms = tuple(replace(room, model=model.name) for room in FLOOR.rooms)
    data = replace(run, floor_plans=(plan,), rooms=rooms, doorways=())
    with_floor, without = draw_maps(data, {}), draw_maps(run, {})
    assert with_floor.count("layer-floor") == 2
    assert re.search(r'<input[^>]*class="floor"', with_floor)
    assert "layer-floor" not in without
    assert 'class="floor"' not in without
    other = replace(run, floor_plans=(replace(plan, model="no such model"),))
    assert draw_maps(other, {}) == without
