"""Detections of many frames become things: what is one, what is two, and where it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.facts.placing import DepthMap
from instructions.perception.things.join import join_detections
from instructions.perception.things.lift import Lifted, lift
from recon.geometry import Camera, Pose


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
