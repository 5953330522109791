from itertools import pairwise

import numpy as np
import pycolmap
import pytest

from recon.adjust.refine import shorten_tracks, thin
from tests.support.recon.made_models import walk_scene


@pytest.fixture
def walk():
    return walk_scene(frames=16, points=600, noise_px=0.2)


def find_seen_by(model, frame):
    return {point.point3D_id for point in model.image(frame).get_observation_points2D()}


def test_every_frame_keeps_its_longest_tracks(walk):
    before = pycolmap.Reconstruction(walk)
    thin(walk, points_per_frame=40, points_per_seam=0)
    assert walk.num_points3D() < before.num_points3D()
    for frame in before.reg_image_ids():
        lengths = sorted((before.point3D(p).track.length() for p in find_seen_by(before, frame)), reverse=True)
        kept = sorted((walk.point3D(p).track.length() for p in find_seen_by(walk, frame)), reverse=True)
        assert kept[:40] == lengths[:40]


def test_every_link_between_neighbours_keeps_its_share(walk):
    before = pycolmap.Reconstruction(walk)
    thin(walk, points_per_frame=1, points_per_seam=25)
    frames = sorted(before.reg_image_ids())
    for a, b in pairwise(frames):
        shared = len(find_seen_by(before, a) & find_seen_by(before, b))
        assert len(find_seen_by(walk, a) & find_seen_by(walk, b)) >= min(25, shared)


def test_poses_stay_and_zero_keeps_all(walk):
    before = pycolmap.Reconstruction(walk)
    thin(walk, points_per_frame=0)
    assert walk.num_points3D() == before.num_points3D()
    thin(walk, points_per_frame=5, points_per_seam=5)
    for frame in before.reg_image_ids():
        moved = walk.image(frame).cam_from_world().matrix() - before.image(frame).cam_from_world().matrix()
        assert np.abs(moved).max() == 0
    model = pycolmap.Reconstruction()
    thin(model)
    assert model.num_points3D() == 0


def test_short_tracks_reach_as_far_as_long_ones(scene):
    before = {point: track_of(scene, point) for point in scene.point3D_ids()}
    short = shorten_tracks(scene, 5)
    after = {point: track_of(short, point) for point in short.point3D_ids()}
    assert after.keys() == before.keys()
    for point, track in after.items():
        assert set(track) <= set(before[point])
        assert len(track) == min(5, len(before[point]))
        assert (track[0], track[-1]) == (before[point][0], before[point][-1])
        gaps = np.diff([before[point].index(each) for each in track])
        assert gaps.max() - gaps.min() <= 1  # evenly
    assert {point: track_of(scene, point) for point in scene.point3D_ids()} == before


def track_of(model, point):
    return sorted((each.image_id, each.point2D_idx) for each in model.point3D(point).track.elements)
