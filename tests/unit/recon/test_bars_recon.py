"""Gates of matching, mapping and given poses: one case on each side of each bar, one quantity at a time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from recon.geometry import Pose
from recon.mapping import sfm
from recon.matching.interfaces import PairMatch
from recon.matching.sift import verify
from recon.pose_sources.match import PictureIndex, match_poses
from recon.pose_sources.records import PosedPicture, PoseSource, PoseSourceOptions
from recon.records import Frame

# Matches


def seen_from_two_places(planar: int, others: int, seed: int = 0) -> tuple[Any, Any]:
    """(K, 2) keypoints of points on a wall and of points in depth, in two pictures a metre apart."""
    rng = np.random.default_rng(seed)
    depths = np.concatenate([np.full(planar, 4.0), np.linspace(2.0, 9.0, others) + 0.05])
    xy = rng.uniform(-0.8, 0.8, (planar + others, 2)) * depths[:, None]
    points = np.column_stack([xy, depths])
    pixels = [300.0 * one[:, :2] / one[:, 2:] + 320.0 for one in (points, points - [1.0, 0.1, 0.2])]
    return pixels[0].astype(np.float32), pixels[1].astype(np.float32)


def match_all(planar: int, others: int) -> PairMatch:
    first, second = seen_from_two_places(planar, others)
    return verify(first, second, np.column_stack([np.arange(len(first))] * 2).astype(np.uint32), 2.0, 15)


def test_a_pair_has_fifteen_matches(subtests):
    for matches, is_pair in [(14, False), (15, True)]:
        with subtests.test(matches=matches, is_pair=is_pair):
            assert bool(len(match_all(0, matches).inliers)) is is_pair


def test_a_pair_is_a_plane_from_nine_tenths_of_its_matches_on(subtests):
    for planar, is_plane in [(88, False), (92, True)]:
        with subtests.test(planar=planar, is_plane=is_plane):
            match = match_all(planar, 100 - planar)
            assert len(match.inliers) >= 98
            assert (match.homography is not None) is is_plane


# Models


def make_point(views: int) -> SimpleNamespace:
    return SimpleNamespace(track=SimpleNamespace(length=lambda: views))


def find_flaw(*, frames=10, observations=100.0, seen_again=100) -> str | None:
    model: Any = SimpleNamespace(
        reg_image_ids=lambda: range(frames),
        compute_mean_observations_per_reg_image=lambda: observations,
        points3D={number: make_point(3 if number < seen_again else 2) for number in range(100)},
    )
    verdict = sfm.judge_model(model, 3)
    return None if verdict.ok else sfm._make_left_out_finding("clip 000", frames, verdict).code


def test_a_model_is_dropped_below_each_bar(subtests):
    for what, inside, outside, code in [
        ("frames", 3, 2, "sfm.tiny_model"),
        ("observations", 20.0, 19.9, "sfm.weak_model"),
        ("seen_again", 40, 39, "sfm.weak_model"),
    ]:
        with subtests.test(what=what, inside=inside, outside=outside, code=code):
            assert find_flaw(**{what: inside}) is None
            assert find_flaw(**{what: outside}) == code


# Given poses


def takes_pose(frame_s: float, apart_s: float) -> tuple[bool, int]:
    """Whether a frame gets a pose at a time between two that are so far apart, and how many are between two."""
    times_s = (-2.0, -1.0, 0.0, apart_s)
    poses = tuple(PosedPicture(world_from_cam=Pose(np.eye(3), np.array([t, 0.0, 0.0])), time_s=t) for t in times_s)
    frames = [Frame(k, t, f"{k}.jpg", 64, 36, 1.0, 0) for k, t in enumerate((-2.0, -1.0, 0.0, frame_s), start=1)]
    matched = match_poses(PoseSource("walk.txt", "tum", poses, None), frames, PictureIndex(()), PoseSourceOptions())
    return 4 in matched.world_from_cam, matched.interpolated


def test_a_frame_takes_a_pose_between_near_ones_or_the_nearest(subtests):
    for frame_s, apart_s, told in [
        (0.05, 0.099, (True, 1)),
        (0.05, 0.101, (False, 0)),
        (0.019, 0.2, (True, 0)),
        (0.021, 0.2, (False, 0)),
    ]:
        with subtests.test(frame_s=frame_s, apart_s=apart_s, told=told):
            assert takes_pose(frame_s, apart_s) == told
