"""Tracks straight from matches, held against those of a made world."""

import numpy as np
import pycolmap

from recon.colmap.database import open_database
from recon.floor.hold import chain_matches
from tests.support.recon.made_pan import make_pan_world


def test_each_track_is_one_point_of_the_world(tmp_path):
    world = make_pan_world(tmp_path, 100.0)
    frames = sorted(world.truth.reg_image_ids())
    tracks = chain_matches(world.database_path, frames, 8)
    assert set(tracks.tracks) == set(range(tracks.tracks.max() + 1))
    point_of = {
        (frame, *point.xy.astype(np.float32).tolist()): point.point3D_id
        for frame in frames
        for point in world.truth.image(frame).get_observation_points2D()
    }
    points: dict[int, set[int]] = {}
    for row, track, xy in zip(tracks.frame_rows.tolist(), tracks.tracks.tolist(), tracks.xy, strict=True):
        points.setdefault(track, set()).add(point_of[frames[row], *xy.astype(np.float32).tolist()])
    assert all(len(of_track) == 1 for of_track in points.values())


def test_pairs_beyond_the_reach_do_not_count(tmp_path):
    world = make_pan_world(tmp_path, 100.0)
    frames = sorted(world.truth.reg_image_ids())
    near, far = (chain_matches(world.database_path, frames, reach) for reach in (1, 8))
    assert len(near.tracks) <= len(far.tracks)
    assert near.tracks.max() >= far.tracks.max()  # they fall apart where a frame misses a point


def test_a_track_with_two_keypoints_of_one_frame_is_left_out(tmp_path):
    world = make_pan_world(tmp_path, 100.0)
    with open_database(world.database_path) as database:
        geometry = database.read_two_view_geometry(1, 2)
        before = chain_matches(world.database_path, [1, 2, 3], 1)
        first, second = geometry.inlier_matches[:2]
        crossed = np.concatenate([geometry.inlier_matches, [[first[0], second[1]]]]).astype(np.uint32)
        geometry.inlier_matches = crossed
        database.update_two_view_geometry(1, 2, geometry)
    after = chain_matches(world.database_path, [1, 2, 3], 1)
    assert after.tracks.max() == before.tracks.max() - 2
    assert isinstance(geometry, pycolmap.TwoViewGeometry)
