"""What is said to be left of a tour: nothing too early, then by the pace of what is done."""

import pytest

from roomtour.progress import TimeLeft


class Clock:
    """Shows what it is set to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_is_left_follows_the_pace_of_what_is_done():
    clock = Clock()
    left = TimeLeft({"decode": 10.0, "match": 40.0, "map": 30.0, "report": 20.0}, clock)
    clock.now += 10
    left.note("decode", 1.0)
    assert left.estimate_s() is None  # a tenth of a tour tells little
    clock.now += 20
    left.note("match", 0.5)
    assert (left.share_done, left.estimate_s()) == (0.3, pytest.approx(70.0))  # 30 s for 30 hundredths
    clock.now += 15
    assert left.estimate_s() == pytest.approx(55.0)  # counts down where a stage says nothing of itself
    clock.now += 900
    assert left.estimate_s() == pytest.approx(50.0)  # and not below what comes behind it
    clock.now = 100.0 + 60
    left.note("match", 1.0)
    assert left.estimate_s() == pytest.approx(60.0)
    left.note("kept", 1.0)  # no stage of the plan
    left.note("map", 1.0)
    left.note("report", 1.0)
    assert (left.share_done, left.estimate_s()) == (1.0, 0.0)
    left = TimeLeft({})
    left.note("decode", 1.0)
    assert (left.share_done, left.estimate_s()) == (0.0, None)
