"""The nominal metre of a model: 1 with a scale, else a share of the median depth it saw."""

from __future__ import annotations

import numpy as np
import pytest

from recon.geometry import Camera, Pose
from recon.records import MEDIAN_INDOOR_DEPTH_M, Scale, ScaleStatus, SceneModel, Tracks


def made_model(status: ScaleStatus, depths: list[float]) -> SceneModel:
    """Two cameras at the origin that look along +z and see points at these depths, in front and behind."""
    count = len(depths)
    tracks = Tracks(
        np.column_stack([np.zeros((count, 2)), depths]),
        np.zeros((count, 3), np.uint8),
        np.zeros(count),
        np.tile(np.arange(count), 2),
        np.repeat([1, 2], count),
        np.zeros((2 * count, 2)),
    )
    camera = Camera("SIMPLE_PINHOLE", 640, 360, (400.0, 320.0, 180.0))
    poses = {frame: Pose.identity() for frame in (1, 2)}
    return SceneModel("0", camera, poses, tracks, Scale(status, 1.0, 1.0, "made"), None, "made", 0.5)


def test_the_nominal_metre_is_that_of_a_room_where_there_is_no_scale(subtests):
    assert made_model("metric", [7.0]).nominal_metre == 1.0
    assert made_model("assumed", [7.0]).nominal_metre == 1.0
    for unit in [0.1, 1.0, 30.0]:
        with subtests.test(unit=unit):
            depths = [unit * depth for depth in (1.0, MEDIAN_INDOOR_DEPTH_M, 9.0, -4.0)]
            assert made_model("relative", depths).nominal_metre == pytest.approx(unit)
    assert made_model("relative", []).nominal_metre == 1.0
