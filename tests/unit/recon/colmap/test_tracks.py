import numpy as np
import pycolmap

from recon.colmap.observations import (
    enough_of,
    measure_viewing_distance,
    track_lengths,
    tracks_from_colmap,
    well_triangulated,
)
from tests.support.recon.made_house import House, look, make_house, reconstruction_of


def test_tracks_hold_what_colmap_holds():
    reconstruction = reconstruction_of(make_house())
    tracks = tracks_from_colmap(reconstruction)
    ids = sorted(reconstruction.point3D_ids())
    assert len(tracks.obs_point) == reconstruction.compute_num_observations()
    for row in (0, len(ids) // 2, len(ids) - 1):
        point = reconstruction.points3D[ids[row]]
        np.testing.assert_array_equal(tracks.xyz[row], point.xyz)
        np.testing.assert_array_equal(tracks.rgb[row], point.color)
        seen = {(element.image_id) for element in point.track.elements}
        assert set(tracks.obs_frame[tracks.obs_point == row].tolist()) == seen
        assert track_lengths(tracks)[row] == len(point.track.elements)
    assert np.all(np.diff(tracks.obs_frame) >= 0)
    tracks = tracks_from_colmap(pycolmap.Reconstruction())
    assert tracks.xyz.shape == (0, 3)
    assert well_triangulated(tracks, {}).shape == (0,)
    assert measure_viewing_distance(tracks, {}) is None


def test_points_far_away_for_the_baseline_are_not_trusted():
    poses = {frame: look((0.02 * frame, 0, 1.5), 90.0) for frame in range(1, 6)}
    rng = np.random.default_rng(0)
    near = rng.uniform((-0.3, 1.0, 1.3), (0.3, 1.3, 1.7), (50, 3))
    far = rng.uniform((-1.0, 5.0, 1.0), (1.0, 5.9, 2.0), (50, 3))
    tracks = tracks_from_colmap(reconstruction_of(House(poses, np.vstack([near, far]))))
    good = well_triangulated(tracks, poses)
    np.testing.assert_array_equal(good, tracks.xyz[:, 1] < 2)
    assert enough_of(good, least=1).sum() == 50
    assert enough_of(good).all()


def test_viewing_distance_is_that_of_the_room():
    house = make_house()
    tracks = tracks_from_colmap(reconstruction_of(house))
    distance = measure_viewing_distance(tracks, house.world_from_cam)
    assert distance is not None
    assert 1.5 < distance < 5.0
