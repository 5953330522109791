"""A view change needs a change of view and, by half of it, of heading: one walk on each side of both bars."""

import numpy as np

from trajectories.records import TrajectoryPoint
from trajectories.view_change import ViewChangeOptions, find_view_changes

OPTIONS = ViewChangeOptions(smooth_s=0.02)


def look(turn_deg: float, nod_deg: float) -> list[TrajectoryPoint]:
    """Stand for two seconds, turn and nod within one, and stand again; ten frames per second."""
    times = np.arange(0.0, 5.0, 0.1)
    done = np.clip(times - 2.0, 0.0, 1.0)
    return [
        TrajectoryPoint(number, float(time), (0.0, 0.0, 1.5), float(turn_deg * share), float(nod_deg * share))
        for number, (time, share) in enumerate(zip(times, done, strict=True), start=1)
    ]


def test_a_turn_below_the_bar_or_a_nod_with_little_turning_is_none(subtests):
    """The view changes by more than 50 degrees in both."""
    for turn_deg, count in [(20.0, 0), (25.5, 1)]:
        with subtests.test(turn_deg=turn_deg, count=count):
            assert len(find_view_changes(look(turn_deg, 55.0), OPTIONS)) == count
    for turn_deg, count in [(43.0, 0), (47.0, 1)]:
        with subtests.test(turn_deg=turn_deg, count=count):
            assert len(find_view_changes(look(turn_deg, 0.0), OPTIONS)) == count
