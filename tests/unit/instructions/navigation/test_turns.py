from instructions.facts.walk import Walk
from instructions.navigation.motion import find_motion
from instructions.navigation.turns import find_turns
from instructions.navigation.ways import WayOptions, cut_ways
from tests.support.worlds.boxworld import make_world


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
