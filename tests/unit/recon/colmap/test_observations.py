import numpy as np
import pycolmap

from recon.colmap.observations import NO_POINT, keypoints_by_frame, sightings


def test_every_frame_that_sees_a_point_is_told_once(scene):
    seen = sightings(scene)
    told = list(zip(seen.points[seen.point_rows].tolist(), seen.frames[seen.frame_rows].tolist(), strict=True))
    tracks = {point: {each.image_id for each in scene.point3D(point).track.elements} for point in scene.point3D_ids()}
    assert told == sorted((point, frame) for point, frames in tracks.items() for frame in frames)
    assert np.array_equal(seen.xyz, [scene.point3D(point).xyz for point in seen.points.tolist()])
    bare = pycolmap.Reconstruction(scene)
    for point in list(bare.point3D_ids()):
        bare.delete_point3D(point)
    seen = sightings(bare)
    assert len(seen.frames) == 24
    assert len(seen.points) == len(seen.point_rows) == len(seen.frame_rows) == 0
    assert seen.xyz.shape == (0, 3)


def test_keypoints_are_read_as_colmap_has_them(scene):
    read = keypoints_by_frame(scene)
    assert list(read) == sorted(scene.reg_image_ids())
    for frame, keypoints in read.items():
        points = list(scene.image(frame).points2D)
        assert np.array_equal(keypoints.xy, [point.xy for point in points])
        assert [point != NO_POINT for point in keypoints.points] == [point.has_point3D() for point in points]
        seen = keypoints.points[keypoints.points != NO_POINT].tolist()
        assert seen == [point.point3D_id for point in points if point.has_point3D()]


def test_names_of_any_length_and_frames_without_keypoints_are_read(scene):
    model = pycolmap.Reconstruction()
    model.add_camera_with_trivial_rig(pycolmap.Camera(scene.camera(1).todict()))
    named = {7: "a", 3: "a folder/\u00fcber 0003.jpg", 5: "x" * 300}
    for frame, name in named.items():
        image = pycolmap.Image(name=name, keypoints=np.full((frame - 3, 2), frame), camera_id=1, image_id=frame)
        model.add_image_with_trivial_frame(image, pycolmap.Rigid3d())
    read = keypoints_by_frame(model)
    assert [(frame, keypoints.xy.tolist()) for frame, keypoints in read.items()] == [
        (3, []),
        (5, [[5.0, 5.0]] * 2),
        (7, [[7.0, 7.0]] * 4),
    ]
    assert keypoints_by_frame(pycolmap.Reconstruction()) == {}
