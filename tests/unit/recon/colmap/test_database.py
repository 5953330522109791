"""Parts of a tour's database."""

import numpy as np
import pycolmap
import pytest

from recon.colmap.database import copy_part, load_cache, open_database
from tests.support.recon.made_models import walk_scene, write_matches


@pytest.fixture
def path(tmp_path):
    write_matches(walk_scene(frames=8, points=200), tmp_path / "database.db")
    return tmp_path / "database.db"


def test_the_cache_and_a_part_say_of_their_frames_what_the_whole_says(path, tmp_path):
    assert sorted(load_cache(path, [2, 3, 5]).images) == [2, 3, 5]
    copy_part(path, [2, 3, 5], tmp_path / "part.db")
    with open_database(path) as whole, open_database(tmp_path / "part.db") as part:
        assert [image.image_id for image in part.read_all_images()] == [2, 3, 5]
        assert np.array_equal(part.read_camera(1).params, whole.read_camera(1).params)
        assert part.read_camera(1).has_prior_focal_length == whole.read_camera(1).has_prior_focal_length
        for frame in (2, 3, 5):
            assert part.read_image(frame).name == whole.read_image(frame).name
            assert np.array_equal(part.read_keypoints(frame), whole.read_keypoints(frame))
        pairs = [pycolmap.pair_id_to_image_pair(pair) for pair in part.read_two_view_geometry_num_inliers()[0]]
        assert sorted(pairs) == [(2, 3), (2, 5), (3, 5)]
        for pair in pairs:
            ours, theirs = (database.read_two_view_geometry(*pair) for database in (part, whole))
            assert np.array_equal(ours.inlier_matches, theirs.inlier_matches)
            assert ours.config == theirs.config
