"""Laws of trajectories as a whole: what is found does not depend on the world's frame, size or the frame rate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.records import MEDIAN_INDOOR_DEPTH_M, ScaleStatus
from tests.support.trajectories.made_walks import Walker, disturb, points_of, random_tour, revisit_tour, scene_of
from trajectories.build import build_trajectories
from trajectories.records import Trajectory, TrajectoryPoint
from trajectories.training import cut_for_training
from trajectories.view_change import find_view_changes


def trajectory_of(points: list[TrajectoryPoint], status: ScaleStatus = "metric", metre: float = 1.0) -> Trajectory:
    scene = scene_of([points], status, depth=MEDIAN_INDOOR_DEPTH_M * metre)
    assert scene.models[0].nominal_metre == pytest.approx(metre if status == "relative" else 1.0)
    (trajectory,), _ = build_trajectories(scene)
    return trajectory


def move(points: list[TrajectoryPoint], turn_deg: float, shift: float, scale: float) -> list[TrajectoryPoint]:
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    out = []
    for p in points:
        x, y, z = p.position
        place = (scale * (c * x - s * y) + shift, scale * (s * x + c * y) - shift, scale * z + shift)
        heading = (p.heading_deg + turn_deg + 180) % 360 - 180
        out.append(TrajectoryPoint(p.frame, p.time_s, place, heading, p.elevation_deg))
    return out


def count_found_turns(walker: Walker, points: list[TrajectoryPoint]) -> tuple[int, int]:
    """How many of the true turns are found, each once, and how many are reported."""
    time_of = {point.frame: point.time_s for point in points}
    changes = find_view_changes(points)
    used: set[int] = set()
    for start, end, angle in walker.turns:
        for row, change in enumerate(changes):
            first, last = time_of[change.first_frame], time_of[change.last_frame]
            overlap = min(end, last) - max(start, first)
            if row not in used and overlap > 0.5 * (end - start) and abs(change.angle_deg - angle) < 15:
                used.add(row)
                break
    return len(used), len(changes)


def test_turns_crossings_and_revisits_are_found(subtests: pytest.Subtests) -> None:
    for fps, deg, metres, lost in [
        (2.0, 0.0, 0.0, 0.0),
        (3.0, 1.0, 0.02, 0.0),
        (3.0, 2.0, 0.03, 0.1),
        (10.0, 2.0, 0.03, 0.1),
    ]:
        with subtests.test(fps=fps, deg=deg, metres=metres, lost=lost):
            walkers = [*(random_tour(seed) for seed in range(8)), *(revisit_tour(seed) for seed in range(8))]
            true = found = reported = 0
            for seed, walker in enumerate(walkers):
                points = disturb(points_of(walker, fps), np.random.default_rng(seed), deg=deg, metres=metres, lost=lost)
                ours, all_of_them = count_found_turns(walker, points)
                true, found, reported = true + len(walker.turns), found + ours, reported + all_of_them
            assert true > 120
            assert found / true >= 0.95
            assert found / reported >= 0.95


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 30), turn_deg=st.floats(-180, 180), shift=st.floats(-100, 100), scale=st.floats(0.01, 100))
def test_nothing_found_depends_on_the_world(seed: int, turn_deg: float, shift: float, scale: float) -> None:
    points = points_of(revisit_tour(seed), 3.0)
    ours = trajectory_of(points, "relative")
    theirs = trajectory_of(move(points, turn_deg, shift, scale), "relative", scale)
    assert [c.frame for c in ours.view_changes] == [c.frame for c in theirs.view_changes]
    assert [c.on_the_spot for c in ours.view_changes] == [c.on_the_spot for c in theirs.view_changes]
    assert ours.clusters == theirs.clusters
    assert ours.paths == theirs.paths
    assert [(d.positive_frame, d.negative_frames) for d in ours.decisions] == [
        (d.positive_frame, d.negative_frames) for d in theirs.decisions
    ]
    metres = ((ours, 1.0), (theirs, scale))
    pieces = [[piece.frames for piece in cut_for_training(walk, metre=metre)[0]] for walk, metre in metres]
    assert pieces[0] == pieces[1]


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 60), fps=st.sampled_from([4.0, 5.0, 8.0, 15.0, 30.0]), start=st.floats(0.0, 0.3))
def test_turns_do_not_depend_on_the_frame_rate_or_where_sampling_starts(seed: int, fps: float, start: float) -> None:
    walker = random_tour(seed)
    slow, fast = points_of(walker, 3.0), points_of(walker, fps, start_s=start)
    ours, theirs = find_view_changes(slow), find_view_changes(fast)
    assert len(ours) == len(theirs)
    slow_time, fast_time = ({p.frame: p.time_s for p in points} for points in (slow, fast))
    for one, other in zip(ours, theirs, strict=True):
        assert one.angle_deg == pytest.approx(other.angle_deg, abs=15)
        assert slow_time[one.frame] == pytest.approx(fast_time[other.frame], abs=1 / 3 + 0.05)
