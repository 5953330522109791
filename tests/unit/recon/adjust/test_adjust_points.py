import numpy as np
import pycolmap
import pytest

from recon.adjust.refine import adjust_points
from tests.support.recon.made_models import walk_scene


@pytest.fixture(scope="module")
def scene():
    """The true walk with noise of 0.5 px and every twentieth observation of a point with many of them off by 20 px."""
    model = walk_scene(frames=16, points=400, noise_px=0.5)
    for point in list(model.points3D.values())[::3]:
        elements = point.track.elements
        if len(elements) >= 8:
            image = model.image(elements[3].image_id)
            place = elements[3].point2D_idx
            image.points2D[place].xy = image.points2D[place].xy + 20.0
    return model


def move_points(scene, by_m, seed=0):
    model = pycolmap.Reconstruction(scene)
    rng = np.random.default_rng(seed)
    for point in model.points3D.values():
        point.xyz = point.xyz + rng.normal(0.0, by_m, 3)
    return model


def places(model):
    return {point: model.point3D(point).xyz for point in model.point3D_ids()}


def test_points_come_back_and_cameras_stand_still(scene):
    model = move_points(scene, 0.3)
    before = {frame: model.image(frame).cam_from_world().matrix() for frame in model.reg_image_ids()}
    started = np.array([np.linalg.norm(xyz - places(scene)[point]) for point, xyz in places(model).items()])

    adjust_points(model)

    off = np.array([np.linalg.norm(xyz - places(scene)[point]) for point, xyz in places(model).items()])
    assert np.median(off) < 0.3 * np.median(started)
    assert all(np.array_equal(model.image(frame).cam_from_world().matrix(), pose) for frame, pose in before.items())
    assert model.camera(1).params.tolist() == scene.camera(1).params.tolist()


def test_a_point_behind_its_cameras_stays_a_number(scene):
    model = pycolmap.Reconstruction(scene)
    point = min(model.point3D_ids())
    camera = model.image(model.point3D(point).track.elements[0].image_id)
    model.point3D(point).xyz = camera.projection_center() - 3.0 * camera.viewing_direction()

    adjust_points(model)

    assert all(np.isfinite(xyz).all() for xyz in places(model).values())


def test_a_model_without_points_is_left_alone():
    adjust_points(pycolmap.Reconstruction())
