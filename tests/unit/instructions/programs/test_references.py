"""Reference programs on a world worked out by hand, and laws that hold for all of them."""

from __future__ import annotations

from dataclasses import replace
from math import cos, radians, sin

import numpy as np
import pytest

from instructions.questions.core.world import Given, ProgramCamera, ProgramScene, ProgramThing
from instructions.questions.sets.judging import SET_TYPES, analyse, read_category
from instructions.records import Obb, Vec3
from recon.geometry import Pose
from tests.support.cases import each_case

UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def vec3(values) -> Vec3:
    x, y, z = (float(value) for value in values)
    return x, y, z


def thing(name: str, center, sides=(1.0, 0.6, 0.8), appear=(1,), category: str | None = None) -> ProgramThing:
    half = vec3([side / 2 for side in sides])
    return ProgramThing(name, category or name, Obb(vec3(center), half, UPRIGHT), appear)


def camera(frame: int, position, toward) -> ProgramCamera:
    forward = np.array(toward, float) / np.linalg.norm(toward)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right = right / np.linalg.norm(right)
    return ProgramCamera.of(
        frame, Pose(np.column_stack([right, np.cross(forward, right), forward]), np.array(position, float))
    )


SCENE = ProgramScene(
    {
        one.id: one
        for one in (
            thing("sofa", (0, 0, 0.4), (2.0, 0.9, 0.8), (1, 2)),
            thing("lamp", (4, 0, 0.75), (0.3, 0.3, 1.5), (2, 3)),
            thing("desk", (4, 3, 0.35), (1.4, 0.7, 0.7), (3,)),
            thing("picture", (0, -3, 1.6), (0.8, 0.05, 0.6), (4,)),
            thing("stool 1", (2, 0, 0.25), (0.4, 0.4, 0.5), (1, 2), "stool"),
            thing("stool 2", (8, 0, 0.25), (0.4, 0.4, 0.5), (5,), "stool"),
        )
    },
    tuple(
        camera(frame, position, toward)
        for frame, position, toward in (
            (1, (-3, 0, 1.5), (1, 0, -0.2)),
            (2, (-2, 0, 1.5), (1, 0, -0.2)),
            (3, (0, 2, 1.5), (1, 0, -0.2)),
            (4, (0, 0, 1.5), (0, -1, 0)),
        )
    ),
    floor_area=20.0,
    rooms=("living room", "hall", "living room"),
    path=((0.0, 0.0, 1.5), (3.0, 0.0, 1.6), (3.0, 4.0, 1.5)),
    path_frames=(1, 3, 4),
)  # fmt: skip
KNOWN = (
    ("size_estimation", ("lamp",), Given(side="height"), 1.5),
    ("size_estimation", ("sofa",), Given(side="length"), 2.0),
    ("size_estimation", ("sofa",), Given(side="width"), 0.9),
    ("size_estimation", ("lamp",), Given(side="longest"), 1.5),
    ("vsi_object_size", ("sofa",), Given(side="longest"), 200.0),
    ("size_comparison", ("sofa", "lamp"), Given(side="height", word="greater"), "lamp"),
    ("size_comparison", ("sofa", "lamp"), Given(side="length", word="smaller"), "lamp"),
    ("volume_estimation", ("sofa",), Given(), 1.44),
    ("volume_comparison", ("lamp", "desk", "sofa"), Given(word="largest"), "sofa"),
    ("height_determination", ("picture", "lamp", "sofa"), Given(word="tallest"), "lamp"),
    ("above", ("picture", "sofa"), Given(), True),
    ("above", ("lamp", "sofa"), Given(), False),
    ("below", ("sofa", "picture"), Given(), True),
    ("high_and_low", ("picture", "lamp"), Given(word="higher"), "picture"),
    ("high_and_low", ("picture", "lamp"), Given(word="lower"), "lamp"),
    ("facing_complex", ("sofa", "lamp", "desk"), Given(), "front-left"),
    ("facing_complex", ("stool 1", "sofa", "desk"), Given(), "back-right"),
    ("facing_simple", ("sofa", "desk", "lamp"), Given(word="left_right"), "right"),
    ("facing_simple", ("lamp", "sofa", "stool 2"), Given(word="front_back"), "back"),
    ("vsi_direction_medium", ("lamp", "sofa", "stool 2"), Given(), "back"),
    ("vsi_direction_medium", ("sofa", "lamp", "desk"), Given(), "left"),
    ("vsi_route_plan", ("sofa", "picture", "lamp", "desk"), Given(), "turn left, then turn left"),
    ("absolute_distance", ("sofa", "stool 1"), Given(sense="nearest"), 0.8),
    ("absolute_distance", ("lamp", "desk"), Given(sense="center"), 3.0266),
    ("relative_distance", ("sofa", "lamp", "desk", "stool 1"), Given(word="nearest"), "stool 1"),
    ("relative_distance", ("sofa", "lamp", "desk", "stool 1"), Given(word="furthest"), "desk"),
    ("nearby", ("sofa", "stool 1", "lamp", "desk"), Given(within_m=4.5), ("lamp", "stool 1")),
    ("in_between", ("stool 1", "sofa", "lamp"), Given(), True),
    ("in_between", ("desk", "sofa", "lamp"), Given(), False),
    ("counting", (), Given(category="stool"), 1.0),
    ("camera_distance_absolute", ("sofa",), Given(), (9 + 1.1**2) ** 0.5),
    ("camera_distance_relative", ("sofa", "lamp"), Given(word="nearer"), "sofa"),
    ("camera_direction_complex", ("desk", "sofa"), Given(), "back-left"),
    ("camera_direction_simple", ("sofa", "desk"), Given(word="left_right"), "right"),
    ("in_same", ("sofa", "lamp"), Given(), True),
    ("in_same", ("sofa", "picture"), Given(), False),
    ("appearance_order", ("picture", "desk", "sofa"), Given(), ("sofa", "desk", "picture")),
    ("temporal_sequence", ("picture", "lamp"), Given(word="first"), "lamp"),
    ("in_frame", ("lamp", "sofa", "desk"), Given(), ("sofa",)),
    ("vsi_room_size", (), Given(), 20.0),
    ("path_length", (), Given(), 7.0),
    ("room_transitions", (), Given(), 2.0),
    ("seen_from", ("sofa", "lamp", "desk"), Given(), True),
    ("seen_from", ("stool 1", "sofa", "desk"), Given(), False),
    ("walk_between", ("sofa", "desk"), Given(), 3.0),
    ("walk_between", ("picture", "sofa"), Given(), 7.0),
    ("walk_straight", (), Given(), 5.0),
    ("walk_turned", (), Given(word="left_right"), "right"),
    ("walk_turned_between", ("desk", "picture"), Given(word="left_right"), "right"),
    ("walk_closest", ("sofa", "desk", "picture"), Given(word="nearest"), "sofa"),
    ("walk_nearest_at", ("sofa", "desk", "picture"), Given(word="start"), "sofa"),
    ("walk_nearest_at", ("stool 1", "lamp", "picture"), Given(word="end"), "stool 1"),
    ("walk_side_at", ("desk",), Given(word="start"), "left"),
    ("walk_side_at", ("desk",), Given(word="end"), "left"),
    ("walk_quadrant_at", ("desk",), Given(word="end"), "back-left"),
    ("walk_approach", ("sofa",), Given(), True),
    ("walk_approach", ("stool 2",), Given(), True),
    ("walk_pass_side", ("lamp",), Given(word="left_right"), "right"),
)  # fmt: skip


