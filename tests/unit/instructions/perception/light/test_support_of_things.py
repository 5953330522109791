"""What holds a thing, by its height above the floor and what it is."""

from __future__ import annotations

import numpy as np

from instructions.perception.things.lift import Lifted
from instructions.perception.things.support import find_support, find_what_it_rests_on
from instructions.records import Detection, Obb, SceneObject, Support
from recon.geometry import Camera, Pose
from recon.records import Scale, SceneModel, Tracks
from tests.support.cases import each_case

CAMERA = Camera("PINHOLE", 400, 400, (200.0, 200.0, 200.0, 200.0))
LEVEL = Pose(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]), np.array([0.0, 0.0, 1.0]))
"""Looks along y from a metre above the floor."""
NO_POINTS = Tracks(
    np.zeros((0, 3)), np.zeros((0, 3), np.uint8), np.zeros(0), np.zeros(0, int), np.zeros(0, int), np.zeros((0, 2))
)


def find(word: str, bottom_m: float, *, count: int = 2, floor_z: float | None = 0.0):
    """What holds a thing 2 m ahead whose boxes end at that height."""
    low = 200.0 + 100.0 * (1.0 - bottom_m)
    rows = [Detection(frame, word, 0.8, (150.0, 50.0, 250.0, low), (), (), None) for frame in range(count)]
    members = [Lifted(frame, frame, word, 0.8, np.zeros((1, 3)), 2.0) for frame in range(count)]
    scale = Scale("assumed", 1.0, 0.15, "prior")
    poses = dict.fromkeys(range(count), LEVEL)
    return find_support(word, members, rows, SceneModel("0", CAMERA, poses, NO_POINTS, scale, floor_z, "made", 0.3))


@each_case(
    ("word", "bottom_m", "held"),
    [
        ("cabinet", 0.14, "floor"),
        ("cabinet", 0.16, None),
        ("picture", 0.14, "floor"),
        ("picture", 0.34, None),  # legs and feet are often lost
        ("picture", 0.36, "wall"),
        ("screen", 1.2, None),  # a wall, or what it stands on
        ("picture", -0.98, None),  # cut by the picture's border
    ],
)
def test_height_and_kind_tell_what_holds_a_thing(word: str, bottom_m: float, held: str | None):
    assert find(word, bottom_m) == held


def test_heights_need_a_floor_and_two_views():
    assert find("picture", 0.8, count=1) is None
    assert find("picture", 0.8, floor_z=None) is None


def thing(
    name: str, category: str, center: tuple[float, float, float], half: tuple[float, float, float], held: Support | None
) -> SceneObject:
    box = Obb(center, half, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    return SceneObject(name, "0", category, category, None, None, box, (), (1,), False, "made", support=held)


TABLE = thing("0_0", "table", (0.0, 0.0, 0.375), (0.8, 0.4, 0.375), "floor")


@each_case(
    ("center", "held", "rests_on"),
    [
        ((0.3, 0.1, 0.9), None, "0_0"),
        ((0.3, 0.1, 1.2), None, None),  # a third of a metre above its top
        ((1.2, 0.1, 0.9), None, None),  # beside it
        ((0.3, 0.1, 0.9), "wall", None),
    ],
)
def test_a_thing_over_the_top_of_another_rests_on_it(center, held: Support | None, rests_on: str | None):
    laptop = thing("0_1", "laptop", center, (0.15, 0.1, 0.1), held)
    table, found = find_what_it_rests_on([TABLE, laptop], 1.0)
    assert table == TABLE
    assert found.rests_on == rests_on
    assert found.support == ("thing" if rests_on else held)
