from dataclasses import replace

from tests.support.trajectories.made_walks import Walker, flat_tour, points_of, scene_of
from trajectories.build import build_trajectories


def test_every_model_has_its_own_trajectories():
    first = points_of(flat_tour(), 3)
    second = [replace(point, frame=point.frame + 1000, time_s=point.time_s + 400) for point in first]
    trajectories, _ = build_trajectories(scene_of([first, second]))
    assert [trajectory.id for trajectory in trajectories] == ["flat_m0_t0", "flat_m1_t0"]
    for trajectory, points in zip(trajectories, (first, second), strict=True):
        assert (trajectory.unit, trajectory.scale_status) == ("m", "assumed")
        assert trajectory.frames == tuple(point.frame for point in points)
        assert (len(trajectory.view_changes), bool(trajectory.decisions)) == (7, True)
        assert 0 <= max(path.cluster for path in trajectory.paths) < len(trajectory.clusters)
    assert build_trajectories(scene_of([])) == ([], [])
    trajectories, findings = build_trajectories(scene_of([points_of(Walker().walk(0.5), 3)]))
    assert trajectories == []
    assert [finding.code for finding in findings] == ["trajectory.too_short"]
