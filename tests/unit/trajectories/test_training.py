import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.conventions import wrap_deg
from recon.records import ScaleStatus
from tests.support.trajectories.made_walks import Walker, flat_tour, points_of, random_tour, scene_of
from trajectories.actions import ActionOptions, replay, start_state
from trajectories.build import build_trajectories
from trajectories.errors import TrajectoryError
from trajectories.records import Action, Trajectory
from trajectories.training import (
    TrainingOptions,
    choose_balanced_steps,
    cut_for_training,
    floor_distance,
    label_balance,
    resample_by_distance,
)


def walks_of(walker: Walker, fps: float = 3.0, status: ScaleStatus = "assumed") -> list[Trajectory]:
    return build_trajectories(scene_of([points_of(walker, fps)], status))[0]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 50), most=st.integers(4, 20), shared=st.integers(0, 3), fps=st.sampled_from([3.0, 5.0]))
def test_pieces_cover_the_walk_with_views_a_loader_takes(seed, most, shared, fps):
    options = TrainingOptions(max_views=most, shared_views=shared)
    (walk,) = walks_of(random_tour(seed), fps)
    pieces, findings = cut_for_training(walk, options)
    assert findings == []
    assert (pieces[0].frames[0], pieces[-1].frames[-1]) == (walk.frames[0], walk.frames[-1])
    for piece in pieces:
        assert 4 <= len(piece.views) <= most
        assert list(piece.frames) == sorted(set(piece.frames))
        assert set(piece.views) <= set(walk.points)
    for before, after in pairwise(pieces):
        assert len(set(before.frames) & set(after.frames)) >= shared
    lengths = [len(piece.views) for piece in pieces]
    assert max(lengths) == min(lengths)


def test_every_right_view_is_a_view_and_a_choice():
    (walk,) = walks_of(flat_tour())
    pieces, _ = cut_for_training(walk)
    chosen = {decision.positive_frame for decision in walk.decisions}
    assert chosen <= {frame for piece in pieces for frame in piece.frames}
    told = [frame for piece in pieces for frame in piece.choices]
    assert set(told) == chosen - {pieces[0].frames[0]}
    for piece in pieces:
        assert piece.frames[0] not in piece.choices


def test_actions_of_every_piece_end_where_the_piece_ends(subtests):
    for turn_deg in [15.0, 30.0]:
        for number_1, walker in enumerate([flat_tour(), *[random_tour(seed) for seed in range(3)]]):
            with subtests.test(turn_deg=turn_deg, number_1=number_1):
                sizes = ActionOptions(turn_deg=turn_deg)
                (walk,) = walks_of(walker)
                for piece in cut_for_training(walk, TrainingOptions(actions=sizes))[0]:
                    assert piece.actions[-1] == "stop"
                    assert "stop" not in piece.actions[:-1]
                    end, goal = replay(piece.actions, start_state(piece.views[0]), sizes)[-1], piece.views[-1]
                    assert np.hypot(end.x_m - goal.position[0], end.y_m - goal.position[1]) < 0.3
                    assert abs(wrap_deg(end.heading_deg - goal.heading_deg)) <= 15.0


def test_nothing_crosses_a_gap_or_goes_into_another_model():
    first = points_of(Walker().walk(20), 3)
    first = [point for point in first if not 30 <= point.frame < 45]
    second = [replace(point, frame=point.frame + 1000, time_s=point.time_s + 400) for point in first]
    walks, _ = build_trajectories(scene_of([first, second]))
    pieces = [piece for walk in walks for piece in cut_for_training(walk)[0]]
    assert {piece.model for piece in pieces} == {"0", "1"}
    for piece in pieces:
        assert max(np.diff([view.time_s for view in piece.views])) < 3.0
        assert len({view.frame < 1000 for view in piece.views}) == 1


def test_without_metres_there_are_views_but_no_actions():
    (metric,), (relative,) = walks_of(flat_tour()), walks_of(flat_tour(), status="relative")
    pieces, _ = cut_for_training(relative)
    assert all(piece.actions == () for piece in pieces)
    assert label_balance(pieces) == {}
    assert [piece.frames for piece in pieces] == [piece.frames for piece in cut_for_training(metric)[0]]
    assert len(cut_for_training(relative, metre=0.5)[0]) > len(pieces)


def test_a_walk_that_hardly_moves_still_has_its_views_and_one_too_short_is_a_finding():
    (walk,) = walks_of(Walker().wait(8))
    (piece,), _ = cut_for_training(walk)
    assert len(piece.views) == 4
    short = replace(walk, points=walk.points[:3], view_changes=(), decisions=())
    pieces, (finding,) = cut_for_training(short)
    assert pieces == []
    assert finding.code == "trajectory.no_training"


def test_options_are_checked(subtests):
    wrongs: list[dict[str, Any]] = [{"min_views": 1}, {"max_views": 3}, {"shared_views": 15}, {"spacing_m": 0.0}]
    for wrong in wrongs:
        with subtests.test(wrong=wrong), pytest.raises(TrajectoryError, match="training options"):
            TrainingOptions(**wrong)
    with pytest.raises(TrajectoryError, match="max_forward_share is 0"):
        choose_balanced_steps(["forward", "stop"], 0, random.Random(0))


@given(
    st.lists(st.sampled_from(["forward", "forward", "forward", "left", "right"]), max_size=60),
    st.floats(0.05, 1.0),
    st.integers(0, 5),
)
def test_balancing_drops_forward_steps_only_and_no_more_than_it_must(actions: list[Action], share, seed):
    actions = [*actions, "stop"]
    kept = choose_balanced_steps(actions, share, random.Random(seed))
    assert kept == choose_balanced_steps(actions, share, random.Random(seed))
    assert kept == sorted(set(kept))
    dropped = set(range(len(actions))) - set(kept)
    assert {actions[step] for step in dropped} <= {"forward"}
    count = Counter(actions[step] for step in kept)
    forward, others = count["forward"], len(kept) - count["forward"]
    assert forward <= 1 or forward / (forward + others) <= share + 1e-9
    if dropped:
        assert (forward + 1) / (forward + others + 1) > share - 1e-9


def test_resampled_views_are_frames_at_least_a_step_apart(subtests):
    for step in [0.3, 1.0, 2.5]:
        with subtests.test(step=step):
            points = points_of(flat_tour(), 10)
            views = resample_by_distance(points, step)
            assert set(views) <= set(points)
            assert (views[0], views[-1]) == (points[0], points[-1])
            gaps = [floor_distance(a, b) for a, b in pairwise(views)]
            assert min(gaps[:-1]) >= step
            assert max(gaps) < step + 0.15
            assert resample_by_distance(views, step)[:-1] == views[:-1]
