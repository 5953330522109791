from __future__ import annotations

import pytest

from instructions.facts.walk import Walk
from instructions.navigation.motion import find_motion
from instructions.navigation.turns import find_turns
from instructions.navigation.ways import WayOptions, cut_ways
from tests.support.cases import each_case
from tests.support.worlds.boxworld import make_world


def turns(*legs: tuple[str, float], heading: float = 0.0) -> list[int]:
    walk = Walk.of(make_world((), legs, (0.0, 0.0, heading), ()).trajectory)
    return [round(turn.angle_deg) for turn in find_turns(find_motion(walk, 1.0))]


@each_case(
    ("legs", "told"),
    [
        ([("walk", 3.0), ("turn", 90.0), ("walk", 3.0)], [90]),
        ([("walk", 3.0), ("turn", -90.0), ("walk", 3.0)], [-90]),
        ([("walk", 3.0), ("turn", 25.0), ("walk", 3.0)], []),  # too slight to tell
        ([("turn", 90.0), ("walk", 0.3), ("turn", 60.0)], [150]),  # one turn to a listener
        ([("turn", 120.0), ("turn", -60.0)], [120, -60]),  # opposite turns are never added up
        ([("walk", 3.0), ("turn", 60.0), ("turn", -60.0), ("walk", 3.0)], []),  # a look to the side
        ([("turn", 90.0), ("walk", 3.0), ("turn", 90.0)], [90, 90]),
        ([("walk", 1.0), ("turn", 180.0), ("walk", 1.0)], [180]),
        ([("walk", 3.0)], []),
    ],
)
def test_turns_are_told_as_a_person_would(legs, told):
    assert turns(*legs) == pytest.approx(told, abs=4)
    assert turns(*legs, heading=150.0) == pytest.approx(told, abs=4), "over south"


def test_ways_meet_after_turns_and_have_a_length_a_text_can_tell():
    legs = [("walk", 6.0), ("turn", 90.0), ("walk", 7.0), ("turn", -90.0), ("walk", 6.0), ("turn", 90.0), ("walk", 7.0)]
    walk = Walk.of(make_world((), legs, walls=()).trajectory)
    found = find_turns(find_motion(walk, 1.0))
    ways = cut_ways(walk, found, (), 1.0, WayOptions())
    assert len(ways) >= 3
    assert ways[0].first == 0
    assert ways[-1].last == len(walk.frames) - 1
    for way in ways:
        assert 5.0 <= walk.time_s[way.last] - walk.time_s[way.first] <= 25.0
        assert not any(turn.first < way.last < turn.last for turn in found)


def test_no_way_crosses_a_gap():
    walk = Walk.of(make_world((), [("walk", 12.0)], walls=()).trajectory)
    time_s = walk.time_s.copy()
    time_s[20:] += 30.0
    broken = Walk(walk.frames, time_s, walk.xy, walk.heading_deg)
    ways = cut_ways(broken, [], (), 1.0, WayOptions())
    assert {way.last for way in ways} >= {19, len(walk.frames) - 1}
    assert 20 in {way.first for way in ways}
    assert not any(way.first < 20 <= way.last for way in ways)
