from dataclasses import replace

import cv2
import numpy as np
import pytest

from recon.geometry import Array
from tests.support.trajectories.made_rooms import DOOR, make_house, room_at
from trajectories.build import build_trajectories
from trajectories.errors import TrajectoryError
from trajectories.floor_grid import FloorOptions, sketch_floor
from trajectories.floor_plan import FloorPlanOptions, draw_floor_plans
from trajectories.records import Area
from trajectories.rooms import RoomOptions

HOUSE = make_house()
WALKS = build_trajectories(HOUSE.scene)[0]
LABELS = {point.frame: room_at(point.position[0]) for point in HOUSE.points}


def inside(area: Area, x: float, y: float) -> bool:
    rings = [np.array(ring, np.float32) for ring in (area.outline, *area.holes)]
    return cv2.pointPolygonTest(rings[0], (x, y), False) > 0 and not any(
        cv2.pointPolygonTest(ring, (x, y), False) > 0 for ring in rings[1:]
    )


def measure_signed_area(ring: tuple[tuple[float, float], ...]) -> float:
    x, y = np.array(ring).T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


def area_of(area: Area) -> float:
    return measure_signed_area(area.outline) + sum(measure_signed_area(hole) for hole in area.holes)


@pytest.fixture(scope="module")
def plans():
    return draw_floor_plans(HOUSE.scene, WALKS, LABELS)


def test_the_free_floor_is_that_of_the_house(plans):
    (plan,) = plans.plans
    assert (plan.model, plan.unit, plan.scale_status, plan.cell) == ("0", "m", "metric", 0.1)
    assert plan.free_area == pytest.approx(32.0 - 1.0, rel=0.1)
    grid = sketch_floor(HOUSE.scene.models[0], WALKS)
    assert grid is not None
    rows, columns = np.nonzero(grid.free)
    places = grid.origin + (np.column_stack([columns, rows]) + 0.5) * grid.cell
    out = np.maximum(np.maximum(-places, places - [8.0, 4.0]), 0).max(axis=1)
    assert (out > 0.2).mean() < 0.01
    table = np.all(np.abs(places - [1.0, 3.0]) < 0.35, axis=1)
    assert table.sum() <= 3
    assert not (grid.free & grid.occupied).any()


def test_areas_are_simple_polygons_with_the_size_of_their_cells(plans):
    (plan,) = plans.plans
    assert sum(area_of(area) for area in plan.free) == pytest.approx(plan.free_area, rel=0.03)
    for area in plan.free:
        assert measure_signed_area(area.outline) > 0
        assert all(measure_signed_area(hole) < 0 for hole in area.holes)
    assert inside(plan.free[0], 2.0, 1.0)
    assert inside(plan.free[0], 6.0, 1.0)
    assert not any(inside(area, 1.0, 3.0) for area in plan.free)


def test_labels_become_two_rooms_and_one_doorway(plans):
    first, second = plans.rooms
    assert [(room.id, room.label) for room in (first, second)] == [("0_r0", "kitchen"), ("0_r1", "bedroom")]
    assert set(first.frames) | set(second.frames) == set(LABELS)
    assert all(LABELS[frame] == "kitchen" for frame in first.frames)
    assert inside(first.areas[0], 2.0, 0.5)
    assert inside(second.areas[0], 7.0, 3.0)
    assert not inside(second.areas[0], 2.0, 0.5)
    (door,) = plans.doorways
    assert door.rooms == ("0_r0", "0_r1")
    assert len(door.crossings) == 2
    assert door.position == pytest.approx((4.0, sum(DOOR) / 2), abs=0.1)
    assert door.width == pytest.approx(DOOR[1] - DOOR[0], abs=0.21)  # a cell on each side
    assert door.heading_deg == pytest.approx(0.0, abs=10.0)
    for before, after in door.crossings:
        assert LABELS[before] != LABELS[after]


def test_rooms_of_one_label_apart_are_two_and_a_room_visited_twice_is_one():
    where = {point.frame: point.position[0] for point in HOUSE.points}
    labels = {f: "hall" if 3.0 < x < 5.0 else "bedroom" for f, x in where.items()}
    found = draw_floor_plans(HOUSE.scene, WALKS, labels)
    assert sorted(room.label for room in found.rooms) == ["bedroom", "bedroom", "hall"]
    borders = [door for door in found.doorways if door.width is None]
    assert sorted(len(door.crossings) for door in borders) == [2, 2]


def test_without_labels_or_walks_there_are_no_rooms():
    found = draw_floor_plans(HOUSE.scene, WALKS, {})
    assert len(found.plans) == 1
    assert found.rooms == ()
    (door,) = found.doorways
    assert door.rooms == (None, None)
    assert len(door.crossings) == 2
    assert [finding.code for finding in found.findings] == ["rooms.unknown"]
    found = draw_floor_plans(HOUSE.scene, [], LABELS)
    assert found.plans == ()
    assert [finding.code for finding in found.findings] == ["floor.no_walk"]


def test_a_short_stay_is_no_room():
    labels = {frame: "kitchen" for frame in LABELS} | {HOUSE.points[27].frame: "bathroom"}
    found = draw_floor_plans(HOUSE.scene, WALKS, labels)
    assert [room.label for room in found.rooms] == ["kitchen"]
    assert [finding.code for finding in found.findings] == ["rooms.short_stay"]
    shorter = FloorPlanOptions(rooms=RoomOptions(min_frames=1))
    labels_of = {room.label for room in draw_floor_plans(HOUSE.scene, WALKS, labels, shorter).rooms}
    assert labels_of == {"kitchen", "bathroom"}


def test_the_plan_turns_with_the_world(plans):
    house = make_house()
    turned = _turn(90.0)
    model = house.scene.models[0]
    poses = {
        f: replace(p, rotation=turned @ p.rotation, translation=turned @ p.translation)
        for f, p in model.world_from_cam.items()
    }
    model = replace(model, world_from_cam=poses, tracks=replace(model.tracks, xyz=model.tracks.xyz @ turned.T))
    scene = replace(house.scene, models=(model,))
    found = draw_floor_plans(scene, build_trajectories(scene)[0], LABELS)
    assert found.plans[0].free_area == pytest.approx(plans.plans[0].free_area, rel=0.02)
    assert [room.frames for room in found.rooms] == [room.frames for room in plans.rooms]
    x, y = found.doorways[0].position
    assert (y, -x) == pytest.approx(plans.doorways[0].position, abs=1e-6)


def test_absurd_grids_and_options_are_refused():
    with pytest.raises(TrajectoryError, match="Try a larger cell_m"):
        sketch_floor(HOUSE.scene.models[0], WALKS, FloorOptions(cell_m=0.001))
    with pytest.raises(TrajectoryError, match="floor options"):
        FloorOptions(cell_m=0)
    with pytest.raises(TrajectoryError, match="min_frames 0"):
        RoomOptions(min_frames=0)


def _turn(angle_deg: float) -> Array:
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
