"""The camera path of the example, as the renderer knows it: a walk with sway, looks aside and turns on the spot."""

from __future__ import annotations

import numpy as np
import pytest

from recon.conventions import elevation_deg, heading_deg, wrap_deg
from recon.geometry import Pose
from tests.support.paths import APARTMENT_TRUTH
from tests.support.trajectories.made_walks import scene_of
from trajectories.actions import ActionOptions, discrete_actions, replay, start_state
from trajectories.augment import reverse_walk
from trajectories.build import build_trajectories
from trajectories.records import Trajectory, TrajectoryPoint
from trajectories.training import TrainingOptions, cut_for_training, label_balance

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


@pytest.mark.parametrize("turn_deg", [15.0, 30.0])
def test_replay_of_the_walk_and_of_every_piece_ends_where_it_ends(walk: Trajectory, turn_deg: float) -> None:
    sizes = ActionOptions(turn_deg=turn_deg)
    ways = [(discrete_actions(walk, sizes), walk.points[0], walk.points[-1])]
    ways += [
        (list(piece.actions), piece.views[0], piece.views[-1])
        for piece in cut_for_training(walk, TrainingOptions(actions=sizes))[0]
    ]
    back = reverse_walk(walk)
    ways.append((discrete_actions(back, sizes), back.points[0], back.points[-1]))
    assert len(ways) > 4
    for actions, start, goal in ways:
        end = replay(actions, start_state(start), sizes)[-1]
        assert np.hypot(end.x_m - goal.position[0], end.y_m - goal.position[1]) < 0.3
        assert abs(wrap_deg(end.heading_deg - goal.heading_deg)) <= 15.0


def test_not_nearly_all_labels_are_forward(walk: Trajectory) -> None:
    balance = label_balance(cut_for_training(walk)[0])
    shares = {action: count / sum(balance.values()) for action, count in balance.items()}
    assert shares["forward"] < 0.6
    assert min(shares["left"], shares["right"]) > 0.15
