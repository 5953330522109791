"""Sizes out of pictures: a made room with a door, a table and a ceiling, seen by a known camera with true names."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from instructions.perception.frames.results import FrameResults, PassRecord, VisionIndex, open_cache
from instructions.perception.frames.segments import SegmentMap
from instructions.perception.interfaces import FoundBox
from instructions.perception.models.light.labels import ade_words, words
from instructions.perception.sizes.doors import measure_doors
from instructions.perception.sizes.evidence import PictureSizes, find_level, find_top, split_things, witness_of
from instructions.perception.sizes.point_words import name_points, surfaces_of
from recon.geometry import Array, Camera, Pose
from recon.records import CEILING, FLOOR, THING, UNNAMED, WALL, Frame, Scale, SceneModel, SizeWitness, Tracks
from tests.support.cases import each_case

CAMERA = Camera("PINHOLE", 640, 480, (420.0, 420.0, 320.0, 240.0))
ADE = {name: number for number, name in enumerate(ade_words())}
DOOR_X, DOOR_Y, DOOR_HEIGHT, ROOM_HEIGHT = 4.0, (-0.2, 0.65), 2.03, 2.6
TABLE = (2.2, 3.0, -1.9, -0.9, 0.74)
"""x from, x to, y from, y to, height of the top."""


def look(x: float, y: float, height: float, heading_deg: float, roll_deg: float = 0.0, pitch_deg: float = -4.0) -> Pose:
    heading, pitch, roll = np.radians([heading_deg, pitch_deg, roll_deg])
    forward = np.array([np.cos(heading) * np.cos(pitch), np.sin(heading) * np.cos(pitch), np.sin(pitch)])
    right = np.array([np.sin(heading), -np.cos(heading), 0.0])
    level = np.column_stack([right, np.cross(forward, right), forward])
    turn = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    return Pose(level @ turn, np.array([x, y, height]))


def what_is_at(origin: Array, rays: Array) -> tuple[list[str], Array]:
    """Name and place of what each ray (N, 3) from a point meets first."""
    with np.errstate(divide="ignore", invalid="ignore"):
        to_wall = np.where(rays[:, 0] > 0, (DOOR_X - origin[0]) / rays[:, 0], np.inf)
        to_floor = np.where(rays[:, 2] < 0, -origin[2] / rays[:, 2], np.inf)
        to_ceiling = np.where(rays[:, 2] > 0, (ROOM_HEIGHT - origin[2]) / rays[:, 2], np.inf)
        to_table = np.where(rays[:, 2] < 0, (TABLE[4] - origin[2]) / rays[:, 2], np.inf)
    top = origin + rays * np.nan_to_num(to_table, posinf=1e6)[:, None]
    on_table = (top[:, 0] > TABLE[0]) & (top[:, 0] < TABLE[1]) & (top[:, 1] > TABLE[2]) & (top[:, 1] < TABLE[3])
    to_table = np.where(on_table, to_table, np.inf)
    distance = np.minimum.reduce([to_wall, to_floor, to_ceiling, to_table])
    place = origin + rays * np.minimum(distance, 50.0)[:, None]
    in_door = (place[:, 1] > DOOR_Y[0]) & (place[:, 1] < DOOR_Y[1]) & (place[:, 2] < DOOR_HEIGHT)
    names = np.select(
        [distance == to_table, distance == to_floor, distance == to_ceiling, in_door],
        ["table", "floor", "ceiling", "door"],
        "wall",
    )
    return names.tolist(), place


def segments_of(pose: Pose, columns: int = 320, rows: int = 240) -> SegmentMap:
    """True names over a picture."""
    x, y = np.meshgrid((np.arange(columns) + 0.5) * 640 / columns, (np.arange(rows) + 0.5) * 480 / rows)
    rays = CAMERA.rays(np.column_stack([x.ravel(), y.ravel()])) @ pose.rotation.T
    names, _ = what_is_at(pose.center, rays)
    return SegmentMap(np.array([ADE[name] for name in names], np.uint8).reshape(rows, columns), 640, 480)


@each_case("height", [1.1, 1.5, 1.9])
@each_case("roll_deg", [-6.0, 0.0, 6.0])
@each_case(("x", "heading_deg"), [(0.6, 0.0), (0.9, 9.0)])
def test_a_door_is_as_high_as_it_is(height: float, roll_deg: float, x: float, heading_deg: float):
    pose = look(x, 0.0, height, heading_deg, roll_deg, pitch_deg=-7.0)
    (door,) = measure_doors(1, segments_of(pose), CAMERA, pose, 0.0, 1.0)
    assert door.height == pytest.approx(DOOR_HEIGHT, abs=0.04)
    np.testing.assert_allclose(door.place, np.array([DOOR_X, np.mean(DOOR_Y)]), atol=0.1)


def test_a_door_that_is_cut_or_hidden_is_left_out():
    near = look(3.0, 0.0, 1.5, 0.0)  # its upper edge is out of the picture
    assert measure_doors(1, segments_of(near), CAMERA, near, 0.0, 1.0) == []
    pose = look(0.6, 0.0, 1.5, 0.0)
    whole = segments_of(pose)
    hidden = whole.classes.copy()
    hidden[150:, :] = ADE["cabinet"]  # its foot
    assert measure_doors(1, SegmentMap(hidden, 640, 480), CAMERA, pose, 0.0, 1.0) == []
    goes_on = np.where(whole.classes == ADE["wall"], ADE["cabinet"], whole.classes).astype(np.uint8)
    assert measure_doors(1, SegmentMap(goes_on, 640, 480), CAMERA, pose, 0.0, 1.0) == []


def test_a_door_beside_an_object_before_it_keeps_its_height():
    pose = look(0.6, 0.0, 1.5, 0.0)
    classes = segments_of(pose).classes.copy()
    door = np.flatnonzero((classes == ADE["door"]).any(axis=0))
    classes[:, door[-1] - 8 :] = ADE["cabinet"]
    (found,) = measure_doors(1, SegmentMap(classes, 640, 480), CAMERA, pose, 0.0, 1.0)
    assert found.height == pytest.approx(DOOR_HEIGHT, abs=0.04)


def test_levels_and_tops():
    rng = np.random.default_rng(0)
    top, legs = rng.normal(0.74, 0.006, 40), rng.uniform(0.0, 0.7, 25)
    assert find_level(np.concatenate([top, legs]), 0.25, 1.3, 1.0) == pytest.approx(0.74, abs=0.01)
    assert find_level(rng.uniform(0.3, 1.3, 60), 0.25, 1.3, 1.0) is None
    assert find_level(top[:6], 0.25, 1.3, 1.0) is None
    assert find_top(np.concatenate([legs, [0.88] * 6, [3.0]]), 0.5, 1.4, 1.0) == pytest.approx(0.88, abs=0.02)
    assert find_top(legs, 0.8, 1.4, 1.0) is None
    two = [rng.uniform(low, np.array(low) + 0.8, (40, 3)) for low in ((0, 0, 0), (3, 0, 0))]
    assert sorted(len(thing) for thing in split_things(np.concatenate(two), 1.0)) == [40, 40]
    assert split_things(np.zeros((0, 3)), 1.0) == []


def walk_through(height: float, unit_m: float, folder: Path, every: int = 1) -> tuple[SceneModel, PictureSizes]:
    """A walk towards the door as a model with true names; `unit_m` metres are its unit."""
    rng = np.random.default_rng(3)
    poses = {k: look(0.1 * k, 0.02 * k, height, -14.0 + 2 * k, pitch_deg=-4.0) for k in range(1, 14)}
    pixels = rng.uniform((0, 0), (640, 480), (900, 2))
    _, seeds = what_is_at(poses[6].center, CAMERA.rays(pixels) @ poses[6].rotation.T)
    seen = []
    segments, boxes = open_cache("segments", folder / "segments"), open_cache("boxes", folder / "boxes")
    for frame, pose in poses.items():
        at = CAMERA.project(pose.inverse() @ seeds)
        rays = seeds - pose.center
        _, place = what_is_at(pose.center, rays)
        free = np.linalg.norm(place - seeds, axis=1) < 1e-6
        seen += [(frame, int(row), *at[row]) for row in np.flatnonzero(CAMERA.is_inside(at) & free)]
        if frame % every == 0:
            segments.write(frame, segments_of(pose).classes)
            boxes.write(frame, list[FoundBox]())
    tracks = Tracks(
        seeds / unit_m, np.zeros((900, 3), np.uint8), np.full(900, 0.3),
        np.array([one[1] for one in seen]), np.array([one[0] for one in seen]), np.array([one[2:] for one in seen]),
    )  # fmt: skip
    moved = {frame: Pose(pose.rotation, pose.translation / unit_m) for frame, pose in poses.items()}
    model = SceneModel("0", CAMERA, moved, tracks, Scale("assumed", 1.0, 0.15, "prior"), 0.0, "truth", 0.3)
    kinds = (PassRecord("segments", "truth", "segments"), PassRecord("boxes", "truth", "boxes"))
    frames = [Frame(frame, frame / 3, f"{frame:06d}.jpg", 640, 480, 1.0, 0) for frame in poses]
    return model, PictureSizes(FrameResults(folder, VisionIndex(kinds)), frames)


def test_what_a_walk_shows_is_measured_in_its_unit(subtests, tmp_path: Path):
    for height, unit_m, every in ((1.25, 0.85, 1), (1.75, 1.15, 3)):
        with subtests.test(unit_m=unit_m):
            model, pictures = walk_through(height, unit_m, tmp_path / str(every), every)
            found = {one.name: one.measured for one in pictures.sizes(model)}
            assert np.array(found["door height"]) * unit_m == pytest.approx([DOOR_HEIGHT], abs=0.05)
            assert np.array(found["table height"]) * unit_m == pytest.approx([TABLE[4]], abs=0.02)
            assert np.array(found["ceiling height"]) * unit_m == pytest.approx([ROOM_HEIGHT], abs=0.02)


def test_a_door_counts_in_full_where_two_frames_see_the_same_top(tmp_path: Path):
    def doors(folder: Path, every: int, cut_m: float = 0.0) -> SizeWitness:
        model, pictures = walk_through(1.5, 1.0, folder, every)
        if cut_m:  # the network calls the upper part of the door a wall in the first of two frames
            pose = model.world_from_cam[every]
            row = int(CAMERA.project(pose.inverse() @ np.array([[DOOR_X, 0.2, DOOR_HEIGHT - cut_m]]))[0, 1] / 2)
            classes = segments_of(pose).classes.copy()
            classes[:row][classes[:row] == ADE["door"]] = ADE["wall"]
            open_cache("segments", folder / "segments").write(every, classes)
        return next(size for size in pictures.sizes(model) if size.name == "door height")

    one_frame, two_frames = doors(tmp_path / "one", 7), doors(tmp_path / "two", 6)
    assert one_frame.measured == pytest.approx(two_frames.measured, abs=0.05)
    assert one_frame.trust <= two_frames.trust / 2
    cut = doors(tmp_path / "cut", 6, cut_m=0.5)
    assert cut.trust == one_frame.trust
    assert cut.measured[0] < two_frames.measured[0]


def test_points_know_what_they_lie_on(tmp_path: Path):
    model, pictures = walk_through(1.5, 1.0, tmp_path)
    xyz, surfaces = model.tracks.xyz, pictures.surfaces(model.tracks)
    inside = np.abs(xyz[:, 1] - np.mean(DOOR_Y)) > 0.6  # well beside the door
    assert set(surfaces[(xyz[:, 2] < 1e-6) & (surfaces != UNNAMED)]) == {FLOOR}
    assert set(surfaces[(xyz[:, 2] > ROOM_HEIGHT - 1e-6) & (surfaces != UNNAMED)]) == {CEILING}
    assert set(surfaces[np.isclose(xyz[:, 0], DOOR_X) & inside & (surfaces != UNNAMED)]) <= {WALL}
    assert THING in surfaces[np.isclose(xyz[:, 2], TABLE[4])]
    named = name_points(model.tracks, lambda frame: None)
    assert set(named) == {-1}
    assert set(surfaces_of(named)) == {UNNAMED}


def test_without_names_or_floor_nothing_is_measured(tmp_path: Path):
    model, _ = walk_through(1.5, 1.0, tmp_path)
    nothing = PictureSizes(FrameResults(tmp_path, VisionIndex()), [])
    frames = [Frame(frame, 0.0, "", 640, 480, 1.0, 0) for frame in model.frames]
    assert PictureSizes(FrameResults(tmp_path, VisionIndex()), frames).sizes(model) == []
    assert nothing.sizes(replace(model, floor_z=None)) == []


def test_the_table_of_sizes_is_whole():
    table = files("instructions.perception.sizes") / "expected.toml"
    for name in tomllib.loads(table.read_text(encoding="utf-8")):
        witness = witness_of(name, [1.0])
        assert sum(one.share for one in witness.expected) == pytest.approx(1.0)
        assert all(0.02 <= one.spread <= 0.3 for one in witness.expected)
        assert 0.5 <= witness.trust <= 0.95
    with pytest.raises(KeyError):
        witness_of("plant height", [1.0])
    assert {"table", "sofa", "bed", "cabinet", "chair", "refrigerator", "toilet"} <= set(words())
