"""Which frames get which of the given poses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.errors import ReconError
from recon.geometry import angle_between_deg
from recon.pose_sources.match import PictureIndex, match_poses
from recon.pose_sources.records import PosedPicture, PoseSource, PoseSourceOptions
from recon.records import Frame
from roomtour.config import Config, require_ranges
from tests.support.recon.made_models import walk_poses

POSES = walk_poses(31)
VIDEO = PictureIndex(())


def frames_at(times_s):
    return [Frame(k, float(t), f"{k:06d}.jpg", 640, 360, 1.0, 0) for k, t in enumerate(times_s, start=1)]


def make_timed(times_s, poses=POSES):
    pictures = tuple(PosedPicture(world_from_cam=p, time_s=float(t)) for t, p in zip(times_s, poses, strict=False))
    return PoseSource("walk.txt", "tum", pictures, None)


def make_named(names):
    pictures = tuple(PosedPicture(world_from_cam=p, name=name) for name, p in zip(names, POSES, strict=False))
    return PoseSource("model", "colmap", pictures, None)


def test_frames_get_the_pose_of_their_time_or_one_between():
    matched = match_poses(make_timed(np.arange(31) / 30), frames_at(np.arange(0, 31, 10) / 30), VIDEO)
    assert [POSES.index(pose) for pose in matched.world_from_cam.values()] == [0, 10, 20, 30]
    assert matched.interpolated == 0
    matched = match_poses(make_timed(np.arange(31) / 10), frames_at([0.0, 0.5, 1.0, 1.025]), VIDEO)
    assert matched.interpolated == 1
    between = matched.world_from_cam[4]
    want = 0.75 * POSES[10].center + 0.25 * POSES[11].center
    assert np.allclose(between.center, want)
    whole = angle_between_deg(POSES[10].forward, POSES[11].forward)
    assert angle_between_deg(POSES[10].forward, between.forward) == pytest.approx(0.25 * whole, rel=1e-3)


def test_frames_in_a_gap_get_nothing_and_near_its_ends_the_nearest():
    times_s = [0.0, 0.05, 0.10, 2.0, 2.05]
    matched = match_poses(make_timed(times_s), frames_at([0.05, 0.11, 0.5, 1.97, 1.99, 2.0]), VIDEO)
    assert list(matched.world_from_cam) == [1, 2, 5, 6]
    assert matched.world_from_cam[2] is POSES[2]
    assert matched.worst_s == pytest.approx(0.01)


@given(st.floats(-1e9, 1e9), st.lists(st.integers(0, 30), min_size=3, max_size=10, unique=True))
def test_an_offset_moves_the_clock_and_nothing_else(offset_s, picked):
    frames = frames_at(sorted(k / 10 for k in picked))
    straight = match_poses(make_timed(np.arange(31) / 10), frames, VIDEO)
    options = PoseSourceOptions(time_offset_s=-offset_s)
    moved = match_poses(make_timed(np.arange(31) / 10 + offset_s), frames, VIDEO, options)
    assert moved.world_from_cam.keys() == straight.world_from_cam.keys()
    for index, pose in straight.world_from_cam.items():
        assert np.abs(moved.world_from_cam[index].matrix() - pose.matrix()).max() < 1e-4


def test_poses_in_another_unit_than_seconds_are_told_which(subtests):
    frames = frames_at(np.arange(0, 31, 5) / 10)
    for per_second, start, words in [
        (1e3, 0.0, "Are they milliseconds.* divide them by 1000$"),
        (1e6, 5e9, "Are they microseconds"),
        (1e9, 5e12, "Are they nanoseconds"),
        (1.0, 5e3, "do not overlap"),
        (100.0, 5e3, "do not overlap"),  # 100 times as long: a recorder that ran on
    ]:
        with subtests.test(words=words, per_second=per_second), pytest.raises(ReconError, match=words):
            match_poses(make_timed(start + np.arange(31) / 10 * per_second), frames, VIDEO)


def test_poses_of_another_clock_or_too_few_are_told():
    unix_s = 1305031102.175
    require_ranges(Config(pose_source=PoseSourceOptions(time_offset_s=-unix_s)))  # what is advised is taken
    with pytest.raises(ReconError, match=r"do not overlap.*time-offset-s -1305031102\.175"):
        match_poses(make_timed(np.arange(31) / 30 + unix_s), frames_at([0.0, 0.5, 1.0]), VIDEO)
    with pytest.raises(ReconError, match=r"max-gap-s"):
        match_poses(make_timed([0.0, 1.0, 2.0]), frames_at([0.3, 0.6, 1.4]), VIDEO)
    with pytest.raises(ReconError, match="only 2 of 3 frames"):
        match_poses(make_timed([0.0, 0.1]), frames_at([0.0, 0.1, 5.0]), VIDEO)
    pictures = tuple(PosedPicture(world_from_cam=POSES[k], position=100 + k) for k in range(5))
    with pytest.raises(ReconError, match="numbers pictures 100 to 104, the tour has 3"):
        match_poses(PoseSource("t.npz", "vipe", pictures, None), frames_at([0.0]), PictureIndex((0.0, 0.1, 0.2)))


def test_numbers_are_pictures_of_the_video_whatever_its_rate():
    index = PictureIndex((0.0, 0.05, 0.2, 0.21, 0.5, 0.9))
    pictures = tuple(PosedPicture(world_from_cam=POSES[k], position=k) for k in (0, 2, 3, 5))
    matched = match_poses(PoseSource("t.npz", "vipe", pictures, None), frames_at([0.0, 0.2, 0.5, 0.9]), index)
    assert matched.world_from_cam == {1: POSES[0], 2: POSES[2], 4: POSES[5]}


def test_names_are_those_of_our_frames_or_of_the_tours_folder():
    matched = match_poses(
        make_named(["images/000002.jpg", "images/000003.png", "000005.jpg"]), frames_at(range(6)), VIDEO
    )
    assert matched.world_from_cam == {2: POSES[0], 3: POSES[1], 5: POSES[2]}
    index = PictureIndex(tuple(k / 10 for k in range(9)), tuple(f"IMG_{k}.JPG" for k in range(9)))
    matched = match_poses(make_named([f"IMG_{k}.JPG" for k in range(9)]), frames_at([0.0, 0.3, 0.6]), index)
    assert matched.world_from_cam == {1: POSES[0], 2: POSES[3], 3: POSES[6]}


def test_names_that_cannot_be_used_or_mean_two_things_are_refused(subtests):
    names = tuple(f"{k:06d}.jpg" for k in range(1, 10))
    index = PictureIndex(tuple(k / 10 for k in range(9)), names)
    with pytest.raises(ReconError, match="mean different pictures"):
        match_poses(make_named(names[:3]), frames_at([0.0, 0.3, 0.6]), index)
    for names, words in [
        (["a/1.jpg", "b/1.jpg", "2.jpg"], "two images are named '1'"),
        (["x.jpg", "y.jpg", "z.jpg"], "none of its 3"),
    ]:
        with subtests.test(names=names, words=words), pytest.raises(ReconError, match=words):
            match_poses(make_named(names), frames_at(range(6)), VIDEO)


def test_a_focal_length_is_positive():
    with pytest.raises(ReconError, match="--pose-source"):
        PoseSourceOptions(intrinsics=(0.0, 1.0, 1.0, 1.0))
