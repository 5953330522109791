from dataclasses import replace

import numpy as np
import pytest

from tests.support.trajectories.made_walks import Walker, flat_tour, points_of
from trajectories.errors import TrajectoryError
from trajectories.records import TrajectoryPoint, ViewChange
from trajectories.view_change import ViewChangeOptions, find_view_changes


def spans(points: list[TrajectoryPoint], changes: list[ViewChange]) -> list[tuple[float, float]]:
    time_of = {point.frame: point.time_s for point in points}
    return [(time_of[change.first_frame], time_of[change.last_frame]) for change in changes]


def test_a_tour_through_a_flat_gives_its_turns_and_no_others(subtests):
    for fps in [3.0, 5.0, 10.0]:
        with subtests.test(fps=fps):
            walker = flat_tour()
            points = points_of(walker, fps)
            changes = find_view_changes(points)
            assert [round(change.angle_deg / 30) * 30 for change in changes] == [angle for *_, angle in walker.turns]
            on_the_spot = [abs(angle) in (180, 120, 360) or angle == -60 for *_, angle in walker.turns]
            assert [change.on_the_spot for change in changes] == on_the_spot
            for change, (start, end, angle) in zip(changes, walker.turns, strict=True):
                (first, last) = spans(points, [change])[0]
                assert abs(first - start) < 0.5 + 1 / fps
                assert abs(last - end) < 0.5 + 1 / fps
                assert change.angle_deg == pytest.approx(angle, abs=10)
                assert change.first_frame <= change.frame <= change.last_frame
                assert change.view_angle_deg >= 45


def test_long_turns_and_looks_aside_are_counted_as_they_are(subtests):
    for angle, rate in [(180, 20), (360, 120), (-720, 60), (300, 25)]:
        with subtests.test(angle=angle, rate=rate):
            walker = Walker().walk(2).wait(1).turn(angle, rate).wait(1).walk(2)
            (change,) = find_view_changes(points_of(walker, 5))
            assert change.angle_deg == pytest.approx(angle, abs=6)
            assert change.on_the_spot
    walker = Walker().walk(2).wait(1).turn(80, 60).wait(0.5).turn(-80, 60).wait(1).walk(2)
    changes = find_view_changes(points_of(walker, 5))
    assert [round(change.angle_deg, -1) for change in changes] == [80, -80]
    points = points_of(flat_tour(), 3)
    mirror = [
        replace(
            point, position=(point.position[0], -point.position[1], point.position[2]), heading_deg=-point.heading_deg
        )
        for point in points
    ]
    angles = [change.angle_deg for change in find_view_changes(points)]
    assert [-change.angle_deg for change in find_view_changes(mirror)] == pytest.approx(angles)


def test_small_and_gentle_changes_and_nods_are_none(subtests):
    for name, walker in zip(
        ["straight", "40 degrees", "wide arc", "standing"],
        [
            Walker().walk(6),
            Walker().walk(2).corner(40, 0.5).walk(2),
            Walker().walk(1).corner(180, 6.0).walk(1),
            Walker().wait(8),
        ],
        strict=True,
    ):
        with subtests.test(name=name):
            assert find_view_changes(points_of(walker, 5)) == []
    points = [
        TrajectoryPoint(n, n / 3, (0.0, 0.0, 1.5), 0.0, float(-70 * np.sin(np.pi * n / 20))) for n in range(1, 20)
    ]
    assert find_view_changes(points) == []


def look(turn_deg: float, nod_deg: float) -> list[TrajectoryPoint]:
    """Stand for two seconds, turn and nod within one, and stand again; ten frames per second."""
    times = np.arange(0.0, 5.0, 0.1)
    done = np.clip(times - 2.0, 0.0, 1.0)
    return [
        TrajectoryPoint(number, float(time), (0.0, 0.0, 1.5), float(turn_deg * share), float(nod_deg * share))
        for number, (time, share) in enumerate(zip(times, done, strict=True), start=1)
    ]


def test_a_change_needs_45_degrees_of_the_view_and_half_of_it_of_the_heading():
    bars = ((20.0, 55.0, 0), (25.5, 55.0, 1), (43.0, 0.0, 0), (47.0, 0.0, 1))
    for turn_deg, nod_deg, count in bars:
        found = find_view_changes(look(turn_deg, nod_deg), ViewChangeOptions(smooth_s=0.02))
        assert len(found) == count, (turn_deg, nod_deg)


def still() -> Walker:
    return Walker(speed=0.2).walk(0.6).wait(1)


def test_a_turn_ends_at_a_pause_and_where_it_slows_down_to_a_curve_of_its_own():
    turns = (
        (still().turn(60).wait(0.8).turn(60), [120]),
        (still().turn(60).wait(1.0).turn(60), [60, 60]),
        (still().turn(90, 90).turn(80, 20), [100, 70]),
        (still().turn(80, 20).turn(90, 90), [70, 100]),
    )
    for walker, angles in turns:
        found = find_view_changes(points_of(walker.wait(1), 10, sway=False))
        assert [round(change.angle_deg, -1) for change in found] == angles


@pytest.mark.parametrize("metre", [1.0, 0.2])
def test_a_change_tells_its_largest_angle_in_three_seconds_its_way_and_whether_it_is_on_the_spot(metre):
    def find(walker: Walker) -> ViewChange:
        points = points_of(walker.wait(1).walk(0.6), 10, sway=False)
        points = [replace(one, position=tuple(metre * value for value in one.position)) for one in points]
        (change,) = find_view_changes(points, metre=metre)
        return change

    assert find(still().turn(180)).view_angle_deg == pytest.approx(3 * 45, abs=2)
    for radius_m, is_spot in ((0.3, True), (0.4, False)):
        change = find(still().corner(90, radius_m))
        assert change.on_the_spot is is_spot
        assert change.travelled == pytest.approx(metre * radius_m * np.pi / 2, rel=0.07)


def test_too_few_points_and_disordered_times():
    points = points_of(Walker().walk(3), 3)
    assert find_view_changes([]) == []
    assert find_view_changes(points[:1]) == []
    with pytest.raises(TrajectoryError, match="does not follow"):
        find_view_changes([points[1], points[0]])
