"""Lifting by tracks, joining of doubles, and what a thing can be: each on made points and boxes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.perception.frames.segments import SegmentMap
from instructions.perception.models.light.labels import head_of, network_names
from instructions.perception.things.join import Joined, join_detections, join_doubles
from instructions.perception.things.lift import Lifted
from instructions.perception.things.track_lift import TrackLifter
from instructions.records import Box, Detection
from recon.geometry import Camera, Pose
from recon.records import Scale, SceneModel, Tracks
from tests.support.cases import each_case

CAMERA = Camera("PINHOLE", 640, 480, (500.0, 500.0, 320.0, 240.0))
LOOK = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""Along the world's x axis: the camera's right is -y, its down -z."""
POSES = {frame: Pose(LOOK, np.array([0.0, 0.1 * frame, 1.5])) for frame in range(1, 6)}
ADE = {name: number for number, name in enumerate(network_names()["ade"])}


def detection(label: str, box: Box, frame: int = 3, score: float = 0.8) -> Detection:
    return Detection(frame, label, score, box, (), (), None)


def plane(x: float, y: tuple[float, float], z: tuple[float, float], count: int = 6) -> np.ndarray:
    """Points on a wall square to the view."""
    ys, zs = np.meshgrid(np.linspace(*y, count), np.linspace(*z, count))
    return np.column_stack([np.full(ys.size, x), ys.ravel(), zs.ravel()])


def model_of(xyz: np.ndarray, status: str = "metric") -> SceneModel:
    """Every frame sees every point that lies in its picture."""
    seen = []
    for frame, pose in POSES.items():
        pixels = CAMERA.project(pose.inverse() @ xyz)
        seen += [(frame, int(row), *pixels[row]) for row in np.flatnonzero(CAMERA.is_inside(pixels))]
    tracks = Tracks(
        xyz, np.zeros((len(xyz), 3), np.uint8), np.zeros(len(xyz)),
        np.array([one[1] for one in seen]), np.array([one[0] for one in seen]), np.array([one[2:] for one in seen]),
    )  # fmt: skip
    scale = Scale("metric", 1.0, 0.02, "truth") if status == "metric" else Scale("relative", 1.0, 1.0, "none")
    return SceneModel("0", CAMERA, POSES, tracks, scale, 0.0, "truth", 0.3)


def box_of(points: np.ndarray, frame: int = 3) -> Box:
    pixels = CAMERA.project(POSES[frame].inverse() @ points)
    (x0, y0), (x1, y1) = pixels.min(axis=0), pixels.max(axis=0)
    return float(x0) - 1, float(y0) - 1, float(x1) + 1, float(y1) + 1


CHAIR, WALL = plane(2.0, (0.0, 0.5), (0.4, 1.2)), plane(4.0, (-1.5, 2.0), (0.2, 2.4), 12)


def lift(points: np.ndarray, found: Detection, segments: SegmentMap | None = None) -> Lifted | None:
    return TrackLifter(model_of(points)).lift(7, found, segments)


def test_the_thing_is_the_near_layer_not_the_wall_behind_it_nor_a_few_points_before_it():
    lifted = lift(np.concatenate([CHAIR, WALL]), detection("armchair", box_of(CHAIR)))
    assert lifted is not None
    assert (lifted.row, lifted.frame, lifted.category) == (7, 3, "chair")  # as all chairs
    assert lifted.distance == pytest.approx(2.0)
    np.testing.assert_allclose(lifted.points[:, 0], 2.0, atol=1e-6)
    assert np.ptp(lifted.points[:, 2]) == pytest.approx(0.8, abs=0.25)
    leaf = plane(1.0, (0.25, 0.3), (0.9, 1.1), 2)
    lifted = lift(np.concatenate([leaf, CHAIR]), detection("chair", box_of(CHAIR)))
    assert lifted is not None
    assert lifted.distance == pytest.approx(2.0)
    assert lift(WALL[:40], detection("chair", (0.0, 470.0, 9.0, 479.0))) is None  # too few


def test_segments_say_which_points_of_the_box_are_the_thing():
    """A sofa before which nearer chair backs stand: with its segment, the sofa is where the sofa is."""
    model = model_of(np.concatenate([CHAIR, WALL]))
    box = box_of(CHAIR)
    classes = np.full((48, 64), ADE["chair"], dtype=np.uint8)
    classes[: int((box[1] + box[3]) / 20)] = ADE["door"]  # the upper half of the box
    segments = SegmentMap(classes, 640, 480)
    lifted = TrackLifter(model).lift(0, detection("door", box), segments)
    assert lifted is not None
    z = lifted.points[:, 2]
    assert z.min() > 0.75
    surfaces = SegmentMap(np.full((48, 64), ADE["wall"], dtype=np.uint8), 640, 480)
    assert TrackLifter(model).lift(0, detection("chair", box), surfaces) is None