@each_case(("kind", "ids", "given", "want"), KNOWN)
def test_reference_says_what_was_worked_out_by_hand(kind, ids, given, want):
    value = analyse(kind, ids, SCENE, given)
    assert value == (pytest.approx(want, abs=1e-3) if isinstance(want, float) else want)


def test_every_type_has_a_reference_and_no_other():
    assert all(kind.reference is not None and kind.judge is not None for kind in SET_TYPES.values())
    assert len([kind for kind in SET_TYPES.values() if "image" in kind.media and kind.name != "in_between"]) == 17
    assert len([kind for kind in SET_TYPES.values() if "video" in kind.media]) == 16 + 3 + 11
    assert len([kind for kind in SET_TYPES.values() if "vsi" in kind.media]) == 10


def moved(scene: ProgramScene, turn_deg: float, shift, mirror: bool = False, scale: float = 1.0) -> ProgramScene:
    c, s = cos(radians(turn_deg)), sin(radians(turn_deg))
    matrix = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.diag([1.0, -1.0 if mirror else 1.0, 1.0])

    def point(p):
        return vec3(scale * (matrix @ np.array(p)) + shift)

    def box(obb: Obb) -> Obb:
        axes = matrix @ np.array(obb.rotation)
        if mirror:
            axes[:, 1] *= -1  # a box has no handedness of its own
        return Obb(
            point(obb.center), vec3(scale * np.array(obb.half_extents)), (vec3(axes[0]), vec3(axes[1]), vec3(axes[2]))
        )

    things = {name: replace(one, obb=box(one.obb)) for name, one in scene.things.items()}
    cameras = tuple(
        replace(one, position=point(one.position), forward=tuple(matrix @ np.array(one.forward)),
                right=tuple((-1 if mirror else 1) * (matrix @ np.array(one.right))))
        for one in scene.cameras
    )  # fmt: skip
    return replace(scene, things=things, cameras=cameras, path=tuple(point(p) for p in scene.path))


