"""The camera path of the example, as the renderer knows it: a walk with sway, looks aside and turns on the spot."""

from __future__ import annotations

import numpy as np
import pytest

from recon.conventions import elevation_deg, heading_deg
from recon.geometry import Pose
from tests.support.paths import APARTMENT_TRUTH
from tests.support.trajectories.made_walks import scene_of
from trajectories.build import build_trajectories
from trajectories.records import Trajectory, TrajectoryPoint
from trajectories.training import cut_for_training, label_balance

TRUTH = APARTMENT_TRUTH / "trajectory.tum"
STEP_S = 1 / 3


@pytest.fixture(scope="module")
def walk() -> Trajectory:
    rows = np.loadtxt(TRUTH)
    points, next_s = [], 0.0
    for t, x, y, z, qx, qy, qz, qw in rows:
        if t + 1e-9 >= next_s:
            pose = Pose.from_quat_wxyz([qw, qx, qy, qz], [x, y, z])
            points.append(TrajectoryPoint(len(points) + 1, t, (x, y, z), heading_deg(pose), elevation_deg(pose)))
            next_s = t + STEP_S - 1e-6
    (trajectory,), _ = build_trajectories(scene_of([points], "metric"))
    return trajectory


def test_not_nearly_all_labels_are_forward(walk: Trajectory) -> None:
    balance = label_balance(cut_for_training(walk)[0])
    shares = {action: count / sum(balance.values()) for action, count in balance.items()}
    assert shares["forward"] < 0.6
    assert min(shares["left"], shares["right"]) > 0.15
