from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from recon.conventions import wrap_deg
from tests.support.trajectories.made_walks import Walker, flat_tour, points_of, random_tour, scene_of
from trajectories.actions import ActionOptions, AgentState, discrete_actions, replay, start_state
from trajectories.build import build_trajectories
from trajectories.errors import TrajectoryError
from trajectories.records import Trajectory


def trajectory_of(walker: Walker, fps: float = 3.0) -> Trajectory:
    (trajectory,), _ = build_trajectories(scene_of([points_of(walker, fps)]))
    return trajectory


def test_replayed_actions_end_where_the_walk_ends_and_stay_near_it(subtests):
    for turn_deg in [15.0, 30.0]:
        for number_1, walker in enumerate([flat_tour(), *[random_tour(seed) for seed in range(4)]]):
            with subtests.test(turn_deg=turn_deg, number_1=number_1):
                trajectory, options = trajectory_of(walker), ActionOptions(turn_deg=turn_deg)
                actions = discrete_actions(trajectory, options)
                states = replay(actions, start_state(trajectory.points[0]), options)
                end = trajectory.points[-1]
                assert np.hypot(states[-1].x_m - end.position[0], states[-1].y_m - end.position[1]) < 0.3
                assert abs(wrap_deg(states[-1].heading_deg - end.heading_deg)) <= turn_deg / 2 + 1e-6
                path = np.array([point.position[:2] for point in trajectory.points])
                places = np.array([(state.x_m, state.y_m) for state in states])
                distances = np.linalg.norm(path[:, None] - places[None], axis=-1)
                assert distances.min(axis=1).max() < 0.6
                assert distances.min(axis=0).max() < 0.6
                assert actions[-1] == "stop"
                assert actions.count("stop") == 1


def test_a_straight_walk_is_forward_and_turns_keep_side_and_size(subtests):
    actions = discrete_actions(trajectory_of(Walker(heading_deg=77).walk(3)))
    assert Counter(actions)["forward"] == pytest.approx(12, abs=1)
    assert Counter(actions)["left"] == Counter(actions)["right"]
    for angle in [180, -180, 270, -360]:
        with subtests.test(angle=angle):
            actions = discrete_actions(trajectory_of(Walker().walk(2).wait(1).turn(angle).wait(1).walk(1.5), 5))
            turned = 15 * (actions.count("left") - actions.count("right"))
            assert turned == pytest.approx(angle, abs=16)


def test_replay_by_hand():
    states = replay(["forward", "left", "forward", "right", "stop"], AgentState(1, 2, 75), ActionOptions())
    assert [state.heading_deg for state in states] == [75, 75, 90, 90, 75, 75]
    assert states[3].x_m - states[2].x_m == pytest.approx(0.0)
    assert states[3].y_m - states[2].y_m == pytest.approx(0.25)


def test_no_metres_no_actions():
    trajectory = trajectory_of(Walker().walk(3))
    relative = replace(trajectory, unit="unit", scale_status="relative")
    with pytest.raises(TrajectoryError, match="needs metres, its scale is relative"):
        discrete_actions(relative)
    with pytest.raises(TrajectoryError, match="no points"):
        discrete_actions(replace(trajectory, points=(), view_changes=()))
    with pytest.raises(TrajectoryError, match="turn 0 deg"):
        ActionOptions(turn_deg=0)
