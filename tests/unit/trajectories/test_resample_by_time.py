import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectories.records import TrajectoryPoint
from trajectories.training import places_seen_from, resample_by_time


def make_walk(times):
    return [TrajectoryPoint(k, float(t), (0.1 * k, 0.0, 1.5), 0.0, 0.0) for k, t in enumerate(times)]


def test_it_is_cut_where_a_beat_has_no_frame(subtests):
    for without, pieces in [([], [20]), ([7], [7, 12]), ([7, 8, 15], [7, 6, 4])]:
        with subtests.test(without=without, pieces=pieces):
            walk = [point for point in make_walk(5.1 + np.arange(20) / 3) if point.frame not in without]
            assert [len(piece) for piece in resample_by_time(walk, 1 / 3)] == pieces


@given(st.lists(st.floats(0.01, 2.0), min_size=1, max_size=60), st.floats(0.1, 1.0))
def test_every_view_is_near_its_beat_and_none_comes_twice(steps, period_s):
    walk = make_walk(np.cumsum(steps))
    pieces = resample_by_time(walk, period_s)
    seen = [point.frame for piece in pieces for point in piece]
    assert seen == sorted(set(seen))
    for piece in pieces:
        late = np.array([point.time_s - k * period_s for k, point in enumerate(piece)])
        assert np.ptp(late) <= 1.5 * period_s + 1e-6


def test_places_are_ahead_and_to_the_left_of_who_looks() -> None:
    here = TrajectoryPoint(1, 0.0, (2.0, 1.0, 1.5), 90.0, -5.0)
    there = [TrajectoryPoint(2, 1.0, (2.0, 4.0, 1.5), 0.0, 0.0), TrajectoryPoint(3, 2.0, (1.0, 1.0, 1.5), 0.0, 0.0)]
    assert places_seen_from(here, there) == pytest.approx(np.array([[3.0, 0.0], [0.0, 1.0]]))
    assert places_seen_from(here, []).shape == (0, 2)
