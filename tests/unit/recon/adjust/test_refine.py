import numpy as np
import pycolmap
import pytest

from recon.adjust.refine import RefineOptions, adjust_and_filter
from recon.evaluate import pose_error
from tests.support.recon.made_models import centers, long_walk_scene


@pytest.fixture(scope="module")
def scene():
    """A true walk whose points are seen by up to 24 frames."""
    return long_walk_scene(40)


def shake(scene, by_m=0.03, seed=0):
    """The walk with its frames moved, and a camera 2 % off."""
    model = pycolmap.Reconstruction(scene)
    rng = np.random.default_rng(seed)
    for frame in model.reg_image_ids():
        pose = model.image(frame).cam_from_world()
        model.frame(frame).rig_from_world = pycolmap.Rigid3d(pose.rotation, pose.translation + rng.normal(0.0, by_m, 3))
    for camera in model.cameras.values():
        camera.params = [1.02 * camera.params[0], *camera.params[1:]]
    return model


def test_a_shaken_walk_is_put_right(subtests, scene, monkeypatch):
    monkeypatch.setattr("recon.adjust.refine.MIN_ANGLE_DEG", 0.0)
    for max_views in [None, 6]:
        with subtests.test(max_views=max_views):
            model = shake(scene)
            before = pose_error(centers(model), centers(scene)).rmse
            options = RefineOptions(max_error_px=100.0, max_views=max_views, max_iterations=30)
            adjust_and_filter(model, model.reg_image_ids(), options)
            assert before > 0.03
            assert pose_error(centers(model), centers(scene)).rmse < 0.01
            assert model.camera(1).params[0] == pytest.approx(scene.camera(1).params[0], rel=0.005)
            assert model.compute_num_observations() == scene.compute_num_observations()  # none is lost by asking fewer
            assert model.compute_mean_reprojection_error() < 0.6


def test_frames_that_are_not_asked_stand_still(scene):
    model = shake(scene)
    before = {frame: pose.matrix() for frame, pose in centers(model).items()}
    focal = model.camera(1).params[0]
    adjust_and_filter(model, range(10, 20), RefineOptions(max_error_px=100.0, max_views=6))
    moved = {frame for frame, pose in centers(model).items() if not np.array_equal(pose.matrix(), before[frame])}
    assert moved == set(range(10, 20))
    assert model.camera(1).params[0] == focal
