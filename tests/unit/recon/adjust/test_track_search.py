import numpy as np
import pycolmap
import pytest

from recon.adjust.track_search import search_tracks
from tests.support.recon.made_models import centers, walk_scene, write_matches


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    scene = walk_scene(noise_px=0.2)
    path = tmp_path_factory.mktemp("walk") / "database.db"
    write_matches(scene, path)
    return scene, path


def test_removed_observations_are_found_again(walk):
    scene, path = walk
    model = pycolmap.Reconstruction(scene)
    rng = np.random.default_rng(0)
    removed = set()
    for point_id, point in list(scene.points3D.items()):
        elements = list(point.track.elements)
        if len(elements) > 4:
            gone = elements[rng.integers(len(elements))]
            model.delete_observation(gone.image_id, gone.point2D_idx)
            removed.add((point_id, gone.image_id, gone.point2D_idx))

    before = model.compute_num_observations()
    search_tracks(model, path)

    found = {
        (point_id, frame, keypoint)
        for point_id, frame, keypoint in removed
        if model.image(frame).point2D(keypoint).has_point3D()
        and model.image(frame).point2D(keypoint).point3D_id == point_id
    }
    assert len(found) > 0.8 * len(removed)
    assert model.compute_num_observations() >= before + len(found)


def test_points_that_are_one_are_merged(walk):
    scene, path = walk
    model = pycolmap.Reconstruction(scene)
    split = 0
    for point in list(scene.points3D.values()):
        elements = sorted(point.track.elements, key=lambda element: element.image_id)
        if len(elements) >= 10 and split < 40:
            late = elements[len(elements) // 2 :]
            for element in late:
                model.delete_observation(element.image_id, element.point2D_idx)
            track = pycolmap.Track()
            for element in late:
                track.add_element(element)
            model.add_point3D(point.xyz, track, point.color)
            split += 1

    before = model.num_points3D()
    search_tracks(model, path)

    assert before - model.num_points3D() > 0.7 * split


def test_poses_and_wrong_places_stay(walk):
    scene, path = walk
    model = pycolmap.Reconstruction(scene)
    before = centers(model)
    search_tracks(model, path)
    assert all((centers(model)[frame].matrix() == pose.matrix()).all() for frame, pose in before.items())
    assert model.compute_num_observations() == scene.compute_num_observations()
    assert model.num_points3D() == scene.num_points3D()