def joined(category: str, xyz: np.ndarray, frames: range, first_row: int, score: float = 0.8) -> Joined:
    members = [Lifted(first_row + n, frame, category, score, xyz, 3.0) for n, frame in enumerate(frames)]
    return Joined(category, tuple(members))


def cloud(x: float, count: int = 60) -> np.ndarray:
    return np.random.default_rng(0).uniform((x, 0, 0), (x + 1.8, 0.9, 0.8), (count, 3))


LEFT, RIGHT, MIDDLE = (0.0, 0.0, 100.0, 100.0), (200.0, 0.0, 300.0, 100.0), (20.0, 0.0, 110.0, 100.0)


@each_case(
    ("categories", "shift", "boxes", "count"),
    [
        (("sofa", "sofa"), 0.5, (LEFT, MIDDLE), 1),
        (("sofa", "sofa"), 0.5, (LEFT, RIGHT), 2),  # one frame shows them beside each other
        (("sofa", "sofa"), 1.5, (LEFT, MIDDLE), 2),
        (("sofa", "plant"), 0.3, (LEFT, MIDDLE), 2),
    ],
)
def test_doubles_are_joined(categories, shift, boxes, count):
    things = [
        joined(categories[0], cloud(0.0), range(1, 4), 0, 0.9),
        joined(categories[1], cloud(shift), range(1, 4), 3, 0.4),
    ]
    detections = [detection(categories[0], boxes[0]) for _ in range(3)]
    detections += [detection(categories[1], boxes[1]) for _ in range(3)]
    model = model_of(WALL)
    found = join_doubles(things, detections, model)
    assert join_doubles([], [], model) == []
    assert len(found) == count
    assert sum(len(one.members) for one in found) == 6
    if count == 1:
        assert found[0].category == categories[0]


def block(low: tuple[float, float, float], high: tuple[float, float, float]) -> np.ndarray:
    return np.random.default_rng(0).uniform(low, high, (400, 3))


SOFA = block((3.0, -1.0, 0.0), (3.8, 1.0, 0.8))
APPROACH = {frame: Pose(LOOK, np.array([0.23 * frame - 2.0, 0.9, 1.0])) for frame in range(1, 19)}
"""Until the border of the picture cuts the sofa at its foot and at one side."""


def see(things: list[tuple[np.ndarray, str, range]]) -> tuple[list[Lifted], list[Detection]]:
    """What frames of the approach show of things, by the name that the detector gives them in these frames."""
    lifted: list[Lifted] = []
    detections: list[Detection] = []
    for xyz, label, frames in things:
        for frame in frames:
            local = APPROACH[frame].inverse() @ xyz
            shown = CAMERA.is_inside(CAMERA.project(local))
            (x0, y0), (x1, y1) = (edge(CAMERA.project(local[shown]), axis=0) for edge in (np.min, np.max))
            kind, distance = head_of(label), float(np.median(local[shown, 2]))
            lifted.append(Lifted(len(detections), frame, kind, 0.6, xyz[shown], distance))
            detections.append(detection(label, (float(x0), float(y0), float(x1), float(y1)), frame, 0.6))
    return lifted, detections


@each_case(
    ("others", "count"),
    [
        ([(SOFA, "armchair", range(16, 19))], 1),  # near, and cut by the border
        ([(SOFA, "armchair", range(16, 19)), (SOFA, "bed", range(12, 14))], 1),
        ([(block((3.0, 0.2, 0.4), (3.3, 0.7, 0.8)), "stuffed toy", range(12, 16))], 2),  # lies on it
        ([(block((2.3, -1.0, 0.0), (2.9, -0.3, 0.9)), "armchair", range(8, 13))], 2),  # stands before it
    ],
)
def test_a_thing_that_is_approached_until_the_border_cuts_it_stays_one(others, count):
    model = replace(model_of(SOFA), world_from_cam=APPROACH)
    lifted, detections = see([(SOFA, "sofa", range(1, 12)), *others])
    found = join_doubles(join_detections(lifted, 1.0), detections, model)
    assert len(found) == count
    assert found[0].category == "sofa"


def test_two_things_of_different_names_that_frames_show_together_are_two():
    model = replace(model_of(SOFA), world_from_cam=APPROACH)
    lifted, detections = see([(SOFA, "sofa", range(8, 19)), (SOFA[SOFA[:, 1] > 0.4], "armchair", range(16, 19))])
    assert len(join_doubles(join_detections(lifted, 1.0), detections, model)) == 2
