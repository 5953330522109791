"""Metres of a reconstruction from depth maps at the pixels of its tracks."""

from __future__ import annotations

import numpy as np
import pycolmap
import pytest

from recon.colmap.observations import tracks_from_colmap
from recon.errors import ReconError
from recon.geometry import Pose, sample_depth
from recon.records import SubModel
from recon.upright.metric_scale import scale_of_sub_model

STEP_PX = 4


@pytest.fixture(scope="module")
def model() -> SubModel:
    options = pycolmap.SyntheticDatasetOptions()
    options.num_rigs, options.num_cameras_per_rig, options.num_frames_per_rig = 1, 1, 12
    options.num_points3D = 400
    pycolmap.set_random_seed(0)
    return SubModel("clip/0", ("clip",), pycolmap.synthesize_dataset(options))


def splat_depth(model: SubModel, frame: int, metres_per_unit: float) -> np.ndarray:
    """A metric depth map that is right at the tracks (the nearest one to each sample) and NaN elsewhere."""
    tracks = tracks_from_colmap(model.reconstruction)
    camera = model.reconstruction.cameras[model.reconstruction.images[frame].camera_id]
    depth = np.full((-(-camera.height // STEP_PX), -(-camera.width // STEP_PX)), np.nan, dtype=np.float32)
    rows = tracks.rows_of_frame(frame)
    pose = Pose.from_rigid3d(model.reconstruction.images[frame].cam_from_world())
    z = (pose @ tracks.xyz[tracks.obs_point[rows]])[:, 2]
    at = np.rint((tracks.obs_xy[rows] - 0.5) / STEP_PX).astype(int)
    at = np.minimum(np.maximum(at, 0), np.array(depth.shape[::-1]) - 1)
    depth[at[:, 1], at[:, 0]] = z * metres_per_unit
    return depth


def test_the_scale_of_true_depth_is_the_true_scale(subtests, model):
    for metres_per_unit in [0.2, 1.0, 7.0]:
        with subtests.test(metres_per_unit=metres_per_unit):
            scale = scale_of_sub_model(
                model, lambda frame, unit=metres_per_unit: splat_depth(model, frame, unit), STEP_PX, "m@1"
            )
            assert (scale.status, scale.source) == ("metric", "m@1")
            assert scale.factor == pytest.approx(metres_per_unit, rel=0.01)
            assert scale.sigma < 0.02


def test_frames_that_are_off_make_sigma_larger_and_hardly_move_the_scale(model):
    rng = np.random.default_rng(0)
    off = {frame: np.exp(rng.normal(0.0, 0.1)) for frame in model.frames}
    off[model.frames[0]] = 5.0  # one frame the depth model did not understand at all
    scale = scale_of_sub_model(model, lambda frame: splat_depth(model, frame, 2.0) * off[frame], STEP_PX, "m@1")
    assert scale.factor == pytest.approx(2.0, rel=0.1)
    assert 0.03 < scale.sigma < 0.3


def test_depth_of_some_frames_is_enough_and_of_none_an_error(model):
    some = set(model.frames[:3])
    scale = scale_of_sub_model(
        model, lambda frame: splat_depth(model, frame, 3.0) if frame in some else None, STEP_PX, "m@1"
    )
    assert scale.factor == pytest.approx(3.0, rel=0.02)
    with pytest.raises(ReconError, match="0 of 0 depth pairs are usable"):
        scale_of_sub_model(model, lambda frame: None, STEP_PX, "m@1")


def test_samples_are_those_of_the_nearest_grid_pixel():
    depth = np.arange(12, dtype=np.float32).reshape(3, 4)
    xy = np.array([[0.5, 0.5], [4.5, 0.5], [6.4, 4.5], [6.6, 4.5], [99.0, 99.0]])
    np.testing.assert_array_equal(sample_depth(depth, xy, 4), [0, 1, 5, 6, 11])
