import pytest

from recon.audit.seams import split_at
from recon.colmap.subset import subset
from tests.support.recon.made_models import centers, cut, walk_scene


@pytest.fixture(scope="module")
def scene():
    return walk_scene()


def test_a_model_is_cut_between_frames_and_a_part_keeps_its_poses_and_points(scene):
    assert split_at(scene, []) == [scene]
    assert [sorted(part.reg_image_ids()) for part in split_at(scene, [(12, 13)])] == [
        list(range(1, 13)),
        list(range(13, 25)),
    ]
    part = subset(scene, range(5, 12))
    expected = cut(scene, range(5, 12), "000/0").reconstruction
    assert part.num_points3D() == expected.num_points3D()
    assert part.compute_num_observations() == expected.compute_num_observations()
    before, after = centers(scene), centers(part)
    assert all((after[frame].matrix() == before[frame].matrix()).all() for frame in range(5, 12))
