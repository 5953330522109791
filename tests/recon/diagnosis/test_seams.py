import numpy as np
import pycolmap
import pytest
from made_models import centers, cut, scene_from_poses, walk_poses, walk_scene

from recon.diagnosis.seams import split_at, subset, weak_seams
from recon.geometry import Pose


@pytest.fixture(scope="module")
def scene():
    return walk_scene()


def break_between(scene, before):
    """The same model without the points that both sides of a seam see."""
    model = pycolmap.Reconstruction(scene)
    for point_id, point in list(scene.points3D.items()):
        seen = {element.image_id for element in point.track.elements}
        if min(seen) <= before < max(seen):
            model.delete_point3D(point_id)
    return model


def test_a_whole_walk_has_no_weak_seam(scene):
    assert weak_seams(scene) == []
    assert split_at(scene, []) == [scene]


def test_a_model_is_cut_where_nothing_holds_it(scene):
    model = break_between(scene, 12)

    assert (12, 13) in weak_seams(model)
    assert (2, 3) not in weak_seams(model)
    assert [sorted(part.reg_image_ids()) for part in split_at(model, [(12, 13)])] == [
        list(range(1, 13)),
        list(range(13, 25)),
    ]


def test_a_revisit_holds_a_walk_together():
    poses = [
        *walk_poses(12),
        *[Pose(p.rotation, np.add(p.translation, [0, 300.0, 0])) for p in walk_poses(3)],
        *walk_poses(12),
    ]
    scene = scene_from_poses(poses, 500, 0.0, 0)  # the three frames far away see nothing at all

    assert weak_seams(scene) == []


def test_a_part_keeps_its_poses_and_points(scene):
    part = subset(scene, range(5, 12))

    expected = cut(scene, range(5, 12), "000/0").reconstruction
    assert part.num_points3D() == expected.num_points3D()
    assert part.compute_num_observations() == expected.compute_num_observations()
    before, after = centers(scene), centers(part)
    assert all((after[frame].matrix() == before[frame].matrix()).all() for frame in range(5, 12))
