import numpy as np
import pycolmap
import pytest

from recon.adjust.point_adjustment import adjust_points
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


def by_bundle_adjustment(model):
    """What COLMAP's adjuster makes of the same problem."""
    setup = pycolmap.BundleAdjustmentOptions(print_summary=False)
    setup.ceres.loss_function_type = pycolmap.LossFunctionType.CAUCHY
    setup.ceres.loss_function_scale = 1.0
    setup.ceres.solver_options.max_num_iterations = 100
    setup.ceres.solver_options.function_tolerance = 1e-12
    config = pycolmap.BundleAdjustmentConfig()
    for point in model.point3D_ids():
        config.add_variable_point(point)
    pycolmap.create_default_bundle_adjuster(setup, config, model).solve()


def test_points_end_where_a_bundle_adjuster_puts_them(scene, monkeypatch):
    ours, reference = move_points(scene, 0.02), move_points(scene, 0.02)
    before = {frame: ours.image(frame).cam_from_world().matrix() for frame in ours.reg_image_ids()}

    monkeypatch.setattr("recon.adjust.point_adjustment._STEPS", 20)
    adjust_points(ours)
    by_bundle_adjustment(reference)

    off = np.array([np.linalg.norm(xyz - places(reference)[point]) for point, xyz in places(ours).items()])
    started = np.array(
        [np.linalg.norm(xyz - places(reference)[point]) for point, xyz in places(move_points(scene, 0.02)).items()]
    )
    assert np.median(started) > 0.02
    assert np.percentile(off, 95) < 1e-4
    assert all(np.array_equal(ours.image(frame).cam_from_world().matrix(), pose) for frame, pose in before.items())


def test_five_steps_are_nearly_all_there_is(scene, monkeypatch):
    five, many = move_points(scene, 0.02), move_points(scene, 0.02)

    adjust_points(five)
    monkeypatch.setattr("recon.adjust.point_adjustment._STEPS", 50)
    adjust_points(many)

    off = np.array([np.linalg.norm(xyz - places(many)[point]) for point, xyz in places(five).items()])
    assert np.percentile(off, 95) < 2e-3


def test_the_size_of_chunks_does_not_matter(scene, monkeypatch):
    one, two = move_points(scene, 0.02), move_points(scene, 0.02)

    adjust_points(one)
    monkeypatch.setattr("recon.adjust.point_adjustment._POINTS_AT_ONCE", 50)
    adjust_points(two)

    assert all(np.array_equal(xyz, places(two)[point]) for point, xyz in places(one).items())


def test_a_point_behind_its_cameras_stays_a_number(scene):
    model = pycolmap.Reconstruction(scene)
    point = min(model.point3D_ids())
    camera = model.image(model.point3D(point).track.elements[0].image_id)
    model.point3D(point).xyz = camera.projection_center() - 3.0 * camera.viewing_direction()

    adjust_points(model)

    assert all(np.isfinite(xyz).all() for xyz in places(model).values())


def test_a_model_without_points_is_left_alone():
    adjust_points(pycolmap.Reconstruction())
