from dataclasses import replace

import numpy as np
import pytest

from recon.geometry import Pose
from tests.support.trajectories.made_walks import Walker, points_of, scene_of
from trajectories.build import WalkOptions, find_walks
from trajectories.errors import TrajectoryError


def walks_of(scene, options=WalkOptions()):
    return find_walks(scene.models[0], scene.frame_by_index, options)


def test_points_carry_the_poses_and_times():
    points = points_of(Walker(heading_deg=30).walk(3).corner(90).walk(1), 3)
    (walk,), findings = walks_of(scene_of([points]))
    assert findings == []
    for ours, truth in zip(walk, points, strict=True):
        assert (ours.frame, ours.time_s) == (truth.frame, truth.time_s)
        assert ours.position == pytest.approx(truth.position)
        assert ours.heading_deg == pytest.approx(truth.heading_deg)
        assert ours.elevation_deg == pytest.approx(truth.elevation_deg)


def test_only_long_gaps_cut_and_short_pieces_are_counted():
    points = points_of(Walker().walk(14), 3)
    kept = [point for point in points if not 10 <= point.frame < 25 and not 28 <= point.frame < 38]
    walks, findings = walks_of(scene_of([kept]))
    assert [(walk[0].frame, walk[-1].frame) for walk in walks] == [(1, 9), (38, len(points))]
    assert [finding.code for finding in findings] == ["trajectory.too_short", "trajectory.cut"]
    assert "frames 25-27" in findings[0].message
    points = points_of(Walker().walk(7), 3)
    walks, _ = walks_of(scene_of([[point for point in points if not 10 <= point.frame < 17]]))
    assert len(walks) == 1


def test_a_cut_of_the_film_cuts_the_walk_only_where_it_jumps(subtests):
    for jump, pieces in [(5.0, 2), (0.0, 1)]:
        with subtests.test(jump=jump, pieces=pieces):
            points = points_of(Walker().walk(10), 3)
            there = [
                replace(p, position=(p.position[0], p.position[1] + (jump if p.frame > 20 else 0.0), 1.5))
                for p in points
            ]
            walks, _ = walks_of(scene_of([there], shot_of=lambda frame: int(frame > 20)))
            assert len(walks) == pieces


def test_a_camera_that_looks_straight_down_is_left_out_with_a_finding():
    scene = scene_of([points_of(Walker().walk(5), 3)])
    model = scene.models[0]
    down = Pose(np.array([[0.0, -1, 0], [-1, 0, 0], [0, 0, -1]]), model.world_from_cam[5].center)
    tilted = replace(model, world_from_cam=dict(model.world_from_cam) | {5: down})
    (walk,), (finding,) = find_walks(tilted, scene.frame_by_index)
    assert 5 not in [point.frame for point in walk]
    assert (finding.code, finding.where) == ("trajectory.no_heading", "frame 5")


def test_a_foreign_frame_is_an_error():
    scene = scene_of([points_of(Walker().walk(5), 3)])
    with pytest.raises(TrajectoryError, match="frame 1 is not among"):
        find_walks(scene.models[0], {})
