"""Put the second of two aligned models into the first: images, and tracks joined where they saw the same keypoints."""

from __future__ import annotations

from collections import Counter

import pycolmap

from recon.geometry import Pose, Sim3


def fuse(
    first: pycolmap.Reconstruction, second: pycolmap.Reconstruction, first_from_second: Sim3
) -> pycolmap.Reconstruction:
    """A new model with all images and points of both, in the frame of the first. The inputs stay as they are.

    Keypoints are those of one database, so a point of the second that shares a keypoint with a point of the first is
    the same point: its other observations go to the first's track. Shared images keep the first's pose.
    """
    fused = pycolmap.Reconstruction(first)
    known = set(first.reg_image_ids())
    for index in sorted(second.reg_image_ids()):
        if index not in known:
            _add_image(fused, second.image(index), first_from_second)
    for point_id in sorted(second.point3D_ids()):
        _add_point(fused, second.point3D(point_id), first_from_second)
    fused.update_point_3d_errors()
    return fused


def _add_image(fused: pycolmap.Reconstruction, image: pycolmap.Image, first_from_second: Sim3) -> None:
    copied = pycolmap.Image(
        name=image.name,
        keypoints=[point.xy for point in image.points2D],
        camera_id=image.camera_id,
        image_id=image.image_id,
    )
    world_from_cam = Pose.from_rigid3d(image.cam_from_world().inverse())
    fused.add_image_with_trivial_frame(copied, first_from_second.move_camera(world_from_cam).inverse().to_rigid3d())


def _add_point(fused: pycolmap.Reconstruction, point: pycolmap.Point3D, first_from_second: Sim3) -> None:
    """Join the point to the track it shares most keypoints with, or add it as new."""
    free: list[pycolmap.TrackElement] = []
    seen_as: Counter[int] = Counter()
    images: set[int] = set()
    for element in point.track.elements:
        keypoint = fused.image(element.image_id).point2D(element.point2D_idx)
        if keypoint.has_point3D():
            seen_as[keypoint.point3D_id] += 1
        elif element.image_id not in images:
            images.add(element.image_id)
            free.append(element)
    if seen_as:
        same = seen_as.most_common(1)[0][0]
        taken = {element.image_id for element in fused.point3D(same).track.elements}
        for element in free:
            if element.image_id not in taken:
                fused.add_observation(same, element)
    elif len(free) > 1:
        track = pycolmap.Track()
        for element in free:
            track.add_element(element)
        fused.add_point3D(first_from_second @ point.xyz, track, point.color)
