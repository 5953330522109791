import numpy as np
import pycolmap

from recon.observations import NO_POINT, points_of_keypoints, sightings


def test_every_frame_that_sees_a_point_is_told_once(scene):
    seen = sightings(scene)

    told = list(zip(seen.points[seen.point_rows].tolist(), seen.frames[seen.frame_rows].tolist(), strict=True))
    tracks = {point: {each.image_id for each in scene.point3D(point).track.elements} for point in scene.point3D_ids()}
    assert told == sorted((point, frame) for point, frames in tracks.items() for frame in frames)
    assert np.array_equal(seen.xyz, [scene.point3D(point).xyz for point in seen.points.tolist()])


def test_a_model_without_points_has_no_sightings(scene):
    bare = pycolmap.Reconstruction(scene)
    for point in list(bare.point3D_ids()):
        bare.delete_point3D(point)

    seen = sightings(bare)
    assert len(seen.frames) == 24
    assert len(seen.points) == len(seen.point_rows) == len(seen.frame_rows) == 0
    assert seen.xyz.shape == (0, 3)


def test_keypoints_without_a_point_say_so(scene):
    frame = min(scene.reg_image_ids())
    points = points_of_keypoints(scene, frame)
    image = scene.image(frame)
    assert [point != NO_POINT for point in points] == [image.point2D(k).has_point3D() for k in range(len(points))]
