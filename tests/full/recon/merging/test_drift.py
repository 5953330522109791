"""A walk round a room whose scale drifted before it came back to where it began."""

import numpy as np
import pytest

from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.merging.merge import merge_sub_models
from recon.records import SubModel
from tests.support.recon.made_models import begin_at_another_scale, centers, scene_from_poses, write_matches

FRAMES = 60


@pytest.fixture(scope="module", name="ring")
def make_ring():
    """The last frames see what the first ones saw."""
    poses = []
    for k in range(FRAMES):
        around = 2.0 * np.pi * k / 50
        forward = np.array([-np.sin(around), np.cos(around), 0.0])
        right = np.array([np.cos(around), np.sin(around), 0.0])
        center = np.array([1.8 * np.cos(around), 1.8 * np.sin(around), 1.5])
        poses.append(Pose(np.column_stack([right, [0.0, 0.0, -1.0], forward]), center))
    box = np.array([[-4.0, -4.0, 0.0], [4.0, 4.0, 3.0]])
    return scene_from_poses(poses, 2500, 0.3, 0, box, reach_m=4.0)


@pytest.fixture(scope="module", name="matches")
def write_ring_matches(ring, tmp_path_factory):
    path = tmp_path_factory.mktemp("ring") / "database.db"
    write_matches(ring, path, reach=FRAMES)
    return path


def measure_error(model, ring):
    return pose_error(centers(model.reconstruction), centers(ring)).rmse


@pytest.mark.parametrize("step", [20, 45])
def test_a_walk_that_is_larger_from_a_step_on_is_right_again_once_merged(ring, matches, step):
    """By a quarter, and no point is seen from both sides of the step."""
    drifted = begin_at_another_scale(SubModel("000/0", ("000",), ring), step, 0.8)
    assert measure_error(drifted, ring) > 0.15

    result = merge_sub_models([drifted], matches)

    (model,) = result.models
    assert model.frames == drifted.frames
    assert measure_error(model, ring) < 0.005
    assert [(finding.severity, finding.code) for finding in result.findings] == [("info", "merge.bent")]
