from itertools import pairwise

import numpy as np
import pytest

from recon.conventions import wrap_deg
from tests.support.trajectories.made_walks import Walker, flat_tour, points_of, random_tour, scene_of
from trajectories.build import build_trajectories
from trajectories.records import Trajectory
from trajectories.training import TrainingOptions, cut_for_training, reverse_walk, sub_walks


def walk_of(walker: Walker, fps: float = 5.0) -> Trajectory:
    (walk,), _ = build_trajectories(scene_of([points_of(walker, fps)]))
    return walk


def test_the_way_back_goes_from_the_end_to_the_start_and_faces_its_way(subtests):
    for number, walker in enumerate([flat_tour(), *[random_tour(seed) for seed in range(3)]]):
        with subtests.test(number=number):
            walk = walk_of(walker)
            back = reverse_walk(walk)
            assert back.id == f"{walk.id}_back"
            assert [point.position for point in back.points] == [point.position for point in reversed(walk.points)]
            assert np.all(np.diff([point.time_s for point in back.points]) > 0)
            for there, here in zip(reversed(walk.points), back.points, strict=True):
                assert abs(wrap_deg(here.heading_deg - there.heading_deg)) == pytest.approx(180.0)
                assert here.elevation_deg == there.elevation_deg
            assert back.decisions == ()
            again = reverse_walk(back)
            assert again.frames == walk.frames
            assert [p.heading_deg for p in again.points] == pytest.approx([p.heading_deg for p in walk.points])
            assert [p.time_s for p in again.points] == pytest.approx([p.time_s for p in walk.points])


def test_sub_walks_begin_and_end_inside_the_training_trajectories(subtests):
    for number, options in enumerate([TrainingOptions(), TrainingOptions(max_views=6)]):
        with subtests.test(number=number):
            walk = walk_of(random_tour(3))
            pieces, _ = cut_for_training(walk, options)
            parts = list(sub_walks(walk, pieces))
            assert len(parts) == len(pieces) - 1 > 0
            for part, before, after in zip(parts, pieces, pieces[1:], strict=False):
                assert part.frames[0] in {view.frame for view in before.views[1:-1]}
                assert part.frames[-1] in {view.frame for view in after.views[1:-1]}
            assert len({part.id for part in parts}) == len(parts)
            for part in parts:
                assert set(part.points) < set(walk.points)
                assert list(part.frames) == sorted(part.frames)
                inside = set(part.frames)
                assert all({change.first_frame, change.last_frame} <= inside for change in part.view_changes)
            for before, after in pairwise(parts):
                assert before.frames[-1] == after.frames[0]


def test_nothing_comes_of_nothing():
    walk = walk_of(Walker().walk(3))
    assert list(sub_walks(walk, cut_for_training(walk)[0])) == []
    empty = Trajectory("a", "s", "0", "m", "assumed", (), (), (), (), ())
    assert reverse_walk(empty).points == ()
