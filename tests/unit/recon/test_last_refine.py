"""Which models `--recon.last-refine full` refines, and what is said of each; the refinement itself stands aside."""

from __future__ import annotations

from dataclasses import replace

import pycolmap
import pytest

from recon.known_poses.full_refine import FullyRefined
from recon.mapping.tour_inputs import TourInputs
from recon.merging import tour
from recon.records import SubModel


@pytest.fixture
def refine(monkeypatch, tmp_path):
    """What becomes of some models; the work folder has a file left that the refinement would remove."""

    def call(models: list[SubModel], *, are_given: bool = False, reason: str = ""):
        def refined(model, frames_dir, frames, work, **more):
            assert work.is_dir()
            done = replace(model, reconstruction=pycolmap.Reconstruction())
            return FullyRefined(model if reason else done, 0.0 if reason else 0.0004, reason)

        monkeypatch.setattr(tour, "refine_fully", refined)
        inputs = TourInputs(frames=(), frames_dir=tmp_path)
        found = tour._refine_all_fully(models, inputs, tmp_path, are_given=are_given)
        assert list(tmp_path.iterdir()) == []
        return found

    return call


def model(name: str = "merged/0", held_by_floor: bool = False, frames: range = range(1, 4)) -> SubModel:
    made = pycolmap.Reconstruction()
    camera = pycolmap.Camera(model="SIMPLE_PINHOLE", width=64, height=48, params=[50, 32, 24], camera_id=1)
    made.add_camera_with_trivial_rig(camera)
    for frame in frames:
        image = pycolmap.Image(name=f"{frame:06d}.jpg", camera_id=1, image_id=frame)
        made.add_image_with_trivial_frame(image, pycolmap.Rigid3d())
    return SubModel(name, ("000",), made, held_by_floor)


def test_every_model_is_refined_and_named(refine):
    models = [model(frames=range(5, 20)), model("merged/1")]
    refined, said = refine(models)
    assert all(new is not old for new, old in zip(refined, models, strict=True))
    assert [(one.code, one.severity, one.where) for one in said] == [
        ("merge.refined_fully", "info", "frames 5-19"),
        ("merge.refined_fully", "info", "frames 1-3"),
    ]
    assert "by 0.040% of the walk" in said[0].message


def test_a_model_that_is_not_believed_stays_and_says_why(refine):
    models = [model()]
    refined, (said,) = refine(models, reason="too few points")
    assert refined[0] is models[0]
    assert (said.code, said.severity) == ("merge.not_refined", "warning")
    assert "too few points" in said.message


def test_what_the_floor_holds_is_not_given_to_pictures_alone(refine):
    models = [model(held_by_floor=True)]
    refined, (said,) = refine(models)
    assert refined[0] is models[0]
    assert "held by the floor" in said.message


def test_poses_that_were_given_are_not_moved(refine):
    models = [model()]
    refined, (said,) = refine(models, are_given=True)
    assert refined == models
    assert (said.code, said.severity) == ("merge.not_refined", "info")
    assert "--pose-source.refine" in said.message
