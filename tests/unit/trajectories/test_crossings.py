"""Crossings: walks that cross themselves, and walks that do not."""

import numpy as np
import pytest

from tests.support.trajectories.made_walks import Walker, points_of, scene_of
from trajectories.build import build_trajectories
from trajectories.decisions import CrossingOptions, find_crossings


def straight_crossing(angle_deg: float) -> tuple[Walker, tuple[float, float]]:
    """Straight through (3, 0), a wide round, and straight through it again at an angle; no turn within 2.5 m of it."""
    walker = Walker().walk(6.5)
    end = np.radians(angle_deg)
    start = np.array([3.0, 0.0]) - 3.5 * np.array([np.cos(end), np.sin(end)])
    for goal in ((8.0, -6.0), tuple(start - 1.5 * np.array([np.cos(end), np.sin(end)]))):
        way = np.array(goal) - (walker.x, walker.y)
        turn = (np.degrees(np.arctan2(way[1], way[0])) - walker.heading_deg + 180) % 360 - 180
        walker.turn(float(turn)).walk(float(np.linalg.norm(way)))
    turn = (angle_deg - walker.heading_deg + 180) % 360 - 180
    return walker.turn(float(turn)).walk(10.0), (3.0, 0.0)


def figure_eight() -> Walker:
    """Two rounds of 2.5 m radius, one to the left and one to the right: curves so gentle that none is a turn."""
    return Walker().walk(2.0).corner(270, 2.5).walk(5.0).corner(-270, 2.5).walk(3.0)


def middle(points, crossing) -> np.ndarray:
    place = {point.frame: np.array(point.position[:2]) for point in points}
    return (place[crossing.first_frame] + place[crossing.second_frame]) / 2


def test_a_straight_crossing_is_found_where_it_is(subtests):
    for angle_deg in [90.0, 60.0, -90.0, 130.0]:
        for fps in [3.0, 10.0]:
            with subtests.test(angle_deg=angle_deg, fps=fps):
                walker, place = straight_crossing(angle_deg)
                points = points_of(walker, fps)
                near = [one for one in find_crossings(points) if np.linalg.norm(middle(points, one) - place) < 0.4]
                assert len(near) == 1
                assert near[0].angle_deg == pytest.approx(min(abs(angle_deg), 180 - abs(angle_deg)), abs=8)
                assert near[0].distance <= 0.5


def test_a_figure_eight_crosses_itself_once_under_an_angle_that_is_an_option():
    walker, place = straight_crossing(45.0)
    points = points_of(walker, sway=False)

    def found(bar_deg: float) -> int:
        crossings = find_crossings(points, CrossingOptions(min_angle_deg=bar_deg))
        return len([one for one in crossings if np.linalg.norm(middle(points, one) - place) < 0.4])

    assert (found(40.0), found(50.0)) == (1, 0)
    points = points_of(figure_eight())
    assert len(find_crossings(points)) == 1


def test_the_same_way_again_or_beside_it_crosses_nothing(subtests):
    for number, walker in enumerate(
        [
            Walker().walk(4).turn(180).walk(4),  # back the same way
            Walker().walk(4).corner(90).walk(3).turn(180).walk(3).corner(-90).walk(4),
            Walker()
            .walk(3)
            .corner(90)
            .walk(3)
            .corner(90)
            .walk(3)
            .corner(90)
            .walk(3)
            .corner(90)
            .walk(3),  # a second lap
            Walker().walk(5).corner(180, 0.4).walk(5),  # back beside it, 0.8 m off
            Walker().walk(2).wait(30).walk(2),
            Walker().walk(3).turn(360).walk(3),
            Walker().walk(6),
        ]
    ):
        with subtests.test(number=number):
            assert find_crossings(points_of(walker)) == []
            assert find_crossings(points_of(walker, 10.0)) == []
    for count in [0, 1, 2]:
        with subtests.test(count=count):
            assert find_crossings(points_of(Walker().walk(3))[:count]) == []


def test_a_crossing_needs_reach_and_another_view():
    walker, place = straight_crossing(90.0)
    points = points_of(walker, sway=False)
    lifted = [
        p if p.frame < len(points) // 2 else type(p)(p.frame, p.time_s, (*p.position[:2], 2.3), p.heading_deg, 0.0)
        for p in points
    ]
    assert any(np.linalg.norm(middle(points, one) - place) < 0.4 for one in find_crossings(points))
    assert find_crossings(lifted) == []  # one storey up
    walker, _ = straight_crossing(90.0)
    points = [type(p)(p.frame, p.time_s, p.position, 20.0, 0.0) for p in points_of(walker)]
    assert find_crossings(points) == []


def test_a_crossing_without_a_turn_becomes_a_decision_both_times():
    walker, place = straight_crossing(90.0)
    points = points_of(walker)
    (trajectory,), _ = build_trajectories(scene_of([points]))
    by_frame = {point.frame: point for point in points}

    def is_there(frame: int) -> bool:
        return bool(np.linalg.norm(np.array(by_frame[frame].position[:2]) - place) < 1.1)

    there = [one for one in trajectory.decisions if one.view_change is None and is_there(one.positive_frame)]
    assert len(there) == 2
    for decision in there:
        assert set(decision.path_frames) <= set(trajectory.clusters[decision.cluster])
        positive = np.radians(by_frame[decision.positive_frame].heading_deg)
        assert all(
            np.cos(np.radians(by_frame[frame].heading_deg) - positive) < np.cos(np.radians(45.0))
            for frame in decision.negative_frames
        )
    other_visit = set(there[1].path_frames)
    assert set(there[0].negative_frames) <= other_visit
