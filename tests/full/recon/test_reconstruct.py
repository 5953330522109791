"""The whole reconstruction as one function, without the application: on the short walk, whose true path is known."""

import subprocess
import sys

import pytest

import recon
from recon.errors import ReconError
from recon.evaluate import pose_error
from recon.matching.interfaces import FeatureOptions
from recon.pose_sources.read import read_tum
from recon.reconstruct import ReconstructionOptions
from recon.video.sampling import sample_tour
from tests.support.paths import DATA


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walk")
    (folder / "frames").mkdir()
    return sample_tour(DATA / "short_walk.mp4", folder / "frames"), folder


def test_a_walk_is_reconstructed_without_the_application(sampled):
    frames, folder = sampled
    told = []

    found = recon.reconstruct(frames, folder, progress=lambda step, share: told.append((step, share)))

    (model,) = found.scene.models
    assert len(model.frames) == len(frames.frames)
    poses = read_tum(DATA / "short_walk" / "trajectory.tum").pictures
    nearest = {
        frame.index: min(poses, key=lambda pose: abs((pose.time_s or 0.0) - frame.time_s)) for frame in frames.frames
    }
    assert max(abs((nearest[frame.index].time_s or 0.0) - frame.time_s) for frame in frames.frames) < 0.02
    error = pose_error(dict(model.world_from_cam), {index: pose.world_from_cam for index, pose in nearest.items()})
    assert error.rmse < 0.02  # of 5.7 m
    assert model.health is not None
    assert found.models[0].reconstruction.num_points3D() > 1000
    assert any(point.color.any() for point in found.models[0].reconstruction.points3D.values())
    assert not [finding for finding in found.findings if finding.severity == "error"]
    assert {step for step, _ in told} == {"features", "mapping", "merging"}
    with pytest.raises(ReconError, match="exists already"):
        recon.reconstruct(frames, folder)


def test_learned_keypoints_that_are_asked_for_must_be_given(sampled):
    options = ReconstructionOptions(features=FeatureOptions(kind="xfeat"))
    frames, folder = sampled
    with pytest.raises(ReconError, match="give these keypoints as `learned`"):
        recon.reconstruct(frames, folder, options)


@pytest.mark.parametrize(
    "first", ["import recon", "import recon.reconstruct", "from recon.reconstruct import Reconstruction"]
)
def test_it_is_a_function_whatever_is_imported_first(first):
    code = f"{first}; import recon; assert recon.reconstruct.__name__ == 'reconstruct'; recon.reconstruct.__call__"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_reading_records_does_not_load_colmap():
    code = "import sys, recon, recon.geometry; assert 'pycolmap' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
