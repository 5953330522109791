"""Things with names without a depth network: noisy detections of the made apartment, placed by its tracks alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.perception.interfaces import LandmarkResult
from instructions.perception.things.named_landmarks import add_landmarks, find_named_things
from instructions.perception.things.objects import ObjectOptions
from instructions.records import Obb, Observation, SceneObject
from recon.records import SceneModel, Tracks
from roomtour.trial.rendered import RenderedTour, View
from tests.support.judges.truth_score import score_objects
from tests.support.worlds.noisy_detector import Noise, frames_of, look, model_of

TOUR = RenderedTour()
POINTS_PER_VIEW = 100
REACH = 2


@pytest.fixture(scope="module")
def views() -> list[View]:
    return TOUR.views(np.arange(0.0, 74.0, 0.5))


def tracked(views: list[View]) -> SceneModel:
    """The true poses with true tracks that neighbouring views share, where nothing stands before them."""
    rng = np.random.default_rng(3)
    points, seen = [], []
    for number, view in enumerate(views):
        rows, columns = (rng.integers(0, size, POINTS_PER_VIEW) for size in view.depth.shape)
        xy = np.column_stack([columns, rows]) * TOUR.step_px + 0.5
        xyz = view.world_from_cam @ (TOUR.camera.rays(xy) * view.depth[rows, columns, None].astype(np.float64))
        first = sum(len(part) for part in points)
        points.append(xyz)
        for other in views[max(0, number - REACH) : number + REACH + 1]:
            cam = other.world_from_cam.inverse() @ xyz
            pixels = TOUR.camera.project(cam)
            inside = np.flatnonzero(TOUR.camera.is_inside(pixels))
            at = (pixels[inside] / TOUR.step_px).astype(np.int64)
            open_ = cam[inside, 2] < 1.03 * other.depth[at[:, 1], at[:, 0]]
            for row in inside[open_]:
                seen.append((other.frame, first + int(row), *pixels[row]))
    seen.sort()
    xyz = np.concatenate(points)
    tracks = Tracks(
        xyz=xyz, rgb=np.full((len(xyz), 3), 128, np.uint8), error_px=np.full(len(xyz), 0.3),
        obs_point=np.array([one[1] for one in seen]), obs_frame=np.array([one[0] for one in seen]),
        obs_xy=np.array([one[2:] for one in seen]),
    )  # fmt: skip
    return replace(model_of(TOUR, views), tracks=tracks)


def test_things_of_the_apartment_are_placed_by_tracks(views, tmp_path):
    seen = look(TOUR, views, tmp_path, Noise())
    found = find_named_things(
        tracked(views), seen.results, lambda frame: None, None, frames_of(TOUR, views), ObjectOptions()
    )
    score = score_objects(TOUR, found.objects, seen.shown, least_frames=10)
    assert score.wanted > 40
    assert score.recall >= 0.65, score
    assert score.precision >= 0.8, score
    assert score.center_error_m <= 0.3, score


def thing(name: str, x: float, points: tuple[int, ...], category: str | None) -> SceneObject:
    box = Obb((x, 0.0, 0.5), (0.5, 0.5, 0.5), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    alias = category or "red object"
    return SceneObject(name, "0", category, alias, "red", None, box, points, (1,), True, "made")


def seen(name: str) -> Observation:
    return Observation(1, name, (0.0, 0.0, 9.0, 9.0), 1.0, 1.0, 2.0, ("left",), ("near",))


def test_a_landmark_inside_a_named_thing_is_that_thing_and_others_stay(views):
    model = tracked(views[:3])
    xyz = model.tracks.xyz.copy()
    xyz[:10] = np.linspace((-0.5, -0.5, 0.1), (0.5, 0.5, 0.9), 10)
    xyz[10:20] = xyz[:10] + np.array([3.0, 0.0, 0.0])
    xyz[20:30] = xyz[:10] + np.array([0.8, 0.0, 0.0])  # less than half of it reaches into the sofa
    model = replace(model, tracks=replace(model.tracks, xyz=xyz))
    named = LandmarkResult((thing("0_0", 0.0, (), "sofa"),), (seen("0_0"),))
    old = [thing(f"0_{n}", 3.0, tuple(range(10 * n, 10 * n + 10)), None) for n in range(3)]
    both = add_landmarks(named, LandmarkResult(tuple(old), tuple(seen(one.id) for one in old)), model)
    assert [(one.id, one.alias) for one in both.objects] == [
        ("0_0", "sofa"),
        ("0_1", "red object"),
        ("0_2", "red object"),
    ]
    assert [one.points[0] for one in both.objects[1:]] == [10, 20]
    assert [one.object for one in both.observations] == ["0_0", "0_1", "0_2"]
