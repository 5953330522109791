"""Detections of many frames become the things of the made apartment, whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.facts.placing import DepthMap
from instructions.perception.frames.model_depth import depth_in_model
from instructions.perception.frames.results import DEPTH_STEP_PX
from instructions.perception.things.join import join_detections
from instructions.perception.things.lift import Lifted, lift
from instructions.perception.things.objects import ObjectOptions, find_objects
from recon.geometry import Camera, Pose
from tests.support.judges.truth_score import score_objects
from tests.support.worlds.apartment_views import RenderedTour
from tests.support.worlds.noisy_detector import Noise, Seen, frames_of, look, model_of

TOUR = RenderedTour()


@pytest.fixture(scope="module")
def views():
    return TOUR.views(np.arange(0.0, 74.0, 1.0))


def find_in(model, seen: Seen, views, rooms=None):
    def depth_of(frame):
        raw = seen.results.raw_depth(frame)
        return None if raw is None else depth_in_model(model, frame, raw, DEPTH_STEP_PX, is_metric=True)

    return find_objects(model, seen.results, depth_of, None, frames_of(TOUR, views), rooms or {}, ObjectOptions())


def test_things_of_the_apartment_are_found_where_they_are(views, tmp_path):
    seen = look(TOUR, views, tmp_path, Noise())
    score = score_objects(TOUR, find_in(model_of(TOUR, views), seen, views).objects, seen.shown)
    assert score.wanted > 40
    assert score.recall >= 0.9, score
    assert score.precision >= 0.85, score
    assert score.center_error_m <= 0.3, score


def test_a_model_without_scale_gives_the_same_things(views, tmp_path):
    """Depth is tied to the tracks, so the unit of the model does not matter."""
    seen = look(TOUR, views[:40], tmp_path, Noise())
    in_metres = find_in(model_of(TOUR, views[:40]), seen, views[:40])
    in_units = find_in(model_of(TOUR, views[:40], unit_m=2.0), seen, views[:40])
    assert len(in_units.objects) == pytest.approx(len(in_metres.objects), rel=0.15)
    assert in_units.observations[0].depth == pytest.approx(in_metres.observations[0].depth / 2.0, rel=0.02)


def test_observations_keep_what_the_detector_said(views, tmp_path):
    seen = look(TOUR, views[:30], tmp_path, Noise(), masks=True)
    found = find_in(model_of(TOUR, views[:30]), seen, views[:30], {view.frame: view.room for view in views})
    by_id = {thing.id: thing for thing in found.objects}
    assert len({(one.frame, one.object) for one in found.observations}) == len(found.observations)
    for one in found.observations:
        assert one.frame in by_id[one.object].frames
        assert one.box_xyxy in [box.box_xyxy for box in seen.results.boxes(one.frame)]
        assert one.mask is not None
        assert one.depth_stats is not None
        assert one.depth_stats.near <= one.depth_stats.median <= one.depth_stats.far
        assert 0.0 <= one.visible_fraction <= 1.0
        assert one.label
    assert {thing.source for thing in found.objects} == {"noisy-boxes@1"}
    true_rooms = {room["label"] for room in TOUR.truth["rooms"]}
    assert {thing.room for thing in found.objects} <= true_rooms


def test_without_depth_nothing_is_joined_and_that_is_told(views, tmp_path):
    seen = look(TOUR, views[:5], tmp_path, Noise())
    frames = frames_of(TOUR, views[:5])
    found = find_objects(model_of(TOUR, views[:5]), seen.results, lambda frame: None, None, frames, {})
    assert found.objects == ()
    assert {finding.code for finding in found.findings} == {"objects.no_depth", "objects.none"}


def at(row: int, frame: int, x: float, category: str = "chair", score: float = 0.5) -> Lifted:
    """A detection of a half-metre cube."""
    points = np.random.default_rng(row).uniform(-0.25, 0.25, (60, 3)) + np.array([x, 0.0, 0.5])
    return Lifted(row, frame, category, score, points, 2.0)


def test_two_chairs_side_by_side_stay_two():
    """They overlap in the world as far as depth can tell, but single frames show both."""
    both = [at(2 * frame + side, frame, 0.35 * side) for frame in range(80) for side in (0, 1)]
    joined = join_detections(both, 1.0)
    assert [len(thing.members) for thing in joined] == [80, 80]
    alternating = [at(frame, frame, 0.35 * (frame % 2)) for frame in range(12)]
    assert len(join_detections(alternating, 1.0)) == 1, "never seen together, that near they are one"


def test_one_thing_with_two_names_gets_the_surer_name():
    seen = [
        at(frame, frame, 0.0, "chair" if frame % 3 else "armchair", 0.4 if frame % 3 else 0.9) for frame in range(9)
    ]
    (thing,) = join_detections(seen, 1.0)
    assert thing.category == "armchair"
    assert len(thing.frames) == 9


def test_a_vase_on_a_table_is_no_table():
    vase = [replace_points(at(frame, frame, 0.0, "vase"), 0.2) for frame in range(5)]
    table = [replace_points(at(10 + frame, frame, 0.0, "table"), 3.0) for frame in range(5)]
    assert sorted(thing.category for thing in join_detections([*vase, *table], 1.0)) == ["table", "vase"]


def replace_points(one: Lifted, factor: float) -> Lifted:
    return replace(one, points=(one.points - one.points.mean(axis=0)) * factor + one.points.mean(axis=0))


def test_joining_does_not_depend_on_the_order_or_the_unit():
    seen = [at(row, row % 7, 0.8 * (row % 4)) for row in range(28)]
    groups = {tuple(sorted(one.row for one in thing.members)) for thing in join_detections(seen, 1.0)}
    shuffled = [seen[row] for row in np.random.default_rng(0).permutation(28)]
    assert {tuple(sorted(one.row for one in thing.members)) for thing in join_detections(shuffled, 1.0)} == groups
    halved = [replace(one, points=one.points / 2, distance=one.distance / 2) for one in seen]
    assert {tuple(sorted(one.row for one in thing.members)) for thing in join_detections(halved, 0.5)} == groups


def test_lifting_takes_the_thing_and_not_the_wall_behind_it():
    camera = Camera("PINHOLE", 80, 60, (60.0, 60.0, 40.0, 30.0))
    depth = np.full((15, 20), 4.0, dtype=np.float32)
    depth[3:12, 6:14] = 2.0  # the thing, before a wall at 4 m
    depth[0, :] = np.nan
    lifted = lift(0, 1, "chair", 0.5, (16.0, 4.0, 64.0, 56.0), None, DepthMap(depth, 4), camera, Pose.identity())
    assert lifted is not None
    np.testing.assert_allclose(lifted.points[:, 2], 2.0)
    assert lifted.distance == pytest.approx(2.0)
    np.testing.assert_allclose(camera.project(lifted.points[:1]) % 4, [[0.5, 0.5]], atol=1e-6)
