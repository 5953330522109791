import numpy as np
import pycolmap
import pytest
from made_models import walk_scene, write_matches

from recon.densify import densify
from recon.thinning import ThinningOptions, thin


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    scene = walk_scene(frames=16, points=600, noise_px=0.2)
    path = tmp_path_factory.mktemp("walk") / "database.db"
    write_matches(scene, path)
    return scene, path


def test_removed_points_come_back_where_they_were_and_poses_stay(walk):
    scene, path = walk
    model = pycolmap.Reconstruction(scene)
    left = thin(model, ThinningOptions(points_per_frame=30, points_per_seam=10))

    new = densify(model, path, model.reg_image_ids(), num_threads=1)

    assert new == model.num_points3D() - left
    assert model.num_points3D() > 0.9 * scene.num_points3D()
    off = []
    for point in model.points3D.values():
        element = point.track.elements[0]
        true = scene.image(element.image_id).point2D(element.point2D_idx)
        off.append(np.linalg.norm(point.xyz - scene.point3D(true.point3D_id).xyz))
    assert np.median(off) < 0.02
    for frame in scene.reg_image_ids():
        moved = model.image(frame).cam_from_world().matrix() - scene.image(frame).cam_from_world().matrix()
        assert np.abs(moved).max() < 1e-9


def test_a_model_of_poses_alone_gets_all_its_points(walk):
    scene, path = walk
    model = pycolmap.Reconstruction(scene)
    for point in list(model.point3D_ids()):
        model.delete_point3D(point)

    assert densify(model, path, model.reg_image_ids(), num_threads=1) > 0.9 * scene.num_points3D()
    assert model.compute_mean_reprojection_error() < 0.5
