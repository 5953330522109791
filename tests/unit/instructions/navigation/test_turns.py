import numpy as np

from instructions.facts.walk import Walk
from instructions.navigation.moves.motion import find_motion
from instructions.navigation.moves.turns import find_turns
from instructions.navigation.way.ways import WayOptions, cut_ways
from tests.support.worlds.boxworld import make_world


def test_ways_meet_after_turns_and_have_a_length_a_text_can_tell():
    legs = [("walk", 6.0), ("turn", 90.0), ("walk", 7.0), ("turn", -90.0), ("walk", 6.0), ("turn", 90.0), ("walk", 7.0)]
    walk = Walk.of(make_world((), legs, walls=()).trajectory)
    found = find_turns(find_motion(walk, 1.0))
    ways = cut_ways(walk, found, (), np.ones(len(walk.frames)), 1.0, WayOptions())
    assert len(ways) >= 3
    assert ways[0].first == 0
    assert ways[-1].last == len(walk.frames) - 1
    for way in ways:
        assert 5.0 <= walk.time_s[way.last] - walk.time_s[way.first] <= 25.0
        assert not any(turn.first < way.last < turn.last for turn in found)


def test_a_walk_ends_where_a_text_can_say_so_unless_much_would_be_lost():
    walk = Walk.of(make_world((), [("walk", 16.0)], walls=()).trajectory)
    count = len(walk.frames)
    for known, is_cut in ((count - 10, True), (5, False)):
        unknown = np.ones(count)
        unknown[known] = 0.0
        assert (cut_ways(walk, [], (), unknown, 1.0, WayOptions())[-1].last == known) == is_cut
        kept = cut_ways(walk, [], {walk.frames[-1]}, unknown, 1.0, WayOptions())
        assert kept[-1].last == count - 1, "what is chosen at a decision is shown"


def test_no_way_crosses_a_gap():
    walk = Walk.of(make_world((), [("walk", 12.0)], walls=()).trajectory)
    time_s = walk.time_s.copy()
    time_s[20:] += 30.0
    broken = Walk(walk.frames, time_s, walk.xy, walk.heading_deg)
    ways = cut_ways(broken, [], (), np.ones(len(walk.frames)), 1.0, WayOptions())
    assert {way.last for way in ways} >= {19, len(walk.frames) - 1}
    assert 20 in {way.first for way in ways}
    assert not any(way.first < 20 <= way.last for way in ways)
