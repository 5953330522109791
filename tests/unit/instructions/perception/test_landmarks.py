from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from instructions.errors import InstructionError
from instructions.perception.landmarks.landmarks import find_landmarks
from instructions.perception.scene_things import interpolate_tracks
from instructions.records import SceneObject
from recon.records import Scale
from tests.support.cases import each_case
from tests.support.worlds.boxworld import Box, World, make_world, move_scene, paint


@pytest.fixture(scope="module")
def world() -> World:
    return make_world()


@pytest.fixture(scope="module")
def landmarks(world):
    return find_landmarks(world.model, None, world.scene.frames, interpolate_tracks(world.model))


def nearest(objects: tuple[SceneObject, ...], box: Box) -> SceneObject:
    return min(objects, key=lambda thing: float(np.linalg.norm(np.array(thing.obb.center) - box.center)))


def test_each_box_is_found_where_it_stands_and_nothing_else_is(world, landmarks):
    assert len(landmarks.objects) == len(world.boxes)
    for box in world.boxes:
        thing = nearest(landmarks.objects, box)
        assert np.abs(np.array(thing.obb.center) - box.center).max() < 0.2, box
        assert 2 * thing.obb.half_extents[2] == pytest.approx(box.size[2], abs=0.2)
        # Seen from one or two sides only, so the unseen depth of a box is not asked for.
        assert 2 * thing.obb.half_extents[0] == pytest.approx(max(box.size[:2]), abs=0.35)


def test_colour_size_and_name(world, landmarks):
    green = nearest(landmarks.objects, world.boxes[1])
    assert (green.color, green.size_word, green.alias) == ("green", "tall", "tall green object")
    assert nearest(landmarks.objects, world.boxes[0]).color == "red"
    assert nearest(landmarks.objects, world.boxes[2]).color == "blue"
    assert nearest(landmarks.objects, world.boxes[3]).color == "yellow"
    assert all(thing.category is None and thing.source == "embedded" for thing in landmarks.objects)


def test_colours_are_measured_in_pictures(world, tmp_path):
    for frame in world.scene.frames:
        cv2.imwrite(str(tmp_path / frame.image), paint(world, frame.index)[:, :, ::-1])
    tracks = replace(world.model.tracks, rgb=np.full_like(world.model.tracks.rgb, 120))
    result = find_landmarks(
        replace(world.model, tracks=tracks),
        tmp_path,
        world.scene.frames,
        interpolate_tracks(replace(world.model, tracks=tracks)),
    )
    colors = [nearest(result.objects, box).color for box in world.boxes]
    assert colors == [box.color for box in world.boxes]


def test_a_missing_picture_is_named(world, tmp_path):
    with pytest.raises(InstructionError, match=r"\.png: frame is missing"):
        find_landmarks(world.model, tmp_path, world.scene.frames, interpolate_tracks(world.model))


@each_case(("turn_deg", "scale"), [(-120.0, 1.0), (20.0, 0.13), (0.0, 6.0)])
def test_names_do_not_depend_on_where_north_is_or_on_the_unit(world, landmarks, turn_deg, scale):
    moved = move_scene(world, turn_deg, (3.0, -2.0), scale)
    if scale != 1.0:
        assert moved.model.scale.status == "relative"
    found = find_landmarks(moved.model, None, moved.scene.frames, interpolate_tracks(moved.model))
    for box, before in zip(moved.boxes, world.boxes, strict=True):
        thing = nearest(found.objects, box)
        assert np.abs(np.array(thing.obb.center) - box.center).max() < 0.3 * scale
        assert thing.color == nearest(landmarks.objects, before).color


def test_two_things_of_one_name_are_ambiguous():
    boxes = (Box("red", 3.0, 1.0, (0.9, 0.6, 0.9)), Box("red", 5.0, -1.0, (0.9, 0.6, 0.9)))
    world = make_world(boxes)
    result = find_landmarks(world.model, None, world.scene.frames, interpolate_tracks(world.model))
    assert [thing.ambiguous for thing in result.objects] == [True, True]


def test_where_nothing_stands_out_it_says_so(world):
    empty = make_world(boxes=())
    result = find_landmarks(empty.model, None, empty.scene.frames, interpolate_tracks(empty.model))
    assert (result.objects, result.observations) == ((), ())
    assert [finding.code for finding in result.findings if finding.severity == "warning"] == ["landmarks.none"]
    nothing = {name: getattr(world.model.tracks, name)[:0] for name in ("xyz", "rgb", "error_px")}
    nothing |= {name: getattr(world.model.tracks, name)[:0] for name in ("obs_point", "obs_frame", "obs_xy")}
    for scale in (world.model.scale, Scale("relative", 1.0, 1.0, "test")):
        model = replace(world.model, tracks=replace(world.model.tracks, **nothing), scale=scale)
        assert find_landmarks(model, None, world.scene.frames, interpolate_tracks(model)).objects == ()


def test_visibility_is_what_the_tracks_saw(world, landmarks):
    tracks = world.model.tracks
    for one in landmarks.observations:
        thing = next(thing for thing in landmarks.objects if thing.id == one.object)
        seen = np.isin(tracks.obs_point[tracks.rows_of_frame(one.frame)], thing.points).sum()
        assert seen >= 5
        assert one.visible_fraction == pytest.approx(seen / len(thing.points))
    for thing in landmarks.objects:
        frames = tuple(one.frame for one in landmarks.observations if one.object == thing.id)
        assert frames == thing.frames
