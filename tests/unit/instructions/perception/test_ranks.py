"""Ranges by learned depth: it covers what no track sees, and gives way where the tracks contradict it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from instructions.facts.placing import DepthMap
from instructions.facts.tracks import track_depth
from instructions.perception.frames.ranks import HeldDepth, rank_things
from instructions.records import Detection, Observation
from recon.geometry import Camera, Pose
from recon.records import Frame, Scale, SceneModel, Tracks
from tests.support.worlds.boxworld import make_world

WIDTH, HEIGHT, STEP = 160, 120, 4
CAMERA = Camera("PINHOLE", WIDTH, HEIGHT, (120.0, 120.0, 80.0, 60.0))
DEPTH = np.tile(np.linspace(1.0, 6.0, WIDTH // STEP, dtype=np.float32), (HEIGHT // STEP, 1))
"""A wall that leads away to the right."""
FRAMES = tuple(Frame(index, float(index), f"{index}.jpg", WIDTH, HEIGHT, 1.0, 0) for index in (1, 2))
NEAR, FAR = (4.0, 20.0, 36.0, 100.0), (130.0, 20.0, 156.0, 100.0)


def make_model() -> SceneModel:
    """Frame 1 has a pose, and tracks on the left half of its picture; lengths are twice those of `DEPTH`."""
    x, y = np.meshgrid(np.arange(6.0, WIDTH / 2, 8.0), np.arange(6.0, HEIGHT, 12.0))
    xy = np.column_stack([x.ravel(), y.ravel()])
    depth = 2.0 * np.interp(xy[:, 0], np.linspace(0.5, WIDTH - 3.5, WIDTH // STEP), DEPTH[0])
    rays = np.column_stack([(xy - [80.0, 60.0]) / 120.0, np.ones(len(xy))])
    count = np.arange(len(xy))
    color, error = np.zeros((len(xy), 3), np.uint8), np.zeros(len(xy))
    tracks = Tracks(depth[:, None] * rays, color, error, count, np.ones(len(xy), np.int64), xy)
    return SceneModel("0", CAMERA, {1: Pose.identity()}, tracks, Scale("relative", 1.0, 1.0, ""), None, "", 0.0)


def rank(learned: np.ndarray):
    boxes = (NEAR, FAR)
    seen = [Observation(1, f"t{n}", box, 1.0, 1.0, 1.0, ("left",), ("closer",)) for n, box in enumerate(boxes)]
    found = [Detection(2, "chair", 0.9, box, ("left",), (), None) for box in boxes]
    model = make_model()
    between = {1: DepthMap(track_depth(model, 1).grid(WIDTH, HEIGHT, STEP), STEP)}
    scene = replace(make_world().scene, frames=FRAMES, models=(model,))
    depth = HeldDepth(scene, between, lambda _: learned, STEP)
    observations, detections, findings = rank_things(seen, found, dict.fromkeys((1, 2), WIDTH), depth)
    return [one.ranges for one in observations], [one.ranges for one in detections], [one.code for one in findings]


def test_learned_depth_ranks_where_no_track_is_and_no_pose():
    assert rank(DEPTH) == ([("near",), ("further",)], [("near",), ("further",)], [])
    assert rank(0.1 * DEPTH) == rank(DEPTH)


def test_where_the_tracks_order_differently_they_are_believed_and_it_is_told():
    observations, detections, codes = rank(DEPTH[:, ::-1].copy())
    assert observations == [("closer",), ("closer",)]  # as it was
    assert detections == [("further",), ("near",)]  # nothing contradicts it there
    assert codes == ["perception.depth_differs"]


def test_depth_is_that_of_the_tracks_and_around_them_the_learned_one_in_their_unit():
    model = make_model()
    scene = replace(make_world().scene, frames=FRAMES, models=(model,))
    between = {1: DepthMap(track_depth(model, 1).grid(WIDTH, HEIGHT, STEP), STEP)}
    depth = HeldDepth(scene, between, lambda _: 5.0 * DEPTH, STEP)
    posed, unposed = depth.of(1), depth.of(2)
    assert posed is not None
    assert unposed is not None
    assert np.allclose(posed.depth, 2.0 * DEPTH, rtol=0.01), "lengths of the model are twice those of the wall"
    assert (posed.is_length, unposed.is_length) == (True, False)
    nothing = {1: replace(between[1], depth=np.full_like(between[1].depth, np.nan))}
    alone = HeldDepth(scene, nothing, lambda _: DEPTH, STEP).of(1)
    assert alone is not None
    assert not alone.is_length, "no track tells how long a metre is"
