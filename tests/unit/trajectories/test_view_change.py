from dataclasses import replace

import numpy as np
import pytest

from tests.support.trajectories.made_walks import Walker, flat_tour, points_of
from trajectories.errors import TrajectoryError
from trajectories.records import TrajectoryPoint, ViewChange
from trajectories.view_change import find_view_changes


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


def test_too_few_points_and_disordered_times():
    points = points_of(Walker().walk(3), 3)
    assert find_view_changes([]) == []
    assert find_view_changes(points[:1]) == []
    with pytest.raises(TrajectoryError, match="does not follow"):
        find_view_changes([points[1], points[0]])