def same(a, b) -> bool:
    return a == pytest.approx(b, rel=1e-6) if isinstance(a, float) else a == b


@each_case(("kind", "ids", "given", "want"), KNOWN)
def test_a_world_that_is_turned_mirrored_or_larger_changes_what_it_must(kind, ids, given, want):
    value = analyse(kind, ids, SCENE, given)
    assert same(value, analyse(kind, ids, moved(SCENE, 37.0, np.array([3.0, -2.0, 0.0])), given))
    backwards = replace(SCENE, things=dict(list(SCENE.things.items())[::-1]))
    assert same(value, analyse(kind, ids, backwards, given))
    mirrored = analyse(kind, ids, moved(SCENE, 0.0, np.zeros(3), mirror=True), given)
    if SET_TYPES[kind].form == "label" and isinstance(value, str):
        words = value.replace("left", "#").replace("right", "left").replace("#", "right")
        assert mirrored == words or value in ("front", "back")
    else:
        assert same(value, mirrored)
    wider = replace(given, within_m=1.25 * given.within_m)
    larger = analyse(kind, ids, moved(SCENE, 0.0, np.zeros(3), scale=1.25), wider)
    power = {"m": 1, "cm": 1, "m3": 3}.get(SET_TYPES[kind].unit, 0)
    assert same(value * 1.25**power if isinstance(value, float) else value, larger)


def test_bad_input_is_told():
    for kind, ids, scene, given, told in (
        ("warmth", ["sofa"], SCENE, Given(), "no type"),
        ("above", ["sofa"], SCENE, Given(), "needs 2 to 2"),
        ("above", ["sofa", "ghost"], SCENE, Given(), "no thing ghost"),
        ("temporal_sequence", ["sofa", "stool 2"], SCENE, Given(word="first"), "no view shows"),
        ("vsi_room_size", [], replace(SCENE, floor_area=None), Given(), "no room"),
    ):
        with pytest.raises(ValueError, match=told):
            analyse(kind, ids, scene, given)


@each_case(
    ("text", "medium", "want"),
    [
        ("object_abs_distance", None, "absolute_distance"),
        ("object_abs_distance", "vsi", "vsi_absolute_distance"),
        ("object_distence_camera_rel", None, "camera_distance_relative"),
        ("High_and_low_position", None, "high_and_low"),
        ("object_rel_direction_hard", "vsi", "vsi_direction_hard"),
        ("Obj Appearance Order", "vsi", "vsi_appearance_order"),
        ("size_estimation_image", None, "size_estimation"),
        ("smell", None, None),
    ],
)
def test_categories_of_released_files_are_read(text, medium, want):
    assert read_category(text, medium) == want
