"""Walks that were held by something else, adjusted by their pictures: where these determine the path, and where not."""

import numpy as np
import pycolmap
import pytest

from recon.adjust.refine import RefineOptions, until_convergence
from recon.audit.pose_uncertainty import compare_with_path, measure_path_sigma
from recon.evaluate import pose_error
from recon.floor import picture_refinement as module
from recon.floor.picture_refinement import refine_if_determined
from recon.geometry import Pose
from tests.support.recon.made_models import centers
from tests.support.recon.made_pan import make_pan_world

CONVERGED = until_convergence(RefineOptions())


def bend(model: pycolmap.Reconstruction, by: float) -> pycolmap.Reconstruction:
    """The model with its cameras off their way by a slow wave, as if each were carried at another height."""
    bent = pycolmap.Reconstruction(model)
    for frame in bent.reg_image_ids():
        pose = Pose.from_rigid3d(bent.image(frame).cam_from_world().inverse())
        moved = Pose(pose.rotation, pose.center + np.array([0.0, by * np.sin(frame / 6.0), 0.0]))
        bent.frame(bent.image(frame).frame_id).rig_from_world = moved.inverse().to_rigid3d()
    return bent


def test_what_the_pictures_determine_comes_to_its_place(walk):
    bent = bend(walk[0], 0.06)
    off = pose_error(centers(bent), centers(walk[0])).rmse

    refined = refine_if_determined(bent, walk[1], CONVERGED)

    assert refined is not None
    assert sorted(refined.reg_image_ids()) == sorted(bent.reg_image_ids())
    assert pose_error(centers(refined), centers(walk[0])).rmse < off / 4
    assert refined.num_points3D() > 0.5 * walk[0].num_points3D()
    assert pose_error(centers(bent), centers(walk[0])).rmse == off  # it is not changed


@pytest.mark.parametrize(("times", "is_refined"), [(0.9, False), (1.1, True)])
def test_the_bar_is_on_the_share_of_the_path(walk, monkeypatch, times, is_refined):
    told = []

    def measure(model):
        told.append(measure_path_sigma(model))
        return told[-1]

    monkeypatch.setattr(module, "measure_path_sigma", measure)
    assert refine_if_determined(walk[0], walk[1], CONVERGED) is not None
    monkeypatch.setattr(module, "MOST_SIGMA", times * told[0])
    assert (refine_if_determined(walk[0], walk[1], CONVERGED) is not None) is is_refined


def test_a_turn_on_the_spot_is_left_to_the_floor(tmp_path):
    world = make_pan_world(tmp_path, 180.0, seed=180)
    assert refine_if_determined(world.truth, world.database_path, CONVERGED) is None


def test_the_worst_window_is_compared_with_as_much_of_the_path(monkeypatch):
    sigmas = [1.0] * 4 + [3.0] * 4 + [1.0] * 4
    monkeypatch.setattr("recon.audit.pose_uncertainty._WINDOW", 4)
    monkeypatch.setattr("recon.audit.pose_uncertainty._MARGIN", 1)
    assert compare_with_path(sigmas, 24.0, 12) == (3.0, pytest.approx(12.0))
    assert compare_with_path(sigmas[:4], 24.0, 4) == (1.0, 24.0)
