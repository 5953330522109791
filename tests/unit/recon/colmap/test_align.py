import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.colmap.fuse import SharedView, align, align_views
from tests.support.recon.made_models import cut, random_similarity, scene_from_poses, walk_poses, walk_scene

SCENE = walk_scene(noise_px=0.0)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_any_similarity_is_found(seed):
    truth = random_similarity(np.random.default_rng(seed))
    first, second = cut(SCENE, range(1, 13), "000/0"), cut(SCENE, range(8, 20), "001/0", truth.inverse())
    found = align(first, second, range(8, 13))
    assert found is not None
    assert found.first_from_second.scale == pytest.approx(truth.scale, rel=1e-6)
    assert np.allclose(found.first_from_second.rotation, truth.rotation, atol=1e-6)
    assert np.allclose(found.first_from_second.translation, truth.translation, atol=1e-5)
    assert found.center_disagreement < 1e-6
    assert found.rotation_disagreement_deg < 1e-4


def test_standing_cameras_hide_no_scale_and_models_without_common_points_are_not_aligned():
    poses = walk_poses(20)
    poses[8:13] = [poses[10]] * 5
    scene = scene_from_poses(poses, 900, 0.0, 0)
    truth = random_similarity(np.random.default_rng(5))
    found = align(cut(scene, range(1, 14), "a/0"), cut(scene, range(9, 20), "b/0", truth.inverse()), range(9, 14))
    assert found is not None
    assert found.first_from_second.scale == pytest.approx(truth.scale, rel=1e-6)
    first, second = cut(SCENE, range(1, 13), "000/0"), cut(SCENE, range(8, 20), "001/0")
    for point in list(second.reconstruction.point3D_ids()):
        second.reconstruction.delete_point3D(point)
    assert align(first, second, range(8, 13)) is None


def test_a_model_that_grows_along_the_shared_frames_is_told(subtests):
    for growth in [0.0, 0.03]:
        with subtests.test(growth=growth):
            rng = np.random.default_rng(0)
            views = []
            for place, pose in enumerate(walk_poses(12)):
                depths = rng.uniform(1.0, 5.0, (40, 1))
                views.append(SharedView(place, pose, pose, np.hstack([depths, depths * np.exp(growth * place)])))
            found = align_views(views)
            assert found is not None
            assert found.scale_disagreement == pytest.approx(np.expm1(8 * growth), abs=0.01)
