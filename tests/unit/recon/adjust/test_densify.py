import numpy as np
import pycolmap
import pytest

from recon.adjust.refine import densify, thin
from recon.audit.torn import TornOptions, find_torn_seams
from tests.support.recon.made_models import walk_scene, write_matches


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    scene = walk_scene(frames=16, points=600, noise_px=0.2)
    path = tmp_path_factory.mktemp("walk") / "database.db"
    write_matches(scene, path)
    return scene, path


def test_removed_points_come_back_as_one_where_they_were_and_poses_stay(walk):
    scene, path = walk
    model = pycolmap.Reconstruction(scene)
    thin(model, points_per_frame=30, points_per_seam=10)
    densify(model, path, model.reg_image_ids())
    deep = [point for point in scene.point3D_ids() if widest_angle_deg(scene, point) > 2.0]
    assert model.num_points3D() > 0.95 * len(deep)
    off = []
    for point in model.points3D.values():
        element = point.track.elements[0]
        true = scene.image(element.image_id).point2D(element.point2D_idx)
        off.append(np.linalg.norm(point.xyz - scene.point3D(true.point3D_id).xyz))
    assert np.median(off) < 0.02
    for frame in scene.reg_image_ids():
        moved = model.image(frame).cam_from_world().matrix() - scene.image(frame).cam_from_world().matrix()
        assert np.abs(moved).max() < 1e-9
    scene, path = walk
    model = pycolmap.Reconstruction(scene)
    thin(model, points_per_frame=30, points_per_seam=10)
    densify(model, path, model.reg_image_ids())
    assert find_torn_seams(model, path, TornOptions(max_share=0.02, min_matches=1)) == []


def test_a_model_of_poses_alone_gets_all_points_that_have_depth(walk):
    scene, path = walk
    model = pycolmap.Reconstruction(scene)
    for point in list(model.point3D_ids()):
        model.delete_point3D(point)

    densify(model, path, model.reg_image_ids())

    found = {
        scene.image(element.image_id).point2D(element.point2D_idx).point3D_id
        for point in model.points3D.values()
        for element in point.track.elements
    }
    deep = {point for point in scene.point3D_ids() if widest_angle_deg(scene, point) > 2.0}
    assert len(deep) > 250
    assert len(deep - found) < 0.1 * len(deep)
    assert model.num_points3D() < 1.2 * len(found)
    assert model.compute_mean_reprojection_error() < 0.5


def widest_angle_deg(scene, point):
    """Between the rays along which two frames see a point."""
    seen = scene.point3D(point)
    rays = np.array([scene.image(each.image_id).projection_center() - seen.xyz for each in seen.track.elements])
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    return np.degrees(np.arccos(np.clip((rays @ rays.T).min(), -1.0, 1.0)))
