from dataclasses import replace

from tests.support.trajectories.made_walks import Walker, points_of, scene_of
from trajectories.build import build_trajectories


def test_every_model_has_its_own_trajectories():
    first = points_of(Walker().walk(4).turn(120).walk(2), 3)
    second = [replace(point, frame=point.frame + 1000, time_s=point.time_s + 400) for point in first]
    trajectories, _ = build_trajectories(scene_of([first, second]))
    assert [trajectory.id for trajectory in trajectories] == ["flat_m0_t0", "flat_m1_t0"]
    assert [len(trajectory.view_changes) for trajectory in trajectories] == [1, 1]
    assert build_trajectories(scene_of([])) == ([], [])
    trajectories, findings = build_trajectories(scene_of([points_of(Walker().walk(0.5), 3)]))
    assert trajectories == []
    assert [finding.code for finding in findings] == ["trajectory.too_short"]
