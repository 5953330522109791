import numpy as np
import pytest

from recon.evaluate import pose_error
from tests.support.recon.made_models import random_similarity, walk_poses


def test_a_similarity_is_no_error():
    truth = dict(enumerate(walk_poses(12)))
    move = random_similarity(np.random.default_rng(0))
    error = pose_error({frame: move.move_camera(pose) for frame, pose in truth.items()}, truth)
    assert error.frames == 12
    assert error.rmse < 1e-9
    assert error.rotation_median_deg < 1e-5
    assert error.reference_from_estimate.scale == pytest.approx(1.0 / move.scale)


def test_only_common_frames_count_and_three_are_needed():
    poses = walk_poses(12)
    error = pose_error(dict(enumerate(poses[:8])), dict(enumerate(poses)))
    assert error.frames == 8
    poses = dict(enumerate(walk_poses(2)))
    with pytest.raises(ValueError, match="three common frames"):
        pose_error(poses, poses)
