from dataclasses import replace

from tests.support.trajectories.made_walks import Walker, flat_tour, points_of, scene_of
from trajectories.build import build_trajectories


def test_a_scene_becomes_trajectories_with_their_decisions():
    points = points_of(flat_tour(), 3)
    (trajectory,), _ = build_trajectories(scene_of([points]))
    assert trajectory.id == "flat_m0_t0"
    assert (trajectory.unit, trajectory.scale_status) == ("m", "assumed")
    assert trajectory.frames == tuple(point.frame for point in points)
    assert len(trajectory.view_changes) == 7
    assert trajectory.decisions
    assert {path.cluster for path in trajectory.paths} <= set(range(len(trajectory.clusters)))


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
