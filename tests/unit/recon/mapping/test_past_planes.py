"""A clip of which nothing is left is mapped again only if its camera moved, and what comes of it is told."""

from dataclasses import replace

import numpy as np
import pytest

from recon.geometry import Pose
from recon.mapping.options import SfmOptions
from recon.mapping.past_planes import find_clips_past_planes, find_witnessed, keep_planes, tell_of_planes
from recon.mapping.sfm import ClipResult
from recon.records import Clip, SubModel
from tests.support.recon.made_models import scene_from_poses, walk_poses, write_matches

FRAMES = tuple(range(1, 19))
CLIP = Clip("000", 0, FRAMES)
WALL = np.array([[7.99, -9.0, -2.0], [8.0, 9.0, 5.0]])


def result(is_flat=False, models=(), clip="000"):
    return ClipResult(clip, tuple(models), "incremental", "asked for", (), 0, is_flat=is_flat)


@pytest.fixture(scope="module")
def to_a_wall(tmp_path_factory):
    """A walk straight to a bare wall."""
    walk = [Pose(pose.rotation, pose.center * [0.5, 1, 1]) for pose in walk_poses(len(FRAMES), straight=True)]
    model = scene_from_poses(walk, 2500, 0.4, 0, WALL)
    database = tmp_path_factory.mktemp("planes") / "database.db"
    write_matches(model, database)
    return SubModel("000/0", ("000",), model), database


def test_a_clip_of_a_walk_to_a_wall_is_mapped_again_and_others_are_not(to_a_wall):
    model, database = to_a_wall
    clips = [CLIP, Clip("001", 0, (20, 21, 22))]
    results = [result(True), result(models=[model], clip="001")]
    assert find_clips_past_planes(clips, results, database, SfmOptions()) == [CLIP]
    assert find_clips_past_planes(clips[::-1], results[::-1], database, SfmOptions()) == [CLIP]


def test_clips_that_have_another_piece_or_another_reason_are_left_as_they_are(to_a_wall, subtests):
    model, database = to_a_wall
    assert find_clips_past_planes([CLIP], [result(True, [model])], database, SfmOptions()) == []
    for number, options in enumerate([SfmOptions(), SfmOptions(min_moving_frames=12)]):
        with subtests.test(number=number):
            is_flat = bool(options.min_moving_frames)
            assert find_clips_past_planes([CLIP], [result(is_flat)], to_a_wall[1], options) == []


def test_only_clips_that_hang_on_one_with_a_model_have_a_witness():
    sound = Clip("001", 0, (18, 19, 20))
    beside, behind = Clip("002", 0, (20, 21, 22)), Clip("003", 0, (22, 23, 24))
    apart = [Clip("004", 1, (30, 31, 32)), Clip("005", 1, (32, 33, 34))]
    assert find_witnessed([behind, beside, CLIP, *apart], [sound]) == [behind, beside, CLIP]
    assert find_witnessed([beside, behind], []) == []


def test_nothing_but_what_is_kept_changes():
    assert keep_planes(SfmOptions()).min_moving_frames > 0
    assert replace(keep_planes(SfmOptions()), min_moving_frames=0) == SfmOptions()


def test_a_turn_on_the_spot_is_not_mapped_again(tmp_path):
    start = walk_poses(1)[0]
    turns = [np.radians(5.0 * step) for step in range(len(FRAMES))]
    around = [np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) for a in turns]
    poses = [Pose(turn @ start.rotation, start.center) for turn in around]
    write_matches(scene_from_poses(poses, 2500, 0.4, 0, np.array([[4.0, -9.0, -2.0], [8.0, 9.0, 5.0]])), tmp_path / "d")
    assert find_clips_past_planes([CLIP], [result(True)], tmp_path / "d", SfmOptions()) == []


def test_what_was_kept_is_told_and_nothing_is_told_of_nothing(subtests, to_a_wall):
    for beside_others, severity in [(False, "error"), (True, "warning")]:
        with subtests.test(beside_others=beside_others, severity=severity):
            kept = tell_of_planes(result(models=[to_a_wall[0]]), beside_others)
            assert [(finding.severity, finding.code) for finding in kept.findings] == [(severity, "sfm.planes_only")]
            assert tell_of_planes(result(True)).findings == ()
